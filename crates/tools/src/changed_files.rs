//! Messages about files that changed while commands ran.

use std::path::PathBuf;

use crate::session::CallContext;

/// Most files that a message names.
const NAMED_MAX: usize = 8;

/// The files that changed, as a message names them.
pub(crate) struct ChangedFiles {
    /// The first files, each in backquotes.
    pub(crate) files: Box<str>,
    /// The number of files beyond those.
    pub(crate) more: usize,
}

impl ChangedFiles {
    /// Names the first of the `changed` files, and counts the others.
    pub(crate) fn from_paths<'a>(
        work: &CallContext<'_>,
        changed: impl ExactSizeIterator<Item = &'a PathBuf>,
    ) -> Self {
        let roots = work.roots();
        let more = changed.len().saturating_sub(NAMED_MAX);
        let quoted = |path: &PathBuf| format!("`{}`", roots.display_path(path));
        let files: Vec<String> = changed.take(NAMED_MAX).map(quoted).collect();
        Self { files: files.join(", ").into(), more }
    }

    /// Notifies the user that the files changed, and `why` that matters.
    pub(crate) fn notify_user(&self, work: &CallContext<'_>, why: &str) {
        let Self { files, more } = self;
        let told = if *more > 0 { format!(" and {more} more") } else { String::new() };
        work.toolbox.user_notifier.notify(&format!(
            "while a command of the agent ran, {files}{told} changed{why}: look at them"
        ));
    }
}
