//! The command by which the model restores omitted content. The model has only a shell for that,
//! and this program may not be in its search path.

use foveal_transcript::Handle;

/// A shell command that prints the content behind a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ExpandCommand {
    /// The command without the handle.
    pub(super) command: String,
}

impl ExpandCommand {
    /// Creates the command for `program`, which is quoted for a shell.
    pub(super) fn from_program(program: &str) -> Self {
        Self { command: format!("{program} expand") }
    }

    /// Returns the command line for `handle`.
    pub(super) fn with_handle(&self, handle: Handle) -> String {
        format!("{} {handle}", self.command)
    }
}
