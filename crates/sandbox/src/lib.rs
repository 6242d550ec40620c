//! Runs commands and terminals of an agent: bounded in time and output, ended with everything they
//! started, confined as far as the kernel can.
//!
//! [`ShellCommand::run`] runs one command to its end, and a [`TerminalPool`] holds programs that
//! continue between calls. [`Sandbox`] confines the files that either may write, and a
//! [`GuardProgram`] ensures that no process outlives them unseen. All functions are synchronous;
//! those that wait take a cancellation token. Unix only: process groups, pipes and pseudo-terminals
//! are used directly.

mod command;
mod decoder;
mod environment;
mod error;
mod guard;
mod inherited_files;
mod outcome;
mod output;
mod process_group;
mod process_table;
mod pty;
mod sandbox;
mod shell;

pub use command::{CommandLimits, CompletedCommand, ShellCommand};
pub use decoder::Utf8StreamDecoder;
pub use environment::CommandEnvironment;
pub use error::CommandError;
pub use guard::{GUARD_ARGUMENT, GuardProgram, run_guard};
pub use outcome::{CommandOutcome, ProcessExit};
pub use output::{BoundedOutputBuffer, CapturedOutput, OmittedOutput, OutputRetention};
pub use pty::{
    OutputWait, TerminalCommand, TerminalError, TerminalId, TerminalLimits, TerminalPool,
    TerminalReading, TerminalSize, TerminalSummary, WaitControl, WaitOutcome,
};
pub use sandbox::{
    Confinement, Sandbox, SandboxStatus, WriteProtection, WriteRule, bubblewrap_failure,
};
pub use shell::ShellProgram;
