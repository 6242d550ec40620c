//! What a call asks permission for, and what may be said of it.

use std::borrow::Cow;

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
pub struct Access<'a> {
    /// The tool.
    pub tool: &'static str,
    /// The path, command or address.
    pub subject: &'a str,
    /// What makes it more than the tool's everyday work ("may hold secrets"), if anything does.
    pub concern: Option<&'a str>,
    /// Whether the subject is a command line, or text that a shell may be given.
    pub is_command: bool,
}

impl<'a> Access<'a> {
    /// An access without a concern, to anything but a command.
    pub fn of(tool: &'static str, subject: &'a str) -> Self {
        Self { tool, subject, concern: None, is_command: false }
    }
}

/// What a call asks permission for: each tool says it of its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asks<'a> {
    /// For being made, and nothing else.
    Itself,
    /// For running a command, or for typing what may be one.
    Command(&'a str),
    /// For an address, a query, a handle: word for word.
    Text(Cow<'a, str>),
    /// For files and folders, all of them; for itself, if there are none.
    Paths(Vec<&'a str>),
    /// For files, for each of which a call of its own is made to the tool of this name.
    Calls(&'static str, Vec<&'a str>),
}
