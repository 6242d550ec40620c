//! All rules of a walk.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::folder::{Folder, Texts};

/// Lines of rules that one walk takes in. Each becomes a part of an automaton; the largest
/// repositories have some thousand.
const LINES_MAX: usize = 50_000;

/// The rules of a walk, read as its folders are met.
pub(in crate::tree) struct Rules {
    /// What the user ignores everywhere.
    global: Gitignore,
    /// The rules that hold right in a folder, by its path. Folders without rules of their own
    /// share those of the folder above.
    folders: RwLock<HashMap<PathBuf, Option<Arc<Folder>>>>,
    lines_left: AtomicUsize,
    /// Files of rules that were passed over, and why.
    unread: Mutex<BTreeMap<PathBuf, String>>,
}

impl Rules {
    /// The rules for a walk of `root`, an absolute path.
    pub(in crate::tree) fn new(root: &Path) -> Self {
        let (global, _invalid) = GitignoreBuilder::new(root).build_global();
        Self {
            global,
            folders: RwLock::default(),
            lines_left: AtomicUsize::new(LINES_MAX),
            unread: Mutex::default(),
        }
    }

    /// What the rules say of `path`; of what lies in a folder that is left out they are not
    /// asked.
    pub(in crate::tree) fn verdict(&self, path: &Path, is_folder: bool) -> Match<()> {
        let near = path.parent().and_then(|folder| self.of(folder));
        let verdict = near.map_or(Match::None, |folder| folder.verdict(path, is_folder));
        verdict.or(self.global.matched(path, is_folder).map(|_| ()))
    }

    /// The files of rules that were passed over, and why, by path.
    pub(in crate::tree) fn unread(&self) -> BTreeMap<PathBuf, String> {
        self.unread.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The rules that hold right in `folder`.
    fn of(&self, folder: &Path) -> Option<Arc<Folder>> {
        if let Some(known) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(folder)
        {
            return known.clone();
        }
        let above = folder.parent().and_then(|above| self.of(above));
        let own = self.read(folder, above);
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.entry(folder.to_owned()).or_insert(own).clone()
    }

    fn read(&self, folder: &Path, above: Option<Arc<Folder>>) -> Option<Arc<Folder>> {
        let mut texts = Texts::read(folder);
        for (path, error) in std::mem::take(&mut texts.unread) {
            self.pass(path, &error.to_string());
        }
        let lines = texts.lines();
        let take = |left: usize| left.checked_sub(lines);
        if self.lines_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            self.pass(folder.to_owned(), &format!("more than {LINES_MAX} lines of rules"));
            texts.clear();
        }
        if texts.is_empty() {
            return above;
        }
        Some(Arc::new(Folder::new(folder, &texts, above)))
    }

    fn pass(&self, path: PathBuf, why: &str) {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        unread.insert(path, format!("its rules are not used: {why}"));
    }
}
