//! Which program is the guard, and how it is told what to start.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The first argument of a program that stands guard.
pub const ARGUMENT: &str = "guard-a-command";

/// A program that calls [`stand`](super::stand) with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Guard(PathBuf);

/// What a guard starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A command without a terminal.
    Command,
    /// The first process of a terminal, which is the guard's input.
    Terminal,
    /// The same, by a process that has the terminal for its own already: it becomes the program.
    InTerminal,
}

impl Kind {
    const ALL: [(Self, &'static str); 3] =
        [(Self::Command, "command"), (Self::Terminal, "terminal"), (Self::InTerminal, "program")];

    pub(super) fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }
}

impl Guard {
    /// The program that runs this very code, also after its file was replaced.
    #[must_use]
    pub fn this_program() -> Self {
        Self(PathBuf::from("/proc/self/exe"))
    }

    /// A program of the caller's choice.
    #[must_use]
    pub fn at(program: PathBuf) -> Self {
        Self(program)
    }

    /// Where it is.
    pub(crate) fn program(&self) -> &Path {
        &self.0
    }

    /// The arguments with which it starts what `orders` say. They do not have the command in
    /// them: a command that ends programs by their command lines (`pkill -f`) spares its guard.
    pub(crate) fn arguments(kind: Kind, orders: &Path) -> [OsString; 4] {
        let parent = rustix::process::getpid().as_raw_nonzero().to_string();
        [ARGUMENT.into(), kind.name().into(), parent.into(), orders.into()]
    }
}
