//! Which files that programs obey unasked stand in the roots, and which of them changed.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::{DirEntry, Metadata};
use rustix::fs::{AtFlags, statat};

use self::state::State;
use crate::obeyed::{
    ObeyedBy, beside_others, leads_on, may_hold_version, obeyed_by, of_version_control,
};
use crate::roots::{Root, Roots};

/// Entries of one folder that are looked at, and of one that is obeyed with all below it.
const ENTRIES_MAX: usize = 2_000;

/// Entries that are looked at in all: a home folder may be a root.
const LOOKED_AT_MAX: usize = 8_000;

/// Folders below one that is obeyed that are gone into.
const DEPTH_MAX: usize = 8;

/// Files of editors and agents that also hold what was looked at last.
const BY_THEMSELVES: &[&str] =
    &[".claude.json", "usage.statistics.xml", "workspace.xml", "workspace.json"];

/// The files that programs obey unasked, in each root and in the folders from there to the one
/// that commands start in; with what tells whether they changed.
#[derive(Debug, Clone, Default)]
pub struct ObeyedFiles {
    files: BTreeMap<PathBuf, State>,
    /// Folders that have more than was looked at, and whether the known names were asked for there.
    cut: BTreeMap<PathBuf, bool>,
    looked_at: usize,
}

/// A folder that is looked in.
#[derive(Debug)]
struct Folder {
    /// Below the root.
    path: PathBuf,
    /// How many folders it is below one that is not obeyed.
    depth: usize,
}

impl ObeyedFiles {
    /// Looks at the folders. It takes some tenths of a millisecond in most.
    pub fn look(roots: &Roots) -> Self {
        let mut found = Self::default();
        for root in roots.all() {
            let below = roots.working_directory().strip_prefix(root.path());
            let folders: BTreeSet<&Path> = below.map_or_else(
                |_| BTreeSet::from([Path::new("")]),
                |working| working.ancestors().collect(),
            );
            for folder in folders {
                found.look_at(root, folder);
            }
        }
        found
    }

    /// The files that changed, came or went since `before`. Where there is more than is looked at,
    /// those that were found but once count only if they would have been found the other time too.
    pub fn changed_since(&self, before: &Self) -> Vec<PathBuf> {
        let is_changed = |path: &&PathBuf| match (self.files.get(*path), before.files.get(*path)) {
            (Some(now), Some(before)) => now != before,
            (Some(_), None) => before.would_see(path),
            (None, _) => self.would_see(path),
        };
        let all: BTreeSet<&PathBuf> = self.files.keys().chain(before.files.keys()).collect();
        all.into_iter().filter(is_changed).cloned().collect()
    }

    /// The folders that have more than is looked at.
    pub fn cut(&self) -> impl Iterator<Item = &Path> {
        self.cut.keys().map(PathBuf::as_path)
    }

    /// Takes a file as it is now for known.
    pub fn know(&mut self, root: &Arc<Root>, relative: &Path) {
        if obeyed_by(relative).is_some() || may_hold_version(relative) {
            self.add(root, relative);
        }
    }

    /// Whether a file at `path` would have been found.
    fn would_see(&self, path: &Path) -> bool {
        self.cut.iter().all(|(folder, is_asked)| match path.strip_prefix(folder) {
            Ok(below) => *is_asked && by_name::is_seen(below),
            Err(_) => true,
        })
    }

    /// Looks at `folder`, which is a root or on the way to where commands start, and at what in it
    /// is obeyed.
    fn look_at(&mut self, root: &Root, folder: &Path) {
        self.look_in_git(root, &folder.join(".git"));
        let mut obeyed = Vec::new();
        let top = Folder { path: folder.to_owned(), depth: 0 };
        let room = self.room(ENTRIES_MAX);
        let is_cut = self.list(root, &top, room, &mut |folder| obeyed.push(folder));
        // No folder that is gone through leads to these.
        for name in beside_others() {
            self.add(root, &folder.join(name));
        }
        if is_cut {
            self.ask_for_names(root, folder, &mut obeyed);
        }
        for folder in obeyed {
            self.look_through(root, folder);
        }
    }

    /// Looks at a folder that is obeyed and all below it, outer folders first.
    fn look_through(&mut self, root: &Root, folder: Folder) {
        let most = self.looked_at.saturating_add(ENTRIES_MAX);
        let mut waiting = VecDeque::from([folder]);
        while let Some(folder) = waiting.pop_front() {
            let room = self.room(most.saturating_sub(self.looked_at));
            self.list(root, &folder, room, &mut |folder| waiting.push_back(folder));
        }
    }

    /// As many of `most` entries as may still be looked at.
    fn room(&self, most: usize) -> usize {
        LOOKED_AT_MAX.saturating_sub(self.looked_at).min(most)
    }

    /// Adds what stands in a folder, at most `room` entries of it, and gives out the folders in it
    /// to be looked in. Whether there is more.
    fn list(
        &mut self,
        root: &Root,
        folder: &Folder,
        room: usize,
        inner: &mut dyn FnMut(Folder),
    ) -> bool {
        let here = if folder.path.as_os_str().is_empty() { Path::new(".") } else { &folder.path };
        let Ok(mut entries) = root.dir().read_dir(here) else { return false };
        let mut is_cut = false;
        for entry in entries.by_ref().take(room).flatten() {
            self.looked_at += 1;
            let path = folder.path.join(entry.file_name());
            let Some(folder) = self.take(root, &path, &entry, folder.depth) else { continue };
            match folder.depth > DEPTH_MAX {
                true => drop(self.cut.insert(root.path().join(path), false)),
                false => inner(folder),
            }
        }
        if entries.next().is_some() {
            self.cut.insert(root.path().join(&folder.path), false);
            is_cut = true;
        }
        is_cut
    }

    /// Adds an entry of a folder; the folder if it is one to look in.
    fn take(&mut self, root: &Root, path: &Path, entry: &DirEntry, depth: usize) -> Option<Folder> {
        let kind = entry.file_type().ok()?;
        // A link to a folder in the root is gone through as the folder is; links in it are not.
        let is_folder = kind.is_dir() || (depth == 0 && kind.is_symlink() && leads_on(path));
        if !kind.is_dir() && is_watched(path) {
            let state = entry.metadata().ok().and_then(|it| State::of(root.dir(), path, &it));
            self.put(root, path, state);
        }
        if is_folder { self.enter(root, path, depth) } else { None }
    }

    /// A folder that is so many folders below one that is not obeyed, if it is one to look in.
    /// Those of version control are looked at here.
    fn enter(&mut self, root: &Root, path: &Path, depth: usize) -> Option<Folder> {
        let name = path.file_name()?;
        match of_version_control(&name.to_string_lossy()) {
            // It was looked in first.
            Some(".git") if depth == 0 && name == ".git" => {}
            Some(".git") => self.look_in_git(root, path),
            Some(_) => self.look_in_others(root, path),
            None if goes_on(path, depth) => {
                return Some(Folder { path: path.to_owned(), depth: depth + 1 });
            }
            None => {}
        }
        None
    }

    /// Asks for each name that is known in a folder that has more entries than are listed.
    fn ask_for_names(&mut self, root: &Root, folder: &Path, obeyed: &mut Vec<Folder>) {
        self.cut.insert(root.path().join(folder), true);
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(dir) = root.dir().open_dir(here) else { return };
        for name in by_name::all() {
            // Few of them are there, and this is the cheapest way to know.
            if statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW).is_err() {
                continue;
            }
            let path = folder.join(name);
            let Ok(metadata) = dir.symlink_metadata(name) else { continue };
            if !metadata.is_dir() && is_watched(&path) {
                self.put(root, &path, State::of(root.dir(), &path, &metadata));
            }
            let may_be_folder = metadata.is_dir() || metadata.is_symlink();
            if may_be_folder && obeyed.iter().all(|folder| folder.path != path) {
                obeyed.extend(self.enter(root, &path, 0));
            }
        }
    }

    fn add(&mut self, root: &Root, path: &Path) {
        let metadata: Option<Metadata> = root.dir().symlink_metadata(path).ok();
        let state = metadata.filter(|it| !it.is_dir());
        let state = state.and_then(|metadata| State::of(root.dir(), path, &metadata));
        self.put(root, path, state);
    }

    fn put(&mut self, root: &Root, path: &Path, state: Option<State>) {
        let absolute = root.path().join(path);
        match state {
            Some(state) => self.files.insert(absolute, state),
            None => self.files.remove(&absolute),
        };
    }
}

/// Whether a folder that is so many folders below one that is not obeyed is gone into.
fn goes_on(path: &Path, depth: usize) -> bool {
    // Of foveal's own, the settings stand at the top.
    let is_in_foveals = || path.parent().and_then(obeyed_by) == Some(ObeyedBy::Foveal);
    leads_on(path) && (depth == 0 || !is_in_foveals())
}

/// Whether a change of the file at `path` says something: editors and foveal itself write some of
/// theirs all the time.
fn is_watched(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    match obeyed_by(path) {
        None => may_hold_version(path),
        Some(ObeyedBy::Foveal) => matches!(&*name, "config.toml" | "config.json"),
        Some(_) => !BY_THEMSELVES.contains(&&*name),
    }
}

mod by_name;
mod repositories;
mod settings;
mod state;
#[cfg(test)]
mod tests;
