//! What is said of commands that changed files which other programs obey unasked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use foveal_context::note::RunNote;

use crate::changed_files::ChangedFiles;
use crate::session::{ObeyedLook, Work};

/// Folders that are named of those that have more than is looked at.
const CUT_NAMED_MAX: usize = 3;

/// Those files before a command.
pub(crate) struct Before(ObeyedLook);

impl Before {
    pub(crate) fn look(work: &Work<'_>) -> Self {
        Self(ObeyedLook::at(work.roots()))
    }

    /// What to say after the command, something of which `may_last`. What an earlier one left
    /// running may have changed files between the calls, too.
    pub(crate) fn changes(self, work: &Work<'_>, may_last: bool) -> Vec<RunNote> {
        let now = self.0.again();
        let mut changed: BTreeSet<PathBuf> = now.changed_since(&self.0).into_iter().collect();
        let roots = work.roots();
        let next = || if now.is_at(&roots) { now.clone() } else { ObeyedLook::at(roots.clone()) };
        changed.extend(work.session.obeyed.changes(next));
        if may_last {
            work.session.obeyed.begin(next);
        }
        tell_cut(work, &now).into_iter().chain(tell(work, &changed)).collect()
    }
}

/// Begins to watch them, before a terminal is opened; what to say.
pub(crate) fn begin(work: &Work<'_>) -> Option<RunNote> {
    let look = ObeyedLook::at(work.roots());
    let cut = tell_cut(work, &look);
    work.session.obeyed.begin(|| look);
    cut
}

/// What to say of what runs in terminals, since it was looked last.
pub(crate) fn changes_in_terminals(work: &Work<'_>) -> Option<RunNote> {
    let changed = work.session.obeyed.changes(|| ObeyedLook::at(work.roots()));
    tell(work, &changed.into_iter().collect())
}

/// Tells the person; what to say to the model.
fn tell(work: &Work<'_>, changed: &BTreeSet<PathBuf>) -> Option<RunNote> {
    if changed.is_empty() {
        return None;
    }
    let told = ChangedFiles::of(work, changed.iter());
    told.tell(work, "; other programs obey or run such files unasked");
    Some(RunNote::Obeyed { files: told.files, more: told.more })
}

/// Tells the person and the model, once in a session, that there is more than is looked at.
fn tell_cut(work: &Work<'_>, look: &ObeyedLook) -> Option<RunNote> {
    look.cut().next()?;
    if !work.session.workspace.tells_obeyed_cut() {
        return None;
    }
    let roots = work.roots();
    let named = |folder: &Path| format!("`{}`", roots.display_path(folder));
    let folders: Vec<String> = look.cut().take(CUT_NAMED_MAX).map(named).collect();
    let more = look.cut().count().saturating_sub(folders.len());
    let more = if more > 0 { format!(" and {more} more folders") } else { String::new() };
    let text = format!(
        "not all files that other programs obey unasked are looked at when commands run: there are \
         too many or they lie too deep in {}{more}. What is beyond is told only if its whole name \
         is known",
        folders.join(", ")
    );
    work.toolbox.person.tell(&text);
    Some(RunNote::Unconfined(text.into()))
}
