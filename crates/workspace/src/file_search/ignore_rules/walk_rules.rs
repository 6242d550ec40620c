//! Ignore rules of a whole walk.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::folder_rules::{FolderRules, IgnoreFileTexts};

/// Lines of rules per walk. Each becomes a part of an automaton; the largest repositories have some
/// thousand lines.
const LINES_MAX: usize = 50_000;

/// The ignore rules of a walk, read when a folder is reached.
pub(in crate::file_search) struct IgnoreRules {
    /// The user's global rules.
    global: Gitignore,
    /// The rules that apply in a folder, by its path. Folders without rules of their own share
    /// those of the parent.
    folders: RwLock<HashMap<PathBuf, Option<Arc<FolderRules>>>>,
    lines_left: AtomicUsize,
    /// Ignore files that were skipped, and the reasons.
    skipped_files: Mutex<BTreeMap<PathBuf, String>>,
}

impl IgnoreRules {
    /// Creates the rules for a walk of `root`, an absolute path.
    pub(in crate::file_search) fn new(root: &Path) -> Self {
        let (global, _invalid) = GitignoreBuilder::new(root).build_global();
        Self {
            global,
            folders: RwLock::default(),
            lines_left: AtomicUsize::new(LINES_MAX),
            skipped_files: Mutex::default(),
        }
    }

    /// Matches `path` against the rules. Paths inside an ignored folder are not tested.
    pub(in crate::file_search) fn match_path(&self, path: &Path, is_folder: bool) -> Match<()> {
        let near = path.parent().and_then(|folder| self.folder_rules(folder));
        let verdict = near.map_or(Match::None, |folder| folder.match_path(path, is_folder));
        verdict.or(self.global.matched(path, is_folder).map(|_| ()))
    }

    /// Returns the ignore files that were skipped, with the reasons, by path.
    pub(in crate::file_search) fn skipped_files(&self) -> BTreeMap<PathBuf, String> {
        self.skipped_files.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Returns the rules that apply directly in `folder`.
    fn folder_rules(&self, folder: &Path) -> Option<Arc<FolderRules>> {
        if let Some(known) = self.folders.read().unwrap_or_else(PoisonError::into_inner).get(folder)
        {
            return known.clone();
        }
        let above = folder.parent().and_then(|above| self.folder_rules(above));
        let own = self.read_folder_rules(folder, above);
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        folders.entry(folder.to_owned()).or_insert(own).clone()
    }

    fn read_folder_rules(
        &self,
        folder: &Path,
        above: Option<Arc<FolderRules>>,
    ) -> Option<Arc<FolderRules>> {
        let mut texts = IgnoreFileTexts::read(folder);
        for (path, error) in std::mem::take(&mut texts.unreadable) {
            self.skip_file(path, &error.to_string());
        }
        let lines = texts.line_count();
        let take = |left: usize| left.checked_sub(lines);
        if self.lines_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            self.skip_file(folder.to_owned(), &format!("more than {LINES_MAX} lines of rules"));
            texts.clear_rules();
        }
        if texts.is_empty() {
            return above;
        }
        Some(Arc::new(FolderRules::new(folder, &texts, above)))
    }

    fn skip_file(&self, path: PathBuf, why: &str) {
        let mut unread = self.skipped_files.lock().unwrap_or_else(PoisonError::into_inner);
        unread.insert(path, format!("its rules are ignored: {why}"));
    }
}
