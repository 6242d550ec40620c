//! The guard's program and its arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The first argument of a program that runs as a guard.
pub const GUARD_ARGUMENT: &str = "guard-a-command";

/// A program that calls [`run_guard`](super::run_guard) with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuardProgram(PathBuf);

/// The kind of program that a guard starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GuardTarget {
    /// A command without a terminal.
    Command,
    /// The first process of a terminal, which is the guard's input.
    Terminal,
    /// As [`Self::Terminal`], in the process that becomes the program: it takes the terminal first.
    TerminalProgram,
}

impl GuardTarget {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Command, "command"),
        (Self::Terminal, "terminal"),
        (Self::TerminalProgram, "program"),
    ];

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl GuardProgram {
    /// The running executable, even after its file was replaced.
    #[must_use]
    pub fn current_executable() -> Self {
        Self(PathBuf::from("/proc/self/exe"))
    }

    /// A program of the caller's choice.
    #[must_use]
    pub fn from_path(program: PathBuf) -> Self {
        Self(program)
    }

    /// Returns the path of the program.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the arguments of a guard that starts the program in the file `orders`. They do not
    /// contain the command, so that a command that kills programs by their command lines (`pkill
    /// -f`) spares its guard.
    pub(crate) fn arguments(kind: GuardTarget, orders: &Path) -> [OsString; 4] {
        let parent = rustix::process::getpid().as_raw_nonzero().to_string();
        [GUARD_ARGUMENT.into(), kind.name().into(), parent.into(), orders.into()]
    }
}
