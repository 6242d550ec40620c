//! Terminals that continue between calls: a shell, a debugger, a development server.
//!
//! Each is a pseudo-terminal with a process of its own. Output collects in a bounded buffer until
//! it is read, and is not interpreted as a screen. Dropping the [`TerminalPool`] ends all of them.

mod terminal;
mod terminal_output;
mod terminal_session;
mod terminals;

pub use terminal::{TerminalCommand, TerminalSize};
pub use terminal_output::{OutputWait, TerminalReading, WaitControl, WaitOutcome};
pub use terminals::{TerminalError, TerminalId, TerminalLimits, TerminalPool, TerminalSummary};
