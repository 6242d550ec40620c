//! Where a session works: its roots, the folder that commands start in, the files in focus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_files::tree::name_of;
use foveal_files::{PathError, PathKey, Roots};

/// Where a session works.
#[derive(Debug)]
pub(crate) struct Workspace(Mutex<State>);

#[derive(Debug)]
struct State {
    roots: Roots,
    /// Files that are shown whole.
    focus: BTreeMap<PathKey, PathBuf>,
    told_unconfined: bool,
    told_protection: bool,
    told_cut: bool,
}

impl Workspace {
    /// A session that starts in the working directory of `roots`.
    pub(crate) fn new(roots: Roots) -> Self {
        Self(Mutex::new(State {
            roots,
            focus: BTreeMap::new(),
            told_unconfined: false,
            told_protection: false,
            told_cut: false,
        }))
    }

    /// The roots, relative paths taken from where the session's commands are.
    pub(crate) fn roots(&self) -> Roots {
        self.state().roots.clone()
    }

    /// Has commands, and relative paths, start in `folder` from now on.
    pub(crate) fn work_in(&self, folder: &Path) -> Result<(), PathError> {
        let roots = self.roots().with_working_directory(&name_of(folder))?;
        self.state().roots = roots;
        Ok(())
    }

    /// Goes up to a folder that is there, if the one in which commands are run is gone; the one
    /// that is gone, and the new one.
    pub(crate) fn leave_missing_folder(&self) -> Option<(PathBuf, PathBuf)> {
        let roots = self.roots();
        let gone = roots.working_directory();
        if gone.is_dir() {
            return None;
        }
        let is_inside = |folder: &Path| roots.all().any(|root| folder.starts_with(root.path()));
        let left = gone.ancestors().find(|folder| folder.is_dir() && is_inside(folder))?;
        self.work_in(left).ok()?;
        Some((gone.to_owned(), left.to_owned()))
    }

    /// The files that are shown whole, by their absolute paths.
    pub(crate) fn focus(&self) -> BTreeMap<PathKey, PathBuf> {
        self.state().focus.clone()
    }

    pub(crate) fn set_focus(&self, focus: BTreeMap<PathKey, PathBuf>) {
        self.state().focus = focus;
    }

    pub(crate) fn is_in_focus(&self, key: &PathKey) -> bool {
        self.state().focus.contains_key(key)
    }

    /// Whether the user is still to be told that commands are not confined: once.
    pub(crate) fn tells_unconfined(&self) -> bool {
        !std::mem::replace(&mut self.state().told_unconfined, true)
    }

    /// Whether it is still to be told how forbidden files are held: once.
    pub(crate) fn tells_protection(&self) -> bool {
        !std::mem::replace(&mut self.state().told_protection, true)
    }

    /// Whether it is still to be told that not all is held that patterns forbid: once.
    pub(crate) fn tells_cut(&self) -> bool {
        !std::mem::replace(&mut self.state().told_cut, true)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
