//! Looking for a text or an expression in files.

use std::path::Path;
use std::sync::Mutex;

use foveal_cancel::Cancel;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::DirEntry;

use super::answer::{FileHits, GrepAnswer, HitLine, Passed, Unit};
use super::kept::FirstFiles;
use super::name::Names;
use super::query::{Case, GrepMode, GrepQuery, Open};
use super::scope::TreeError;
use super::search::{FileSearcher, Outcome, Task};
use super::walk::{Visitor, walk};

/// Found lines that are held for paging.
const HITS_MAX: usize = 100_000;
/// Lines shown around a found one.
const CONTEXT_MAX: usize = 100;
/// Bytes of a line that is not held whole, and of a file searched across lines.
const HEAP_BYTES_MAX: usize = 64 << 20;

/// Searches the files under `base`. The answer is the same whatever number of threads there
/// are: files by path, lines by number.
///
/// # Errors
/// A [`TreeError`] for a query that cannot be answered, or if it is cancelled. Files that
/// cannot be read are told in the answer.
pub fn grep(
    base: &Path,
    open: Open<'_>,
    query: &GrepQuery,
    cancel: &Cancel<'_>,
) -> Result<GrepAnswer, TreeError> {
    let reach = query.offset.saturating_add(query.limit);
    if reach > HITS_MAX {
        return Err(TreeError::TooFar { asked: reach, max: HITS_MAX });
    }
    let matcher = matcher(query)?;
    let checked = query.scope.check(base, false)?;
    let names = Names::new(&checked.root, &checked.path);
    // With one more than a page holds, the lines behind it are cut where the next begins.
    let kept = Mutex::new(FirstFiles::new(reach.saturating_add(1)));
    let visitor = || Visit {
        searcher: searcher(query),
        matcher: matcher.clone(),
        reader: FileSearcher::default(),
        totals: Totals::default(),
        shared: Shared { kept: &kept, names: &names, base, open, query, cancel },
    };
    let (visits, mut passed) = walk(&query.scope, &checked, &names, cancel, visitor)?;
    let mut totals = Totals::default();
    for visit in visits {
        totals.hits += visit.totals.hits;
        totals.files_with_hits += visit.totals.files_with_hits;
        totals.files_searched += visit.totals.files_searched;
        totals.stopped |= visit.totals.stopped;
        passed.add(visit.totals.passed);
    }
    if totals.stopped {
        return Err(TreeError::Cancelled);
    }
    let kept = kept.into_inner().unwrap_or_else(|broken| broken.into_inner());
    let (files, shown) = page(kept.into_files(), query);
    let (unit, total) = match query.mode {
        GrepMode::Content => (Unit::Hits, totals.hits),
        GrepMode::Files | GrepMode::Count => (Unit::Files, totals.files_with_hits),
    };
    Ok(GrepAnswer {
        files,
        unit,
        offset: query.offset,
        shown,
        total,
        files_with_hits: totals.files_with_hits,
        files_searched: totals.files_searched,
        passed,
    })
}

fn matcher(query: &GrepQuery) -> Result<RegexMatcher, TreeError> {
    if query.pattern.is_empty() {
        return Err(TreeError::EmptyPattern);
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(query.fixed).multi_line(true).dot_matches_new_line(query.multiline);
    builder.case_insensitive(query.case == Case::Insensitive);
    builder.crlf(!names_return(query));
    if query.multiline {
        // What is found may hold line ends.
        builder.line_terminator(None);
    } else if names_return(query) {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&query.pattern).map_err(|error| {
        let why = error.to_string();
        let hint = if why.contains("not allowed in a regex") {
            "set multiline to find what goes over several lines"
        } else if query.fixed {
            "shorten it"
        } else {
            "set literal to look for the text as it stands, or put `\\` before the character meant"
        };
        TreeError::Pattern { why: why.trim_end().to_owned(), hint }
    })
}

/// Whether the pattern is about carriage returns itself. Otherwise `$` matches before `\r\n`.
fn names_return(query: &GrepQuery) -> bool {
    query.pattern.contains("\\r") || query.pattern.contains('\r')
}

fn searcher(query: &GrepQuery) -> Searcher {
    let content = query.mode == GrepMode::Content;
    let lines = |lines: usize| if content { lines.min(CONTEXT_MAX) } else { 0 };
    let line_terminator = if query.multiline || names_return(query) {
        LineTerminator::byte(b'\n')
    } else {
        LineTerminator::crlf()
    };
    SearcherBuilder::new()
        .line_number(content)
        .line_terminator(line_terminator)
        .multi_line(query.multiline)
        .before_context(lines(query.before))
        .after_context(lines(query.after))
        .heap_limit(Some(HEAP_BYTES_MAX))
        // Binary files are told apart where they are read.
        .binary_detection(BinaryDetection::none())
        .build()
}

/// What all threads see.
#[derive(Clone, Copy)]
struct Shared<'q> {
    kept: &'q Mutex<FirstFiles>,
    names: &'q Names,
    base: &'q Path,
    open: Open<'q>,
    query: &'q GrepQuery,
    cancel: &'q Cancel<'q>,
}

#[derive(Default)]
struct Totals {
    hits: u64,
    files_with_hits: u64,
    files_searched: u64,
    passed: Passed,
    stopped: bool,
}

/// One thread's search.
struct Visit<'q> {
    searcher: Searcher,
    matcher: RegexMatcher,
    reader: FileSearcher,
    totals: Totals,
    shared: Shared<'q>,
}

impl Visitor for Visit<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        let shared = self.shared;
        let is_root = entry.depth() == 0;
        if !is_root && !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let path = shared.names.name(entry.path());
        let relative = entry.path().strip_prefix(shared.base).unwrap_or(entry.path());
        let file = match (shared.open)(relative) {
            Ok(file) => file,
            Err(error) => return self.totals.passed.unreadable(path, error.to_string()),
        };
        let lock = || shared.kept.lock().unwrap_or_else(|broken| broken.into_inner());
        let lines_max = match shared.query.mode {
            GrepMode::Content if lock().wants(&path) => {
                shared.query.offset.saturating_add(shared.query.limit).saturating_add(1)
            }
            _ => 0,
        };
        let task = Task {
            searcher: &mut self.searcher,
            matcher: &self.matcher,
            hits_max: lines_max,
            first_only: shared.query.mode == GrepMode::Files,
            cancel: shared.cancel,
        };
        match self.reader.search(file, task) {
            Outcome::Cancelled => self.totals.stopped = true,
            Outcome::Binary => self.totals.passed.binary += 1,
            Outcome::Failed(error) => self.totals.passed.unreadable(path, error),
            Outcome::Found { hits, lines, as_bytes } => {
                self.totals.files_searched += 1;
                if as_bytes {
                    self.totals.passed.as_bytes(path.clone());
                }
                if hits > 0 {
                    self.totals.hits += hits;
                    self.totals.files_with_hits += 1;
                    lock().put(FileHits { path, hits, lines }, shared.query.mode);
                }
            }
        }
    }
}

/// Cuts the page that is asked for out of the first files.
fn page(files: impl Iterator<Item = FileHits>, query: &GrepQuery) -> (Vec<FileHits>, usize) {
    if query.mode != GrepMode::Content {
        let files: Vec<FileHits> = files.skip(query.offset).take(query.limit).collect();
        let shown = files.len();
        return (files, shown);
    }
    let (mut skip, mut take) = (query.offset, query.limit);
    let mut shown = Vec::new();
    for mut file in files {
        let held = file.lines.iter().filter(|line| line.is_hit).count();
        let first = skip.min(held);
        let last = (first + take).min(held);
        skip -= first;
        if first < last {
            take -= last - first;
            file.lines = cut(file.lines, first, last, query);
            shown.push(file);
        }
        if take == 0 {
            break;
        }
    }
    (shown, query.limit - take)
}

/// The found lines `first..last` with those around them, as far as these were asked for and
/// not found themselves: then they are on other pages.
fn cut(lines: Vec<HitLine>, first: usize, last: usize, query: &GrepQuery) -> Vec<HitLine> {
    let mut hits = 0;
    let mut page: Vec<HitLine> = Vec::with_capacity(lines.len());
    let mut last_hit = None;
    for line in lines {
        if line.is_hit {
            hits += 1;
            if hits > last {
                break;
            }
            if hits <= first {
                page.clear();
                continue;
            }
            if hits == first + 1 {
                page.retain(|before| {
                    before.number.0 as usize + query.before >= line.number.0 as usize
                });
            }
            last_hit = Some(line.number.0 as usize);
        } else if hits == last
            && last_hit.is_some_and(|hit| line.number.0 as usize > hit + query.after)
        {
            break;
        }
        page.push(line);
    }
    page
}
