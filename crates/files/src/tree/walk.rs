//! The walk that all answers come from.

use std::path::{self, Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use foveal_cancel::Cancel;
use ignore::overrides::Override;
use ignore::types::Types;
use ignore::{DirEntry, Match, WalkBuilder, WalkState};

use super::answer::Passed;
use super::ignored::Rules;
use super::name::Names;
use super::scope::{Checked, Scope, TreeError};

/// Threads that walk; more hardly help on one disk.
const THREADS_MAX: usize = 12;
/// Folders below folders.
const DEPTH_MAX: usize = 256;

/// What one thread does with what it finds. What it holds is given back at the end.
pub(super) trait Visitor: Send {
    /// A file, folder or link below the root; the root itself if it is a file.
    fn visit(&mut self, entry: &DirEntry);
}

/// Walks a scope with a visitor for each thread, and gives these back with what could not be
/// looked at.
pub(super) fn walk<V: Visitor>(
    scope: &Scope,
    checked: &Checked,
    names: &Names,
    cancel: &Cancel<'_>,
    visitor: impl Fn() -> V + Sync,
) -> Result<(Vec<V>, Passed), TreeError> {
    let stopped = AtomicBool::new(false);
    let visitors = Mutex::new(Vec::new());
    let passed = Mutex::new(Passed::default());
    let choice = Arc::new(Choice::new(scope, checked));
    builder(checked, Arc::clone(&choice)).build_parallel().run(|| {
        let mut seat = Seat { visitor: Some(visitor()), visitors: &visitors };
        let (stopped, passed) = (&stopped, &passed);
        Box::new(move |entry| {
            if stopped.load(Ordering::Relaxed) || cancel.is_cancelled() {
                stopped.store(true, Ordering::Relaxed);
                return WalkState::Quit;
            }
            match entry {
                Ok(entry) => seat.visit(&entry, checked),
                Err(error) => {
                    let mut passed = passed.lock().unwrap_or_else(|broken| broken.into_inner());
                    passed.note(names, &error);
                }
            }
            WalkState::Continue
        })
    });
    if stopped.into_inner() {
        return Err(TreeError::Cancelled);
    }
    let mut passed = passed.into_inner().unwrap_or_else(|broken| broken.into_inner());
    for (path, why) in choice.rules.iter().flat_map(|rules| rules.unread()) {
        passed.unreadable(names.name(&path), why);
    }
    let visitors = visitors.into_inner().unwrap_or_else(|broken| broken.into_inner());
    Ok((visitors, passed))
}

/// A thread's visitor, which is handed back when the thread is done.
struct Seat<'w, V> {
    visitor: Option<V>,
    visitors: &'w Mutex<Vec<V>>,
}

impl<V: Visitor> Seat<'_, V> {
    fn visit(&mut self, entry: &DirEntry, checked: &Checked) {
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

impl<V> Drop for Seat<'_, V> {
    fn drop(&mut self) {
        let mut visitors = self.visitors.lock().unwrap_or_else(|broken| broken.into_inner());
        visitors.extend(self.visitor.take());
    }
}

/// The regular files below `root` that a search looks at unless it is told otherwise, by path.
/// Hidden ones are left out even where a line such as `!.github` asks for them; no link is
/// followed, and what cannot be listed is passed over. With `only`, just those of them that
/// are there.
pub fn visible_files(
    root: &Path,
    only: Option<&[PathBuf]>,
    depth_max: usize,
) -> impl Iterator<Item = PathBuf> + use<> {
    let root = path::absolute(root).unwrap_or_else(|_| root.to_owned());
    let rules = Rules::new(&root);
    let mut builder = plain(&root);
    builder.max_depth(Some(depth_max)).sort_by_file_path(Ord::cmp);
    let wanted: Option<Vec<PathBuf>> = only.map(<[PathBuf]>::to_vec);
    builder.filter_entry(move |entry| {
        let path = entry.path();
        let is_wanted =
            wanted.as_ref().is_none_or(|all| all.iter().any(|one| one.starts_with(path)));
        let is_top = entry.depth() == 0;
        is_wanted
            && (is_top || !is_hidden(entry) && !rules.verdict(path, is_folder(entry)).is_ignore())
    });
    let is_file = |entry: &DirEntry| entry.file_type().is_some_and(|kind| kind.is_file());
    builder.build().flatten().filter(is_file).map(DirEntry::into_path)
}

/// A walk that follows no links and finds everything. The rules of ignore files are not the
/// walker's to read: it would wait for a pipe in their place, and read a device to no end.
fn plain(root: &Path) -> WalkBuilder {
    let mut builder = WalkBuilder::new(root);
    builder.follow_links(false).standard_filters(false);
    builder
}

fn builder(checked: &Checked, choice: Arc<Choice>) -> WalkBuilder {
    let mut builder = plain(&checked.root);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    builder.threads(if checked.is_folder { threads } else { 1 }).max_depth(Some(DEPTH_MAX));
    if let Some(types) = &checked.types {
        builder.types(types.clone());
    }
    builder.filter_entry(move |entry| choice.includes(entry));
    builder
}

/// Which files and folders a walk looks at, apart from its types.
struct Choice {
    /// Nothing where ignored files are meant too.
    rules: Option<Rules>,
    hidden: bool,
    types: Option<Types>,
    /// Globs, if any of them excludes.
    excludes: Option<Override>,
    without: Vec<PathBuf>,
}

impl Choice {
    fn new(scope: &Scope, checked: &Checked) -> Self {
        let excludes = checked.globs.num_ignores() > 0;
        Self {
            rules: (!scope.ignored).then(|| Rules::new(&checked.root)),
            hidden: scope.hidden,
            types: checked.types.clone(),
            excludes: excludes.then(|| checked.globs.clone()),
            without: checked.without.clone(),
        }
    }

    fn includes(&self, entry: &DirEntry) -> bool {
        let (path, is_folder) = (entry.path(), is_folder(entry));
        let is_excluded =
            self.excludes.as_ref().is_some_and(|globs| globs.matched(path, true).is_ignore());
        if is_folder && (is_excluded || self.without.iter().any(|folder| folder == path)) {
            return false;
        }
        if entry.depth() == 0 {
            return true;
        }
        let verdict =
            self.rules.as_ref().map_or(Match::None, |rules| rules.verdict(path, is_folder));
        // What git keeps for itself is no part of what a person wrote.
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
