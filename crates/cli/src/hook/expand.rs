//! How the model gets back what is left out: its one way is a shell, in which this program may
//! not be found by its name.

use foveal_transcript::Handle;

/// The command that prints what stands behind a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expand {
    /// Without the handle.
    pub(super) command: String,
}

impl Expand {
    /// By the program of this name, as a shell takes it.
    pub(super) fn by(program: &str) -> Self {
        Self { command: format!("{program} expand") }
    }

    /// The whole command.
    pub(super) fn of(&self, handle: Handle) -> String {
        format!("{} {handle}", self.command)
    }
}
