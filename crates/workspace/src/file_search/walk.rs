//! The parallel walk of a file tree on which searches and listings are based.

use std::path::{self, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use foveal_transcript::CancelToken;
use ignore::overrides::Override;
use ignore::types::Types;
use ignore::{DirEntry, Match, WalkBuilder, WalkState};

use super::grep_answer::SkippedFiles;
use super::ignore_rules::IgnoreRules;
use super::path_names::WalkPathNames;
use super::search_scope::{FileSearchError, ResolvedScope, SearchScope};

/// Threads of a walk; more hardly help on one disk.
const THREADS_MAX: usize = 12;
/// Levels of folders.
const DEPTH_MAX: usize = 256;

/// The per-thread consumer of a walk's entries. The walk returns all visitors at its end.
pub(super) trait EntryVisitor: Send {
    /// Visits a file, folder or link below the root, or the root itself if it is a file.
    fn visit(&mut self, entry: &DirEntry);
}

/// Walks a scope with one visitor per thread. Returns the visitors, and the files and folders that
/// could not be examined.
pub(super) fn walk_scope<V: EntryVisitor>(
    scope: &SearchScope,
    checked: &ResolvedScope,
    names: &WalkPathNames,
    cancel: &CancelToken<'_>,
    visitor: impl Fn() -> V + Sync,
) -> Result<(Vec<V>, SkippedFiles), FileSearchError> {
    let stopped = AtomicBool::new(false);
    let visitors = Mutex::new(Vec::new());
    let passed = Mutex::new(SkippedFiles::default());
    let choice = Arc::new(EntryFilter::new(scope, checked));
    build_walker(checked, Arc::clone(&choice)).build_parallel().run(|| {
        let mut seat = VisitorGuard { visitor: Some(visitor()), visitors: &visitors };
        let (stopped, passed) = (&stopped, &passed);
        Box::new(move |entry| {
            if stopped.load(Ordering::Relaxed) || cancel.is_cancelled() {
                stopped.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => seat.visit_entry(&entry, checked),
                Err(error) => {
                    let mut passed = passed.lock().unwrap_or_else(|broken| broken.into_inner());
                    passed.add_walk_error(names, &error);
                }
            }
            WalkState::Continue
        })
    });
    if stopped.into_inner() {
        return Err(FileSearchError::Cancelled);
    }
    let mut passed = passed.into_inner().unwrap_or_else(|broken| broken.into_inner());
    for (path, why) in choice.rules.iter().flat_map(|rules| rules.skipped_files()) {
        passed.add_unreadable(names.display_name(&path), why);
    }
    let visitors = visitors.into_inner().unwrap_or_else(|broken| broken.into_inner());
    Ok((visitors, passed))
}

/// Returns a thread's visitor to the walk when the thread ends.
struct VisitorGuard<'w, V> {
    visitor: Option<V>,
    visitors: &'w Mutex<Vec<V>>,
}

impl<V: EntryVisitor> VisitorGuard<'_, V> {
    fn visit_entry(&mut self, entry: &DirEntry, checked: &ResolvedScope) {
        if entry.depth() == 0 && is_folder(entry) {
            return;
        }
        if !is_folder(entry) && checked.globs.matched(entry.path(), false).is_ignore() {
            return;
        }
        if let Some(visitor) = &mut self.visitor {
            visitor.visit(entry);
        }
    }
}

impl<V> Drop for VisitorGuard<'_, V> {
    fn drop(&mut self) {
        let mut visitors = self.visitors.lock().unwrap_or_else(|broken| broken.into_inner());
        visitors.extend(self.visitor.take());
    }
}

/// Iterates over the regular files below `root` that a default search examines, by path. Hidden
/// files are left out even where an ignore rule such as `!.github` includes them. Links are not
/// followed, and folders that cannot be listed are skipped. With `only`, just the existing files
/// among those paths are returned.
pub fn visible_files(
    root: &Path,
    only: Option<&[PathBuf]>,
    depth_max: usize,
) -> impl Iterator<Item = PathBuf> + use<> {
    let root = path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let rules = IgnoreRules::new(&root);
    let mut builder = unfiltered_walker(&root);
    builder.max_depth(Some(depth_max)).sort_by_file_path(Ord::cmp);
    let wanted: Option<Vec<PathBuf>> = only.map(<[PathBuf]>::to_vec);
    builder.filter_entry(move |entry| {
        let path = entry.path();
        let is_wanted =
            wanted.as_ref().is_none_or(|all| all.iter().any(|one| one.starts_with(path)));
        let is_top = entry.depth() == 0;
        is_wanted
            && (is_top
                || !is_hidden(entry) && !rules.match_path(path, is_folder(entry)).is_ignore())
    });
    let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    builder.build().flatten().filter(is_file).map(DirEntry::into_path)
}

/// Creates a walker that follows no links and skips nothing. The `ignore` crate must not read the
/// ignore files itself: it would block on a pipe in their place, and read a device endlessly.
fn unfiltered_walker(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.follow_links(false).standard_filters(false);
    builder
}

fn build_walker(checked: &ResolvedScope, choice: Arc<EntryFilter>) -> WalkBuilder {
    let mut builder = unfiltered_walker(&checked.root);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    builder.threads(if checked.is_folder { threads } else { 1 }).max_depth(Some(DEPTH_MAX));
    if let Some(types) = &checked.types {
        builder.types(types.clone());
    }
    builder.filter_entry(move |entry| choice.includes(entry));
    builder
}

/// The filter of files and folders in a walk, apart from file types.
struct EntryFilter {
    /// `None` if ignored files are included.
    rules: Option<IgnoreRules>,
    hidden: bool,
    types: Option<Types>,
    /// The globs, if any of them excludes.
    excludes: Option<Override>,
    excluded_folders: Vec<PathBuf>,
}

impl EntryFilter {
    fn new(scope: &SearchScope, checked: &ResolvedScope) -> Self {
        let excludes = checked.globs.num_ignores() > 0;
        Self {
            rules: (!scope.include_ignored).then(|| IgnoreRules::new(&checked.root)),
            hidden: scope.include_hidden,
            types: checked.types.clone(),
            excludes: excludes.then(|| checked.globs.clone()),
            excluded_folders: checked.excluded_folders.clone(),
        }
    }

    fn includes(&self, entry: &DirEntry) -> bool {
        let (path, is_folder) = (entry.path(), is_folder(entry));
        let is_excluded =
            self.excludes.as_ref().is_some_and(|globs| globs.matched(path, true).is_ignore());
        if is_folder && (is_excluded || self.excluded_folders.iter().any(|folder| folder == path)) {
            return false;
        }
        if entry.depth() == 0 {
            return true;
        }
        let verdict =
            self.rules.as_ref().map_or(Match::None, |rules| rules.match_path(path, is_folder));
        // Git's own files are not part of the user's work.
        if verdict.is_ignore() || entry.file_name() == ".git" {
            return false;
        }
        let is_asked_for = |types: &Types| types.matched(path, is_folder).is_whitelist();
        self.hidden
            || !is_hidden(entry)
            || verdict.is_whitelist()
            || self.types.as_ref().is_some_and(is_asked_for)
    }
}

fn is_folder(entry: &DirEntry) -> bool {
    entry.file_type().is_some_and(|kind| kind.is_dir())
}

fn is_hidden(entry: &DirEntry) -> bool {
    entry.file_name().as_encoded_bytes().starts_with(b".")
}
