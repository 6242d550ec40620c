//! Search for files by glob patterns.

use std::cmp::Reverse;
use std::path::Path;
use std::time::SystemTime;

use foveal_transcript::CancelToken;
use ignore::DirEntry;
use rayon::slice::ParallelSliceMut;

use super::grep_answer::SkippedFiles;
use super::path_names::{OrderedPath, WalkPathNames};
use super::search_scope::{FileSearchError, SearchScope};
use super::smallest_items::SmallestItems;
use super::walk::{EntryVisitor, walk_scope};

/// Paths that are held for paging.
const PATHS_MAX: usize = 1_000_000;

/// The order of found files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GlobOrder {
    /// By path, folder by folder, names by their bytes.
    #[default]
    Path,
    /// By time of change, latest first, then by path.
    Newest,
}

/// A search for files by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobQuery {
    /// The searched files, with one glob or more. Here globs apply to paths relative to the scope's
    /// own path.
    pub scope: SearchScope,
    /// The order.
    pub order: GlobOrder,
    /// The number of files to skip.
    pub offset: usize,
    /// The largest number of files to return.
    pub limit: usize,
}

/// The found files: one page, and the total count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobAnswer {
    /// Paths relative to the folder, escaped for display.
    pub paths: Vec<String>,
    /// The time of change of each path, if known, in the order [`GlobOrder::Newest`].
    pub changed: Vec<Option<SystemTime>>,
    /// The number of files on this page.
    pub shown: usize,
    /// The number of files before this page.
    pub offset: usize,
    /// The total number of files.
    pub total: u64,
    /// Files and folders that could not be examined.
    pub skipped: SkippedFiles,
}

impl GlobAnswer {
    /// Appends the answer for another folder, whose page follows this one.
    pub fn append(&mut self, next: Self) {
        self.paths.extend(next.paths);
        self.changed.extend(next.changed);
        self.shown += next.shown;
        self.total += next.total;
        self.skipped.merge(next.skipped);
    }

    /// Returns the offset of the next page, if there is one.
    pub fn next_offset(&self) -> Option<usize> {
        let end = self.offset + self.shown;
        (self.shown > 0 && (end as u64) < self.total).then_some(end)
    }
}

/// Finds files and links below `base`.
///
/// # Errors
/// Returns a [`FileSearchError`] for an invalid query or a cancellation.
pub fn glob(
    base: &Path,
    query: &GlobQuery,
    cancel: &CancelToken<'_>,
) -> Result<GlobAnswer, FileSearchError> {
    let reach = query.offset.saturating_add(query.limit);
    if reach > PATHS_MAX {
        return Err(FileSearchError::TooFar { asked: reach, max: PATHS_MAX });
    }
    let checked = query.scope.resolve(base, true)?;
    let names = WalkPathNames::new(&checked.root, &checked.path);
    let visitor = || GlobVisitor {
        names: &names,
        order: query.order,
        first: SmallestItems::new(reach),
        total: 0,
    };
    let (visits, passed) = walk_scope(&query.scope, &checked, &names, cancel, visitor)?;
    let total = visits.iter().map(|visit| visit.total).sum();
    let mut found: Vec<GlobHit> =
        visits.into_iter().flat_map(|visit| visit.first.into_items()).collect();
    found.par_sort_unstable();
    let page = found.into_iter().skip(query.offset).take(query.limit);
    let (paths, changed): (Vec<String>, Vec<_>) =
        page.map(|found| (found.name.0.into_string(), found.changed.0)).unzip();
    let shown = paths.len();
    Ok(GlobAnswer { paths, changed, shown, offset: query.offset, total, skipped: passed })
}

/// A found file, with its time only if that determines the order.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct GlobHit {
    changed: Reverse<Option<SystemTime>>,
    name: OrderedPath,
}

struct GlobVisitor<'n> {
    names: &'n WalkPathNames,
    order: GlobOrder,
    first: SmallestItems<GlobHit>,
    total: u64,
}

impl EntryVisitor for GlobVisitor<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return;
        }
        self.total += 1;
        let changed = match self.order {
            GlobOrder::Path => None,
            GlobOrder::Newest => {
                entry.metadata().ok().and_then(|metadata| metadata.modified().ok())
            }
        };
        let name = OrderedPath(self.names.display_name(entry.path()).into_boxed_str());
        self.first.insert(GlobHit { changed: Reverse(changed), name });
    }
}
