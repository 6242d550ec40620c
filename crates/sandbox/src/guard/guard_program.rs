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
}

/// The arguments of a guard process, before those of its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GuardArguments {
    pub(super) target: GuardTarget,
    /// Whether it is the first process of a process namespace.
    pub(super) is_namespaced: bool,
    /// The file descriptor of its order.
    pub(super) order: i32,
}

impl GuardArguments {
    pub(super) fn to_arguments(self) -> [OsString; 4] {
        let target = match self.target {
            GuardTarget::Command => "command",
            GuardTarget::Terminal => "terminal",
        };
        let place = if self.is_namespaced { "namespace" } else { "host" };
        [GUARD_ARGUMENT.into(), target.into(), place.into(), self.order.to_string().into()]
    }

    /// Parses the words after the first; `None` if they are incomplete.
    pub(super) fn parse(words: &mut impl Iterator<Item = OsString>) -> Option<Self> {
        let target = match words.next()?.to_str()? {
            "command" => GuardTarget::Command,
            "terminal" => GuardTarget::Terminal,
            _ => return None,
        };
        let is_namespaced = words.next()? == "namespace";
        Some(Self { target, is_namespaced, order: words.next()?.to_str()?.parse().ok()? })
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
    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}
