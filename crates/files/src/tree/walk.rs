//! The walk that all answers come from.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use foveal_cancel::Cancel;
use ignore::{DirEntry, WalkBuilder, WalkState};

use super::answer::Passed;
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
    builder(scope, checked).build_parallel().run(|| {
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
    let passed = passed.into_inner().unwrap_or_else(|broken| broken.into_inner());
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
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        if entry.depth() == 0 && is_folder {
            return;
        }
        if !is_folder && checked.globs.matched(entry.path(), false).is_ignore() {
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

fn builder(scope: &Scope, checked: &Checked) -> WalkBuilder {
    let mut builder = WalkBuilder::new(&checked.root);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX);
    builder
        .threads(if checked.is_folder { threads } else { 1 })
        .max_depth(Some(DEPTH_MAX))
        .follow_links(false)
        .hidden(!scope.hidden)
        // Who writes a `.gitignore` means it, with git or without.
        .require_git(false)
        .parents(!scope.ignored)
        .ignore(!scope.ignored)
        .git_ignore(!scope.ignored)
        .git_global(!scope.ignored)
        .git_exclude(!scope.ignored);
    if !scope.ignored {
        builder.add_custom_ignore_filename(".rgignore");
    }
    if let Some(types) = &checked.types {
        builder.types(types.clone());
    }
    let excludes = checked.globs.num_ignores() > 0;
    if scope.hidden || excludes || !checked.without.is_empty() {
        let (globs, without) = (checked.globs.clone(), checked.without.clone());
        builder.filter_entry(move |entry| {
            let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
            // What git keeps for itself is no part of what a person wrote.
            let is_git = entry.depth() > 0 && entry.file_name() == ".git";
            let is_named = is_folder && excludes && globs.matched(entry.path(), true).is_ignore();
            let is_without = is_folder && without.iter().any(|folder| folder == entry.path());
            !is_git && !is_named && !is_without
        });
    }
    builder
}
