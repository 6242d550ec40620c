//! What commands may not write, as rules about writing forbid it: held by the kernel where it
//! stands when a command starts, and looked at afterwards where it did not.

use std::collections::BTreeMap;
use std::path::PathBuf;

use foveal_context::note::RunNote;
use foveal_processes::{Holding, Protection, Sandbox};

use crate::changed_files::ChangedFiles;
use crate::permission::refusal::rule_in_words;
use crate::session::{FOUND_MAX, Forbidden, LOOKED_AT_MAX, Work};

/// What is forbidden, before a command.
pub(crate) struct Before(Forbidden);

impl Before {
    pub(crate) fn look(work: &Work<'_>) -> Self {
        Self(look(work))
    }

    /// Where the command may write.
    pub(crate) fn sandbox(&self, work: &Work<'_>) -> Option<Sandbox> {
        let sandbox = work.toolbox.sandbox.clone()?;
        Some(sandbox.forbidding(self.0.parts()))
    }

    /// What to say after the command, of which `holding` was held.
    pub(crate) fn changes(self, work: &Work<'_>, holding: Option<&Protection>) -> Vec<RunNote> {
        let now = look(work);
        let mut changed = now.changed_since(&self.0);
        changed.extend(work.session.forbidden.changes(|| now.clone()));
        let held = holding.and_then(|protection| tell_protection(work, &self.0, protection));
        let cut = tell_cut(work, &self.0);
        held.into_iter().chain(cut).chain(tell_changed(work, &changed)).collect()
    }

    /// The same after a terminal was opened, which is watched from then on.
    pub(crate) fn begin(self, work: &Work<'_>, holding: Option<&Holding>) -> Vec<RunNote> {
        let protection = holding.map(|holding| &holding.protection);
        let held = protection.and_then(|protection| tell_protection(work, &self.0, protection));
        let told = held.into_iter().chain(tell_cut(work, &self.0)).collect();
        work.session.forbidden.begin(self.0);
        told
    }
}

/// What to say of what changed that is forbidden, since it was looked at last, while terminals run.
pub(crate) fn changes_in_terminals(work: &Work<'_>) -> Option<RunNote> {
    tell_changed(work, &work.session.forbidden.changes(|| look(work)))
}

fn look(work: &Work<'_>) -> Forbidden {
    Forbidden::look(&work.toolbox.policy, &work.roots())
}

/// Tells the person what changed; what to say to the model.
fn tell_changed(work: &Work<'_>, changed: &BTreeMap<PathBuf, usize>) -> Option<RunNote> {
    let (_, rule) = changed.first_key_value()?;
    let rule = rule_in_words(*rule, &work.toolbox.policy.rules[*rule]);
    let told = ChangedFiles::of(work, changed.keys());
    told.tell(work, &format!(", which {rule} forbids to write"));
    Some(RunNote::Forbidden { files: told.files, more: told.more })
}

/// Tells the person and the model, once in a session, where what is forbidden is held in another
/// way than by mounts.
fn tell_protection(work: &Work<'_>, of: &Forbidden, held: &Protection) -> Option<RunNote> {
    let (path, rule) = of.first()?;
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

/// Tells the person and the model, once in a session, that not all is held that patterns forbid.
fn tell_cut(work: &Work<'_>, of: &Forbidden) -> Option<RunNote> {
    if !of.is_cut() || !work.session.workspace.tells_cut() {
        return None;
    }
    let text = format!(
        "permission rules with patterns that forbid writing do not hold for all that commands \
         write here: {LOOKED_AT_MAX} entries of the roots are looked at, outer folders first, and \
         {FOUND_MAX} that match are held. What is beyond is neither held nor told; a rule that names \
         a folder (`docs/**`) holds for all of it"
    );
    work.toolbox.person.tell(&text);
    Some(RunNote::Unconfined(text.into()))
}
