//! What rules forbid to write, as it stood when it was looked at, and what changed since.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_files::{Root, Roots};
use foveal_processes::Writing;

use crate::permission::{Policy, Said, nearest};

/// Entries of folders that are looked at for what patterns forbid, those of outer folders first.
pub(crate) const LOOKED_AT_MAX: usize = 10_000;

/// What patterns forbid that is held, at most.
pub(crate) const FOUND_MAX: usize = 512;

/// What rules forbid to write, as it stood when it was looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Forbidden {
    /// What rules name, whether it is there or not.
    named: BTreeMap<PathBuf, Said>,
    /// What patterns match, with the rules.
    found: BTreeMap<PathBuf, usize>,
    /// How what is forbidden stood; what is not here was not there.
    states: BTreeMap<PathBuf, State>,
    /// Whether there is more than is looked at.
    is_cut: bool,
}

/// What tells whether something changed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    device: u64,
    inode: u64,
    /// Of a file: its size, and when its content, and anything of it, changed. The first time can
    /// be set, the second cannot.
    content: Option<(u64, [i64; 4])>,
}

impl Forbidden {
    /// Looks at what `policy` forbids to write in `roots`, whose first one relative rules are about.
    /// Without such a rule nothing is looked at.
    pub(crate) fn look(policy: &Policy, roots: &Roots) -> Self {
        if !policy.forbids_writing() {
            return Self::default();
        }
        let paths: Vec<&Path> = roots.all().map(|root| root.path()).collect();
        let Some(first) = paths.first() else { return Self::default() };
        let mut all = Self { named: policy.named_to_write(first, &paths), ..Self::default() };
        all.look_for_patterns(policy, roots);
        let named = all.named.iter().filter(|(_, said)| !said.is_allowed).map(|(path, _)| path);
        let states = named
            .chain(all.found.keys())
            .filter_map(|path| Some((path.clone(), State::of(&fs::symlink_metadata(path).ok()?))));
        all.states = states.collect();
        all
    }

    fn look_for_patterns(&mut self, policy: &Policy, roots: &Roots) {
        let Some(patterns) = policy.patterns_to_write() else { return };
        let mut waiting: VecDeque<(&Arc<Root>, PathBuf)> =
            roots.all().map(|root| (root, PathBuf::new())).collect();
        let mut looked_at = 0;
        while let Some((root, folder)) = waiting.pop_front() {
            let here = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let Ok(entries) = root.dir().read_dir(here) else { continue };
            for entry in entries.flatten() {
                looked_at += 1;
                if looked_at > LOOKED_AT_MAX || self.found.len() >= FOUND_MAX {
                    self.is_cut = true;
                    return;
                }
                let Ok(kind) = entry.file_type() else { continue };
                let relative = folder.join(entry.file_name());
                // Locks of git come and go, and what is in there needs the person's word anyway.
                if kind.is_symlink() || entry.file_name() == ".git" {
                    continue;
                }
                let path = root.path().join(&relative);
                let said = roots.rule_path(root, &relative);
                let is_folder = kind.is_dir();
                let rule = match is_folder {
                    true => patterns.forbid_all_in(&said),
                    false => patterns.forbid(&said),
                };
                match rule {
                    // Its folder is held.
                    Some(_) if self.is_held(&path) => {}
                    Some(rule) => drop(self.found.insert(path, rule)),
                    None if is_folder => waiting.push_back((root, relative)),
                    None => {}
                }
            }
        }
    }

    fn is_held(&self, path: &Path) -> bool {
        nearest(&self.named, path).is_some_and(|said| !said.is_allowed)
    }

    /// The parts of what commands may write that they may not.
    pub(crate) fn parts(&self) -> impl Iterator<Item = (PathBuf, Writing)> {
        let named = self.named.iter().map(|(path, said)| (path.clone(), said.writing()));
        let found = self.found.keys().map(|path| (path.clone(), Writing::ForbiddenInPlace));
        // A pattern that forbids what a name allows was looked at with all rules.
        named.chain(found)
    }

    /// Whether there is more that patterns may forbid than is looked at, or held.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// The first that is there, and the rule that forbids it.
    pub(crate) fn first(&self) -> Option<(&Path, usize)> {
        self.states.keys().find_map(|path| Some((path.as_path(), self.rule_of(path)?)))
    }

    /// The rule that forbids `path`, by its place from 0.
    fn rule_of(&self, path: &Path) -> Option<usize> {
        let named = self.named.get(path).filter(|said| !said.is_allowed).map(|said| said.rule);
        self.found.get(path).copied().or(named)
    }

    /// What came, went or changed since `before`, with the rules that forbid it.
    pub(crate) fn changed_since(&self, before: &Self) -> BTreeMap<PathBuf, usize> {
        let is_cut = self.is_cut || before.is_cut;
        let all: BTreeSet<&PathBuf> = self.states.keys().chain(before.states.keys()).collect();
        let is_changed = |path: &PathBuf| match (self.states.get(path), before.states.get(path)) {
            (Some(now), Some(before)) => now != before,
            // It may be what was not looked at once.
            (now, before) => now != before && (!is_cut || self.named.contains_key(path)),
        };
        let changed = all.into_iter().filter(|path| is_changed(path));
        let rule = |path: &PathBuf| self.rule_of(path).or_else(|| before.rule_of(path));
        changed.filter_map(|path| Some((path.clone(), rule(path)?))).collect()
    }
}

impl State {
    fn of(metadata: &Metadata) -> Self {
        let times =
            [metadata.mtime(), metadata.mtime_nsec(), metadata.ctime(), metadata.ctime_nsec()];
        let content = (!metadata.is_dir()).then_some((metadata.size(), times));
        Self { device: metadata.dev(), inode: metadata.ino(), content }
    }
}

/// What is forbidden as it stood when it was looked at last; nothing as long as no terminal was
/// opened.
#[derive(Debug, Default)]
pub(crate) struct ForbiddenWatch(Mutex<Option<Forbidden>>);

impl ForbiddenWatch {
    /// Begins to watch, with a terminal before which it was looked.
    pub(crate) fn begin(&self, before: Forbidden) {
        self.known().get_or_insert(before);
    }

    /// What changed since it was looked last, with the rules that forbid it. It is looked only where
    /// something is watched.
    pub(crate) fn changes(&self, look: impl FnOnce() -> Forbidden) -> BTreeMap<PathBuf, usize> {
        let mut known = self.known();
        let Some(before) = known.take() else { return BTreeMap::new() };
        let now = look();
        let changed = now.changed_since(&before);
        *known = Some(now);
        changed
    }

    fn known(&self) -> MutexGuard<'_, Option<Forbidden>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
