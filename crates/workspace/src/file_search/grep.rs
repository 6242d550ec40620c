//! Search for a text or a regular expression in files.

use std::path::Path;
use std::sync::Mutex;

use foveal_transcript::CancelToken;
use grep_matcher::LineTerminator;
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::DirEntry;

use super::file_searcher::{FileSearchOutcome, FileSearchTask, FileSearcher};
use super::first_files::FirstFiles;
use super::grep_answer::{FileHits, GrepAnswer, GrepLine, PageUnit, SkippedFiles};
use super::grep_query::{CaseSensitivity, FileOpener, GrepMode, GrepQuery, ProtectedFile};
use super::path_names::WalkPathNames;
use super::search_scope::{FileSearchError, PatternError, PatternRemedy};
use super::walk::{EntryVisitor, walk_scope};

/// Matching lines that are held for paging.
const HITS_MAX: usize = 100_000;
/// Context lines per match.
const CONTEXT_MAX: usize = 100;
/// Bytes of memory for one line, and for one file in a multiline search.
const HEAP_BYTES_MAX: usize = 64 << 20;

/// Searches the files below `base`. The answer does not depend on the number of threads: files are
/// ordered by path, changelogs and lock files last, lines by number.
///
/// # Errors
/// Returns a [`FileSearchError`] for an invalid query or a cancellation. Unreadable files are
/// reported in the answer.
pub fn grep(
    base: &Path,
    open: FileOpener<'_>,
    query: &GrepQuery,
    cancel: &CancelToken<'_>,
) -> Result<GrepAnswer, FileSearchError> {
    let reach = query.offset.saturating_add(query.limit);
    if reach > HITS_MAX {
        return Err(FileSearchError::TooFar { asked: reach, max: HITS_MAX });
    }
    let matcher = build_matcher(query)?;
    let checked = query.scope.resolve(base, false)?;
    let names = WalkPathNames::new(&checked.root, &checked.path);
    // One more than a page holds, so that the context after the last match ends where the next
    // match begins.
    let kept = Mutex::new(FirstFiles::new(reach.saturating_add(1)));
    let visitor = || GrepVisitor {
        searcher: build_searcher(query),
        matcher: matcher.clone(),
        reader: FileSearcher::default(),
        totals: GrepTotals::default(),
        shared: GrepContext { kept: &kept, names: &names, base, open, query, cancel },
    };
    let (visits, mut passed) = walk_scope(&query.scope, &checked, &names, cancel, visitor)?;
    let mut totals = GrepTotals::default();
    for visit in visits {
        totals.hits += visit.totals.hits;
        totals.files_with_hits += visit.totals.files_with_hits;
        totals.files_searched += visit.totals.files_searched;
        totals.stopped |= visit.totals.stopped;
        passed.merge(visit.totals.passed);
    }
    if totals.stopped {
        return Err(FileSearchError::Cancelled);
    }
    let kept = kept.into_inner().unwrap_or_else(|broken| broken.into_inner());
    let (files, shown) = select_page(kept.into_files(), query);
    let (unit, total) = match query.mode {
        GrepMode::Content => (PageUnit::Hits, totals.hits),
        GrepMode::Files | GrepMode::Count => (PageUnit::Files, totals.files_with_hits),
    };
    Ok(GrepAnswer {
        files,
        unit,
        offset: query.offset,
        shown,
        total,
        files_with_hits: totals.files_with_hits,
        files_searched: totals.files_searched,
        skipped: passed,
    })
}

fn build_matcher(query: &GrepQuery) -> Result<RegexMatcher, FileSearchError> {
    if query.pattern.is_empty() {
        return Err(FileSearchError::EmptyPattern);
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.fixed_strings(query.fixed).multi_line(true).dot_matches_new_line(query.multiline);
    builder.case_insensitive(query.case == CaseSensitivity::Insensitive);
    builder.crlf(!names_carriage_return(query));
    if query.multiline {
        // A match may contain line breaks.
        builder.line_terminator(None);
    } else if names_carriage_return(query) {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&query.pattern).map_err(|error| {
        // The matcher puts the pattern into a group, which its message would show.
        let own = (!query.fixed).then(|| regex::Regex::new(&query.pattern).err()).flatten();
        let why = match own {
            Some(syntax @ regex::Error::Syntax(_)) => syntax.to_string(),
            _ => error.to_string(),
        };
        let remedy = if why.contains("not allowed in a regex") {
            PatternRemedy::Multiline
        } else if query.fixed {
            PatternRemedy::Shorten
        } else {
            PatternRemedy::Literal
        };
        FileSearchError::Pattern(PatternError { why: why.trim_end().to_owned(), remedy })
    })
}

/// Returns whether the pattern names carriage returns. Otherwise `$` matches before `\r\n`.
fn names_carriage_return(query: &GrepQuery) -> bool {
    query.pattern.contains("\\r") || query.pattern.contains('\r')
}

fn build_searcher(query: &GrepQuery) -> Searcher {
    let content = query.mode == GrepMode::Content;
    let lines = |lines: usize| if content { lines.min(CONTEXT_MAX) } else { 0 };
    let line_terminator = if query.multiline || names_carriage_return(query) {
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
        // The file searcher detects binary files itself.
        .binary_detection(BinaryDetection::none())
        .build()
}

/// The state shared by all threads.
#[derive(Clone, Copy)]
struct GrepContext<'q> {
    kept: &'q Mutex<FirstFiles>,
    names: &'q WalkPathNames,
    base: &'q Path,
    open: FileOpener<'q>,
    query: &'q GrepQuery,
    cancel: &'q CancelToken<'q>,
}

#[derive(Default)]
struct GrepTotals {
    hits: u64,
    files_with_hits: u64,
    files_searched: u64,
    passed: SkippedFiles,
    stopped: bool,
}

/// The search of one thread.
struct GrepVisitor<'q> {
    searcher: Searcher,
    matcher: RegexMatcher,
    reader: FileSearcher,
    totals: GrepTotals,
    shared: GrepContext<'q>,
}

impl EntryVisitor for GrepVisitor<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        let shared = self.shared;
        let is_root = entry.depth() == 0;
        if !is_root && !entry.file_type().is_some_and(|kind| kind.is_file()) {
            return;
        }
        let path = shared.names.display_name(entry.path());
        let relative = entry.path().strip_prefix(shared.base).unwrap_or(entry.path());
        let file = match (shared.open)(relative) {
            Ok(file) => file,
            Err(error) if error.get_ref().is_some_and(|error| error.is::<ProtectedFile>()) => {
                return self.totals.passed.add_protected(path);
            }
            Err(error) => return self.totals.passed.add_unreadable(path, error.to_string()),
        };
        let lock = || shared.kept.lock().unwrap_or_else(|broken| broken.into_inner());
        let lines_max = match shared.query.mode {
            GrepMode::Content if lock().is_candidate(&path) => {
                shared.query.offset.saturating_add(shared.query.limit).saturating_add(1)
            }
            _ => 0,
        };
        let task = FileSearchTask {
            searcher: &mut self.searcher,
            matcher: &self.matcher,
            hits_max: lines_max,
            joins_line_endings: shared.query.multiline && !names_carriage_return(shared.query),
            first_only: shared.query.mode == GrepMode::Files,
            cancel: shared.cancel,
        };
        match self.reader.search_file(file, task) {
            FileSearchOutcome::Cancelled => self.totals.stopped = true,
            FileSearchOutcome::Binary => self.totals.passed.binary += 1,
            FileSearchOutcome::Failed(error) => self.totals.passed.add_unreadable(path, error),
            FileSearchOutcome::Searched { hits, lines, as_bytes } => {
                self.totals.files_searched += 1;
                if as_bytes {
                    self.totals.passed.add_byte_search(path.clone());
                }
                if hits > 0 {
                    self.totals.hits += hits;
                    self.totals.files_with_hits += 1;
                    lock().insert(FileHits { path, hits, lines }, shared.query.mode);
                }
            }
        }
    }
}

/// Selects the requested page from the first files.
fn select_page(files: impl Iterator<Item = FileHits>, query: &GrepQuery) -> (Vec<FileHits>, usize) {
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
            file.lines = select_matches(file.lines, first, last, query);
            shown.push(file);
        }
        if take == 0 {
            break;
        }
    }
    (shown, query.limit - take)
}

/// Selects the matches `first..last` with their requested context. Context lines that match are
/// left to their own page.
fn select_matches(
    lines: Vec<GrepLine>,
    first: usize,
    last: usize,
    query: &GrepQuery,
) -> Vec<GrepLine> {
    let mut hits = 0;
    let mut page: Vec<GrepLine> = Vec::with_capacity(lines.len());
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
