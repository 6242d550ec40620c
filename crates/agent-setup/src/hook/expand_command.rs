//! The command by which the model restores omitted content. The model has only a shell for that,
//! and this program may not be in its search path.

use foveal_transcript::Handle;

use crate::shell_quoting::shell_quote;

/// A shell command that prints the content behind a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExpandCommand {
    /// The command without the handle.
    pub(super) command: String,
}

impl ExpandCommand {
    /// Creates the command for the path of a program.
    pub fn from_program(program: &str) -> Self {
        Self { command: format!("{} expand", shell_quote(program)) }
    }

    /// Returns the command line for `handle`.
    pub(super) fn with_handle(&self, handle: Handle) -> String {
        format!("{} {handle}", self.command)
    }
}
