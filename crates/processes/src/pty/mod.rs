//! Terminals that go on between calls: a shell, a debugger, a server under development.
//!
//! Each is a real pseudo-terminal with a process of its own. Output collects in bounds until it
//! is read; nobody interprets it as a screen. All are ended when [`Terminals`] is dropped.

mod reading;
mod session;
mod terminal;
mod terminals;

pub use reading::{Paused, Reading, Wait, Waiting};
pub use terminal::{Size, TerminalCommand};
pub use terminals::{Listed, TerminalError, TerminalId, TerminalLimits, Terminals};
