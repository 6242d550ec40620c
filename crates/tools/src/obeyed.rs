//! What is said of commands that changed files which other programs obey unasked.

use std::collections::BTreeSet;
use std::path::PathBuf;

use foveal_context::note::RunNote;
use foveal_files::{ObeyedFiles, Roots};

use crate::session::Work;

/// Files that are named.
const NAMED_MAX: usize = 8;

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
    let roots = work.roots();
    let quoted = |path: &PathBuf| format!("`{}`", roots.display_path(path));
    let files: Vec<String> = changed.iter().take(NAMED_MAX).map(quoted).collect();
    let files = files.join(", ");
    let more = changed.len().saturating_sub(NAMED_MAX);
    let told = if more > 0 { format!(" and {more} more") } else { String::new() };
    work.toolbox.person.tell(&format!(
        "while a command of the agent ran, {files}{told} changed; other programs obey or run such \
         files unasked: look at them"
    ));
    Some(RunNote::Obeyed { files: files.into(), more })
}
