//! What is said of commands that changed files which other programs obey unasked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use foveal_context::note::RunNote;
use foveal_files::{ObeyedFiles, Roots};

use crate::changed_files::ChangedFiles;
use crate::session::Work;

/// Those files before a command.
pub(crate) struct Before {
    roots: Roots,
    files: ObeyedFiles,
}

impl Before {
    pub(crate) fn look(work: &Work<'_>) -> Self {
        let roots = work.roots();
        Self { files: ObeyedFiles::look(&roots), roots }
    }

    /// What to say after the command.
    pub(crate) fn changes(self, work: &Work<'_>) -> Option<RunNote> {
        let changed = ObeyedFiles::look(&self.roots).changed_since(&self.files);
        let in_terminals = work.session.obeyed.changes(&work.roots());
        tell(work, &changed.into_iter().chain(in_terminals).collect())
    }
}

/// The same for what runs in terminals, since it was looked last.
pub(crate) fn changes_in_terminals(work: &Work<'_>) -> Option<RunNote> {
    tell(work, &work.session.obeyed.changes(&work.roots()).into_iter().collect())
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
