//! Commands and terminals that an agent runs: bounded in time and output, ended with all they
//! started, confined where the kernel can.
//!
//! [`Command::run`] is one command from start to end, [`Terminals`] are programs that go on
//! between calls; [`Sandbox`] confines what either may write, and a [`Guard`] sees to it that
//! nothing they start outlives them unseen.
//! Everything is synchronous; whatever waits takes a cancellation token.
//! Unix only: process groups, pipes and terminals are used as they are there.

mod command;
mod decoder;
mod environment;
mod error;
mod group;
mod guard;
mod listed;
mod outcome;
mod output;
mod pty;
mod sandbox;
mod shell;

pub use command::{Command, Limits, Ran};
pub use decoder::Decoder;
pub use environment::Environment;
pub use error::CommandError;
pub use guard::{ARGUMENT as GUARD_ARGUMENT, Guard, has_control_groups, stand as stand_guard};
pub use outcome::{Ending, Outcome};
pub use output::{BoundedOutput, KeepBytes, LeftOut, Output};
pub use pty::{
    Listed, Paused, Reading, Size, TerminalCommand, TerminalError, TerminalId, TerminalLimits,
    Terminals, Wait, Waiting,
};
pub use sandbox::{Confinement, Holding, Protection, Sandbox, Writing};
pub use shell::Shell;
