//! Which files that programs obey unasked stand in the roots, and which of them changed.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::fs::Metadata;
use foveal_transcript::ContentHash;

use crate::bounded::{Links, read_regular};
use crate::obeyed::{ObeyedBy, may_hold, obeyed_by};
use crate::roots::{Root, Roots};
use crate::stamp::Stamp;

/// Entries of one folder that are looked at.
const ENTRIES_MAX: usize = 2_000;

/// Entries that are looked at in all: a home folder may be a root.
const LOOKED_AT_MAX: usize = 8_000;

/// Folders below one that is obeyed that are gone into.
const DEPTH_MAX: usize = 3;

/// Bytes of the settings of a repository that are read.
const SETTINGS_BYTES_MAX: u64 = 256 * 1024;

/// Files of editors and agents that also hold what was looked at last.
const BY_THEMSELVES: &[&str] =
    &[".claude.json", "usage.statistics.xml", "workspace.xml", "workspace.json"];

/// What changes all the time in the folder of version control, and runs nothing.
const HARMLESS: &[&str] = &["branch", "fetch", "merge", "pushurl", "rebase", "remote", "url"];

/// The files that programs obey unasked, in each root and in the folders from there to the one
/// that commands start in; with what tells whether they changed.
#[derive(Debug, Clone, Default)]
pub struct ObeyedFiles {
    files: BTreeMap<PathBuf, State>,
    looked_at: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Stamp(Stamp),
    /// Of settings of a repository, those that may run something.
    Settings(ContentHash),
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
                found.look_in(root, folder, 0);
            }
        }
        found
    }

    /// The files that changed, came or went since `before`. Where there is more than is looked at,
    /// only those that were found both times are compared.
    pub fn changed_since(&self, before: &Self) -> Vec<PathBuf> {
        let is_cut = self.is_full() || before.is_full();
        let is_changed = |path: &&PathBuf| match (self.files.get(*path), before.files.get(*path)) {
            (Some(now), Some(before)) => now != before,
            (now, before) => !is_cut && now != before,
        };
        let all: BTreeSet<&PathBuf> = self.files.keys().chain(before.files.keys()).collect();
        all.into_iter().filter(is_changed).cloned().collect()
    }

    /// Takes a file as it is now for known.
    pub fn know(&mut self, root: &Arc<Root>, relative: &Path) {
        if obeyed_by(relative).is_some() {
            self.add(root, relative);
        }
    }

    fn is_full(&self) -> bool {
        self.looked_at >= LOOKED_AT_MAX
    }

    /// Adds what stands in `folder`, which is `depth` folders below one that is obeyed.
    fn look_in(&mut self, root: &Root, folder: &Path, depth: usize) {
        let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let Ok(entries) = root.dir().read_dir(here) else { return };
        for entry in entries.take(ENTRIES_MAX).flatten() {
            if self.is_full() {
                return;
            }
            self.looked_at += 1;
            let name = entry.file_name();
            let path = folder.join(&name);
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match is_folder {
                true if name == ".git" => self.look_in_git(root, &path),
                true if depth == 0 && may_hold(&name.to_string_lossy()) => {
                    self.look_in(root, &path, 1);
                }
                true if (1..DEPTH_MAX).contains(&depth) => self.look_in(root, &path, depth + 1),
                true => {}
                false if is_watched(&path) => self.add(root, &path),
                false => {}
            }
        }
    }

    /// Of a repository, only its settings and hooks.
    fn look_in_git(&mut self, root: &Root, folder: &Path) {
        self.add(root, &folder.join("config"));
        self.add(root, &folder.join("config.worktree"));
        self.add(root, &folder.join("info/attributes"));
        self.look_in(root, &folder.join("hooks"), DEPTH_MAX);
    }

    fn add(&mut self, root: &Root, path: &Path) {
        let absolute = root.path().join(path);
        let state = match path.ends_with(".git/config") {
            true => settings_of(&absolute),
            false => root.dir().symlink_metadata(path).ok().as_ref().map(state),
        };
        match state {
            Some(state) => self.files.insert(absolute, state),
            None => self.files.remove(&absolute),
        };
    }
}

/// Whether a change of the file at `path` says something: editors and foveal itself write some of
/// theirs all the time.
fn is_watched(path: &Path) -> bool {
    let name = path.file_name().map(OsStr::to_string_lossy).unwrap_or_default();
    match obeyed_by(path) {
        None => false,
        Some(ObeyedBy::Foveal) => matches!(&*name, "config.toml" | "config.json"),
        Some(_) => !BY_THEMSELVES.contains(&&*name),
    }
}

fn state(metadata: &Metadata) -> State {
    State::Stamp(Stamp::of(metadata))
}

/// The settings of a repository without those of branches and remotes, which run nothing.
fn settings_of(path: &Path) -> Option<State> {
    let bytes = read_regular(path, SETTINGS_BYTES_MAX, Links::Refused).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let may_run = |line: &&str| {
        let name = line.trim_start_matches(['[', ' ', '\t']);
        let name = name.split([' ', '=', '\t']).next().unwrap_or_default();
        !HARMLESS.contains(&name.to_ascii_lowercase().as_str())
    };
    let lines: Vec<&str> = text.lines().filter(may_run).collect();
    Some(State::Settings(ContentHash::of(lines.join("\n").as_bytes())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_and_foveal_write_by_themselves_is_not_watched() {
        for (path, is_it) in [
            (".idea/workspace.xml", false),
            (".idea/runConfigurations/a.xml", true),
            (".vscode/tasks.json", true),
            (".mcp.json", true),
            (".claude.json", false),
            (".local/share/foveal/store.db-wal", false),
            (".config/foveal/config.toml", true),
            (".config/foveal/config.json", true),
            ("src/main.rs", false),
        ] {
            assert_eq!(is_watched(Path::new(path)), is_it, "{path}");
        }
    }
}
