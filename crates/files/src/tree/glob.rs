//! Finding files by the form of their path.

use std::cmp::Reverse;
use std::path::Path;
use std::time::SystemTime;

use foveal_cancel::Cancel;
use ignore::DirEntry;
use rayon::slice::ParallelSliceMut;

use super::answer::Passed;
use super::first::First;
use super::name::{Name, Names};
use super::scope::{Scope, TreeError};
use super::walk::{Visitor, walk};

/// Paths that are held for paging.
const PATHS_MAX: usize = 1_000_000;

/// In which order files are given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Folder by folder, names by their bytes.
    #[default]
    Path,
    /// The last changed first; those of one time by path.
    Newest,
}

/// A search for files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobQuery {
    /// Which files. One glob or more; here they are about paths from the scope's own path.
    pub scope: Scope,
    /// In which order.
    pub order: Order,
    /// How many files to pass over.
    pub offset: usize,
    /// How many files to give.
    pub limit: usize,
}

/// The files found: a page of them, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GlobAnswer {
    /// Paths relative to the folder, spelled as they are told.
    pub paths: Vec<String>,
    /// When each of them was changed, where the last changed come first and that can be had.
    pub changed: Vec<Option<SystemTime>>,
    /// How many files this page is of; some may be gone since they were met.
    pub shown: usize,
    /// How many come before these.
    pub offset: usize,
    /// How many there are.
    pub total: u64,
    /// What could not be looked at.
    pub passed: Passed,
}

impl GlobAnswer {
    /// Adds what was found elsewhere, of which the page shows what comes after this.
    pub fn append(&mut self, next: Self) {
        self.paths.extend(next.paths);
        self.changed.extend(next.changed);
        self.shown += next.shown;
        self.total += next.total;
        self.passed.add(next.passed);
    }

    /// Where the next page begins, if there is one.
    pub fn next_offset(&self) -> Option<usize> {
        let end = self.offset + self.shown;
        (self.shown > 0 && (end as u64) < self.total).then_some(end)
    }
}

/// Finds files and links under `base`.
///
/// # Errors
/// A [`TreeError`] for a query that cannot be answered, or if it is cancelled.
pub fn glob(base: &Path, query: &GlobQuery, cancel: &Cancel<'_>) -> Result<GlobAnswer, TreeError> {
    let reach = query.offset.saturating_add(query.limit);
    if reach > PATHS_MAX {
        return Err(TreeError::TooFar { asked: reach, max: PATHS_MAX });
    }
    let checked = query.scope.check(base, true)?;
    let names = Names::new(&checked.root, &checked.path);
    let visitor =
        || Visit { names: &names, order: query.order, first: First::new(reach), total: 0 };
    let (visits, passed) = walk(&query.scope, &checked, &names, cancel, visitor)?;
    let total = visits.iter().map(|visit| visit.total).sum();
    let mut found: Vec<FoundFile> =
        visits.into_iter().flat_map(|visit| visit.first.into_items()).collect();
    found.par_sort_unstable();
    let page = found.into_iter().skip(query.offset).take(query.limit);
    let (paths, changed): (Vec<String>, Vec<_>) =
        page.map(|found| (found.name.0.into_string(), found.changed.0)).unzip();
    let shown = paths.len();
    Ok(GlobAnswer { paths, changed, shown, offset: query.offset, total, passed })
}

/// A file, by time only where that is asked for.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct FoundFile {
    changed: Reverse<Option<SystemTime>>,
    name: Name,
}

struct Visit<'n> {
    names: &'n Names,
    order: Order,
    first: First<FoundFile>,
    total: u64,
}

impl Visitor for Visit<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        if entry.file_type().is_some_and(|kind| kind.is_dir()) {
            return;
        }
        self.total += 1;
        let changed = match self.order {
            Order::Path => None,
            Order::Newest => entry.metadata().ok().and_then(|metadata| metadata.modified().ok()),
        };
        let name = Name(self.names.name(entry.path()).into_boxed_str());
        self.first.put(FoundFile { changed: Reverse(changed), name });
    }
}
