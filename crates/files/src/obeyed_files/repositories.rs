//! What is looked at in the folders of version control.

use std::path::{Path, PathBuf};

use super::{ENTRIES_MAX, ObeyedFiles};
use crate::roots::Root;

/// Files of a repository of git: settings; where it has the rest of itself; which files go through
/// filters; what is done when a rebase goes on. Where a working copy is (`gitdir`) runs nothing.
const OF_GIT: &[&str] =
    &["config", "config.worktree", "commondir", "info/attributes", "rebase-merge/git-rebase-todo"];

/// Files of the others' repositories.
const OF_OTHERS: &[&str] = &[
    "config",
    "hgrc",
    "hgrc-not-shared",
    "sharedpath",
    "repo",
    "repo/config.toml",
    "workspace-config.toml",
    "branch/branch.conf",
];

/// Folders that the name of a submodule may have.
const NAME_PARTS_MAX: usize = 6;

impl ObeyedFiles {
    /// Of a repository, its settings and hooks, and those of its submodules and working copies.
    pub(super) fn look_in_git(&mut self, root: &Root, git: &Path) {
        if !root.dir().metadata(git).is_ok_and(|found| found.is_dir()) {
            return;
        }
        self.look_in_repository(root, git);
        for copy in self.folders(root, &git.join("worktrees")) {
            OF_GIT.iter().for_each(|name| self.add(root, &copy.join(name)));
        }
        self.look_in_modules(root, &git.join("modules"), 0);
    }

    pub(super) fn look_in_others(&mut self, root: &Root, folder: &Path) {
        OF_OTHERS.iter().for_each(|name| self.add(root, &folder.join(name)));
    }

    fn look_in_repository(&mut self, root: &Root, git: &Path) {
        OF_GIT.iter().for_each(|name| self.add(root, &git.join(name)));
        let hooks = git.join("hooks");
        let Ok(mut entries) = root.dir().read_dir(&hooks) else { return };
        for entry in entries.by_ref().take(ENTRIES_MAX).flatten() {
            self.looked_at += 1;
            let name = entry.file_name();
            // Each new repository has examples of this ending, which git does not run.
            if !name.as_encoded_bytes().ends_with(b".sample") {
                self.add(root, &hooks.join(name));
            }
        }
        if entries.next().is_some() {
            self.cut.insert(root.path().join(hooks), false);
        }
    }

    /// Submodules, whose names may have folders.
    fn look_in_modules(&mut self, root: &Root, folder: &Path, depth: usize) {
        for module in self.folders(root, folder) {
            // Whatever it lacks to be a repository may come later.
            self.look_in_repository(root, &module);
            let is_whole = root.dir().symlink_metadata(module.join("HEAD")).is_ok();
            let inner = if is_whole { module.join("modules") } else { module };
            self.look_in_deeper(root, &inner, depth);
        }
    }

    fn look_in_deeper(&mut self, root: &Root, folder: &Path, depth: usize) {
        if depth < NAME_PARTS_MAX {
            self.look_in_modules(root, folder, depth + 1);
        } else if root.dir().symlink_metadata(folder).is_ok() {
            self.cut.insert(root.path().join(folder), false);
        }
    }

    /// The folders in `folder`.
    fn folders(&mut self, root: &Root, folder: &Path) -> Vec<PathBuf> {
        let Ok(mut entries) = root.dir().read_dir(folder) else { return Vec::new() };
        let mut folders = Vec::new();
        for entry in entries.by_ref().take(self.room(ENTRIES_MAX)).flatten() {
            self.looked_at += 1;
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(folder.join(entry.file_name()));
            }
        }
        if entries.next().is_some() {
            self.cut.insert(root.path().join(folder), false);
        }
        folders
    }
}
