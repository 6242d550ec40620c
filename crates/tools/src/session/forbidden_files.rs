//! Snapshots of the files that rules forbid to write, and their changes.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_sandbox::WriteRule;
use foveal_workspace::{Root, WorkspaceRoots};

use crate::permission::{PermissionPolicy, WriteDecision, nearest_decision};

/// Entries of folders that are scanned for patterns, outer folders first.
pub(crate) const SCANNED_ENTRIES_MAX: usize = 10_000;

/// Paths that match patterns and are protected.
pub(crate) const PATTERN_MATCHES_MAX: usize = 512;

/// A snapshot of the files that rules forbid to write.
#[derive(Debug, Clone, Default)]
pub(crate) struct ForbiddenFiles {
    /// Paths that rules name, existing or not.
    named_paths: BTreeMap<PathBuf, WriteDecision>,
    /// Paths that match patterns, with the index of the rule.
    matched_paths: BTreeMap<PathBuf, usize>,
    /// The fingerprints of the forbidden files that exist.
    fingerprints: BTreeMap<PathBuf, FileFingerprint>,
    /// Whether the limits cut the scan short.
    is_incomplete: bool,
}

/// The metadata by which changes of a file are detected.
#[derive(Debug, Clone, PartialEq, Eq)]
struct FileFingerprint {
    device: u64,
    inode: u64,
    /// The size of a file, and its modification and change times. A program can set the
    /// modification time, but not the change time.
    content: Option<(u64, [i64; 4])>,
}

impl ForbiddenFiles {
    /// Scans `roots` for the files that `policy` forbids to write. Relative rules refer to the
    /// first root. Without such rules, nothing is scanned.
    pub(crate) fn scan(policy: &PermissionPolicy, roots: &WorkspaceRoots) -> Self {
        if !policy.forbids_writing() {
            return Self::default();
        }
        let paths: Vec<&Path> = roots.all().map(|root| root.path()).collect();
        let Some(first) = paths.first() else { return Self::default() };
        let mut all =
            Self { named_paths: policy.write_decisions(first, &paths), ..Self::default() };
        all.scan_patterns(policy, roots);
        let named =
            all.named_paths.iter().filter(|(_, said)| !said.is_allowed).map(|(path, _)| path);
        let states = named.chain(all.matched_paths.keys()).filter_map(|path| {
            Some((path.clone(), FileFingerprint::from_metadata(&fs::symlink_metadata(path).ok()?)))
        });
        all.fingerprints = states.collect();
        all
    }

    fn scan_patterns(&mut self, policy: &PermissionPolicy, roots: &WorkspaceRoots) {
        let Some(patterns) = policy.write_patterns() else { return };
        let mut waiting: VecDeque<(&Arc<Root>, PathBuf)> =
            roots.all().map(|root| (root, PathBuf::new())).collect();
        let mut looked_at = 0;
        while let Some((root, folder)) = waiting.pop_front() {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let Ok(entries) = root.dir().read_dir(here) else { continue };
            for entry in entries.flatten() {
                looked_at += 1;
                if looked_at > SCANNED_ENTRIES_MAX
                    || self.matched_paths.len() >= PATTERN_MATCHES_MAX
                {
                    self.is_incomplete = true;
                    return;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let relative = folder.join(entry.file_name());
                // Git's lock files come and go, and writes to `.git` need approval anyway.
                if kind.is_symlink() || entry.file_name() == ".git" {
                    continue;
                }
                let path = root.path().join(&relative);
                let said = roots.rule_path(root, &relative);
                let is_folder = kind.is_dir();
                let rule = match is_folder {
                    true => patterns.folder_forbidding_rule(&said),
                    false => patterns.forbidding_rule(&said),
                };
                match rule {
                    // A forbidden folder covers it.
                    Some(_) if self.is_in_forbidden_folder(&path) => {}
                    Some(rule) => drop(self.matched_paths.insert(path, rule)),
                    None if is_folder => waiting.push_back((root, relative)),
                    None => {}
                }
            }
        }
    }

    fn is_in_forbidden_folder(&self, path: &Path) -> bool {
        nearest_decision(&self.named_paths, path).is_some_and(|said| !said.is_allowed)
    }

    /// Returns the paths that commands must not write although they lie in writable folders.
    pub(crate) fn write_restrictions(&self) -> impl Iterator<Item = (PathBuf, WriteRule)> {
        let named =
            self.named_paths.iter().map(|(path, said)| (path.clone(), said.to_sandbox_writing()));
        let found =
            self.matched_paths.keys().map(|path| (path.clone(), WriteRule::ForbiddenRenamable));
        // Patterns that forbid what a name allows were already checked against all rules.
        named.chain(found)
    }

    /// Returns whether the limits cut the scan short, so that forbidden files may be unprotected.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.is_incomplete
    }

    /// Returns the first existing forbidden file, and the index of its rule.
    pub(crate) fn first_existing(&self) -> Option<(&Path, usize)> {
        self.fingerprints
            .keys()
            .find_map(|path| Some((path.as_path(), self.rule_forbidding(path)?)))
    }

    /// Returns the index of the rule that forbids `path`.
    fn rule_forbidding(&self, path: &Path) -> Option<usize> {
        let named =
            self.named_paths.get(path).filter(|said| !said.is_allowed).map(|said| said.rule);
        self.matched_paths.get(path).copied().or(named)
    }

    /// Returns the files created, removed or changed since `before`, with the indices of their
    /// rules.
    pub(crate) fn changed_since(&self, before: &Self) -> BTreeMap<PathBuf, usize> {
        let is_cut = self.is_incomplete || before.is_incomplete;
        let all: BTreeSet<&PathBuf> =
            self.fingerprints.keys().chain(before.fingerprints.keys()).collect();
        let is_changed =
            |path: &PathBuf| match (self.fingerprints.get(path), before.fingerprints.get(path)) {
                (Some(now), Some(before)) => now != before,
                // The file may lie beyond the limits of one of the scans.
                (now, before) => now != before && (!is_cut || self.named_paths.contains_key(path)),
            };
        let changed = all.into_iter().filter(|path| is_changed(path));
        let rule =
            |path: &PathBuf| self.rule_forbidding(path).or_else(|| before.rule_forbidding(path));
        changed.filter_map(|path| Some((path.clone(), rule(path)?))).collect()
    }
}

impl FileFingerprint {
    fn from_metadata(metadata: &Metadata) -> Self {
        let times =
            [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
        let content = (!metadata.is_dir()).then_some((metadata.size(), times));
        Self { device: metadata.dev(), inode: metadata.ino(), content }
    }
}

/// The last snapshot of the forbidden files; `None` until a terminal is opened.
#[derive(Debug, Default)]
pub(crate) struct ForbiddenFilesWatch(Mutex<Option<ForbiddenFiles>>);

impl ForbiddenFilesWatch {
    /// Starts to watch, from a snapshot made before the first terminal opened.
    pub(crate) fn start_watching(&self, before: ForbiddenFiles) {
        self.lock_snapshot().get_or_insert(before);
    }

    /// Returns the changes since the last snapshot, with the indices of their rules. Calls `look`
    /// only if files are watched.
    pub(crate) fn take_changes(
        &self,
        look: impl FnOnce() -> ForbiddenFiles,
    ) -> BTreeMap<PathBuf, usize> {
        let mut known = self.lock_snapshot();
        let Some(before) = known.take() else { return BTreeMap::new() };
        let now = look();
        let changed = now.changed_since(&before);
        *known = Some(now);
        changed
    }

    fn lock_snapshot(&self) -> MutexGuard<'_, Option<ForbiddenFiles>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
