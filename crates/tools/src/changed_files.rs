//! How files are told of that changed while commands ran.

use std::path::PathBuf;

use crate::session::Work;

/// Files that are named.
const NAMED_MAX: usize = 8;

/// Files that changed.
pub(crate) struct ChangedFiles {
    /// The first of them, each in quotes.
    pub(crate) files: Box<str>,
    /// How many there are beyond those.
    pub(crate) more: usize,
}

impl ChangedFiles {
    /// These, of which there are so many.
    pub(crate) fn of<'a>(
        work: &Work<'_>,
        changed: impl ExactSizeIterator<Item = &'a PathBuf>,
    ) -> Self {
        let roots = work.roots();
        let more = changed.len().saturating_sub(NAMED_MAX);
        let quoted = |path: &PathBuf| format!("`{}`", roots.display_path(path));
        let files: Vec<String> = changed.take(NAMED_MAX).map(quoted).collect();
        Self { files: files.join(", ").into(), more }
    }

    /// Tells the person that they changed, and `why` they should know.
    pub(crate) fn tell(&self, work: &Work<'_>, why: &str) {
        let Self { files, more } = self;
        let told = if *more > 0 { format!(" and {more} more") } else { String::new() };
        work.toolbox.person.tell(&format!(
            "while a command of the agent ran, {files}{told} changed{why}: look at them"
        ));
    }
}
