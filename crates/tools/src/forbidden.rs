//! What commands may not write, as rules about writing forbid it: held by the kernel where it
//! stands when a command starts, and looked at afterwards where it did not.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, Metadata};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_context::note::RunNote;
use foveal_files::{Root, Roots};
use foveal_processes::{Holding, Protection, Sandbox, Writing};

use crate::permission::refusal::rule_in_words;
use crate::permission::{Policy, Said, nearest};
use crate::session::Work;

/// Entries of folders that are looked at for what patterns forbid, those of outer folders first.
const LOOKED_AT_MAX: usize = 10_000;

/// What patterns forbid that is held, at most.
const FOUND_MAX: usize = 512;

/// Files that are named.
const NAMED_MAX: usize = 8;

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
    /// Of a file: its size, and when it changed.
    content: Option<(u64, i64, i64)>,
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
        let named = self.named.iter().map(|(path, said)| {
            let writing = if said.is_allowed { Writing::Allowed } else { Writing::Forbidden };
            (path.clone(), writing)
        });
        let found = self.found.keys().map(|path| (path.clone(), Writing::ForbiddenInPlace));
        // A pattern that forbids what a name allows was looked at with all rules.
        named.chain(found)
    }

    /// The rule that forbids `path`, by its place from 0.
    fn rule_of(&self, path: &Path) -> Option<usize> {
        let named = self.named.get(path).filter(|said| !said.is_allowed).map(|said| said.rule);
        self.found.get(path).copied().or(named)
    }

    /// What came, went or changed since `before`, with the rules that forbid it.
    fn changed_since(&self, before: &Self) -> BTreeMap<PathBuf, usize> {
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
        let content = (metadata.size(), metadata.mtime(), metadata.mtime_nsec());
        let content = (!metadata.is_dir()).then_some(content);
        Self { device: metadata.dev(), inode: metadata.ino(), content }
    }
}

/// What is forbidden, before a command.
pub(crate) struct Before(Forbidden);

impl Before {
    pub(crate) fn look(work: &Work<'_>) -> Self {
        Self(Forbidden::look(&work.toolbox.policy, &work.roots()))
    }

    /// Where the command may write.
    pub(crate) fn sandbox(&self, work: &Work<'_>) -> Option<Sandbox> {
        let sandbox = work.toolbox.sandbox.clone()?;
        Some(sandbox.forbidding(self.0.parts()))
    }

    /// What to say after the command, of which `holding` was held.
    pub(crate) fn changes(self, work: &Work<'_>, holding: Option<&Protection>) -> Vec<RunNote> {
        let now = Forbidden::look(&work.toolbox.policy, &work.roots());
        let mut changed = now.changed_since(&self.0);
        changed.extend(work.session.forbidden.changes(work));
        let held = holding.and_then(|protection| tell_protection(work, &self.0, protection));
        held.into_iter().chain(tell_changed(work, &changed)).collect()
    }

    /// The same after a terminal was opened, which is watched from then on.
    pub(crate) fn begin(self, work: &Work<'_>, holding: Option<&Holding>) -> Option<RunNote> {
        let protection = holding.map(|holding| &holding.protection);
        let held = protection.and_then(|protection| tell_protection(work, &self.0, protection));
        work.session.forbidden.known().get_or_insert(self.0);
        held
    }
}

/// What is forbidden as it stood when it was looked at last; nothing as long as no terminal was
/// opened.
#[derive(Debug, Default)]
pub(crate) struct ForbiddenWatch(Mutex<Option<Forbidden>>);

impl ForbiddenWatch {
    fn changes(&self, work: &Work<'_>) -> BTreeMap<PathBuf, usize> {
        let mut known = self.known();
        let Some(before) = known.take() else { return BTreeMap::new() };
        let now = Forbidden::look(&work.toolbox.policy, &work.roots());
        let changed = now.changed_since(&before);
        *known = Some(now);
        changed
    }

    fn known(&self) -> MutexGuard<'_, Option<Forbidden>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What to say of what changed that is forbidden, since it was looked at last, while terminals run.
pub(crate) fn changes_in_terminals(work: &Work<'_>) -> Option<RunNote> {
    tell_changed(work, &work.session.forbidden.changes(work))
}

/// Tells the person what changed; what to say to the model.
fn tell_changed(work: &Work<'_>, changed: &BTreeMap<PathBuf, usize>) -> Option<RunNote> {
    let (_, rule) = changed.first_key_value()?;
    let files = listed(work, changed.keys());
    let more = changed.len().saturating_sub(NAMED_MAX);
    let told = if more > 0 { format!(" and {more} more") } else { String::new() };
    let rule = rule_in_words(*rule, &work.toolbox.policy.rules[*rule]);
    work.toolbox.person.tell(&format!(
        "while a command of the agent ran, {files}{told} changed, which {rule} forbids to write: \
         look at them"
    ));
    Some(RunNote::Forbidden { files: files.into(), more })
}

fn listed<'a>(work: &Work<'_>, paths: impl Iterator<Item = &'a PathBuf>) -> String {
    let roots = work.roots();
    let quoted = |path: &PathBuf| format!("`{}`", roots.display_path(path));
    paths.take(NAMED_MAX).map(quoted).collect::<Vec<_>>().join(", ")
}

/// Tells the person and the model, once in a session, where what is forbidden is held in another
/// way than by mounts.
fn tell_protection(work: &Work<'_>, of: &Forbidden, held: &Protection) -> Option<RunNote> {
    let (path, rule) = of.states.keys().find_map(|path| Some((path, of.rule_of(path)?)))?;
    let rule = rule_in_words(rule, &work.toolbox.policy.rules[rule]);
    let path = work.roots().display_path(path);
    let text = match held {
        Protection::None | Protection::Mounts => return None,
        Protection::Beside { why } => format!(
            "{rule} forbids writing to `{path}`. Commands cannot have mounts of their own here \
             ({why}), so in the folders that such a file or folder lies in they make, rename and \
             remove nothing directly; they write to what else stands there. Where the system \
             allows user name spaces (docs/security.md), only what is forbidden is refused"
        ),
        Protection::Absent { why } => format!(
            "{rule} forbids writing to `{path}`, and nothing holds commands to it here: there is \
             no Landlock, and they cannot have mounts of their own ({why}). Do not write there; \
             with `--require-sandbox` no command runs"
        ),
    };
    if !work.session.workspace.tells_protection() {
        return None;
    }
    work.toolbox.person.tell(&text);
    Some(RunNote::Unconfined(text.into()))
}
