//! The workspace of a session: its roots, its working directory, and the files in focus.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_workspace::file_search::{SkippedFiles, path_for_display};
use foveal_workspace::{PathError, PathKey, WorkspaceRoots};

/// The workspace of a session.
#[derive(Debug)]
pub(crate) struct SessionWorkspace(Mutex<WorkspaceState>);

#[derive(Debug)]
struct WorkspaceState {
    roots: WorkspaceRoots,
    /// Files that are always shown whole.
    focus: BTreeMap<PathKey, PathBuf>,
    has_noted_unconfined: bool,
    has_noted_protection: bool,
    has_noted_incomplete: bool,
    /// The files that may hold secrets and that a search has reported as not searched.
    reported_files: BTreeSet<String>,
}

impl SessionWorkspace {
    /// Creates a workspace with the working directory of `roots`.
    pub(crate) fn new(roots: WorkspaceRoots) -> Self {
        Self(Mutex::new(WorkspaceState {
            roots,
            focus: BTreeMap::new(),
            has_noted_unconfined: false,
            has_noted_protection: false,
            has_noted_incomplete: false,
            reported_files: BTreeSet::new(),
        }))
    }

    /// Returns the roots. Relative paths start at the working directory.
    pub(crate) fn roots(&self) -> WorkspaceRoots {
        self.lock_state().roots.clone()
    }

    /// Sets the folder in which commands and relative paths start.
    pub(crate) fn set_working_directory(&self, folder: &Path) -> Result<(), PathError> {
        let roots = self.roots().with_working_directory(&path_for_display(folder))?;
        self.lock_state().roots = roots;
        Ok(())
    }

    /// If the working directory is missing, changes to its nearest existing ancestor in the roots.
    /// Returns the missing folder and the new one.
    pub(crate) fn leave_missing_folder(&self) -> Option<(PathBuf, PathBuf)> {
        let roots = self.roots();
        let gone = roots.working_directory();
        if gone.is_dir() {
            return None;
        }
        let is_inside = |folder: &Path| roots.all().any(|root| folder.starts_with(root.path()));
        let left = gone.ancestors().find(|folder| folder.is_dir() && is_inside(folder))?;
        self.set_working_directory(left).ok()?;
        Some((gone.to_owned(), left.to_owned()))
    }

    /// Returns the absolute paths of the files that are always shown whole.
    pub(crate) fn focused_files(&self) -> BTreeMap<PathKey, PathBuf> {
        self.lock_state().focus.clone()
    }

    pub(crate) fn set_focus(&self, focus: BTreeMap<PathKey, PathBuf>) {
        self.lock_state().focus = focus;
    }

    pub(crate) fn is_in_focus(&self, key: &PathKey) -> bool {
        self.lock_state().focus.contains_key(key)
    }

    /// Returns true on the first call: the user must be told that commands are not confined.
    pub(crate) fn take_unconfined_notice(&self) -> bool {
        !std::mem::replace(&mut self.lock_state().has_noted_unconfined, true)
    }

    /// Returns true on the first call: the model must be told how forbidden files are protected.
    pub(crate) fn take_protection_notice(&self) -> bool {
        !std::mem::replace(&mut self.lock_state().has_noted_protection, true)
    }

    /// Returns true on the first call: the model must be told that some forbidden files are
    /// unprotected.
    pub(crate) fn take_incomplete_notice(&self) -> bool {
        !std::mem::replace(&mut self.lock_state().has_noted_incomplete, true)
    }

    /// Removes the protected files that an answer has reported before, and records the others.
    pub(crate) fn retain_unreported_files(&self, skipped: &mut SkippedFiles) {
        let mut state = self.lock_state();
        let listed = skipped.protected_first.len() as u64;
        let roots = state.roots.clone();
        let absolute = |path: &String| roots.working_directory().join(path).display().to_string();
        skipped.protected_first.retain(|path| state.reported_files.insert(absolute(path)));
        let repeated = listed - skipped.protected_first.len() as u64;
        skipped.protected -= repeated.min(skipped.protected);
        if skipped.protected_first.is_empty() {
            skipped.protected = 0;
        }
    }

    /// Forgets which files were reported.
    pub(crate) fn forget_reported_files(&self) {
        self.lock_state().reported_files.clear();
    }

    fn lock_state(&self) -> MutexGuard<'_, WorkspaceState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
