//! How the model gets back what is left out: its one way is a shell, in which this program may
//! not be found by its name.

use foveal_transcript::Handle;

use crate::clients::{Program, quoted};
use crate::environment::Environment;

/// The command that prints what stands behind a handle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Expand {
    /// Without the handle.
    pub(super) command: String,
}

impl Expand {
    /// With the absolute path of this program.
    pub(super) fn new(environment: &Environment) -> Option<Self> {
        let program = Program::own(environment).ok()?;
        Some(Self { command: format!("{} expand", quoted(program.shown())) })
    }

    /// The whole command.
    pub(super) fn of(&self, handle: Handle) -> String {
        format!("{} {handle}", self.command)
    }
}
