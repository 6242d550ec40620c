//! What a call asks permission for, and what may be said of it.

use std::borrow::Cow;

use foveal_store::Grant;
use serde::{Deserialize, Serialize};

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It may be done.
    Allow,
    /// The person is asked.
    Ask,
    /// It may not be done.
    Deny,
}

/// What a call is about to touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access<'a> {
    /// The tool.
    pub(crate) tool: &'static str,
    /// The path, command or address.
    pub(crate) subject: &'a str,
    /// The subject as it was written, where it is told in another spelling. Rules that ask or
    /// forbid are about both.
    pub(crate) written: Option<&'a str>,
    /// What makes it more than the tool's everyday work ("may hold secrets"), if anything does.
    pub(crate) concern: Option<&'a str>,
    /// Whether it is a file outside of the folder that is meant without being named.
    pub(crate) is_outside: bool,
    /// What kind of command the subject is, if it is one.
    pub(crate) command: Option<CommandKind>,
    /// Which parts of a plain line pass where no rule names them: they only read, or write to files
    /// that may be written.
    pub(crate) harmless: &'a [bool],
    /// Whether all else of a line is asked about that no rule names.
    pub(crate) asks_unnamed: bool,
}

/// How a command is given to a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandKind {
    /// As a whole line.
    Line,
    /// Typed into a terminal, where it may be a part of a line, or no command at all.
    Typed,
}

impl<'a> Access<'a> {
    /// An access without a concern, to anything but a command.
    pub(crate) fn of(tool: &'static str, subject: &'a str) -> Self {
        Self {
            tool,
            subject,
            written: None,
            concern: None,
            is_outside: false,
            command: None,
            harmless: &[],
            asks_unnamed: false,
        }
    }

    /// What is remembered when the person allows it for more than once.
    pub(crate) fn grant(&self) -> Grant {
        Grant { tool: self.tool.to_owned(), subject: self.subject.to_owned() }
    }
}

/// What a call asks permission for: each tool says it of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asks<'a> {
    /// For being made, and nothing else.
    Itself,
    /// For running a command, or for typing what may be one.
    Command(CommandKind, &'a str),
    /// For a query, a handle: word for word.
    Text(Cow<'a, str>),
    /// For an address of the web, in whatever spelling.
    Address(&'a str),
    /// For files and folders, all of them; for itself, if there are none.
    Paths(Vec<&'a str>),
    /// For files, for each of which a call of its own is made to the tool of this name.
    Calls(&'static str, Vec<&'a str>),
}
