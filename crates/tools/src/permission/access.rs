//! The permissions that calls need, and the access that rules decide about.

use std::borrow::Cow;

use foveal_store::Grant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effect of a permission rule.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Allows the access.
    Allow,
    /// Asks the user.
    Ask,
    /// Forbids the access.
    Deny,
}

/// An access that a call is about to make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Access<'a> {
    /// The tool.
    pub(crate) tool: &'static str,
    /// The path, command or address.
    pub(crate) subject: &'a str,
    /// The subject as the call wrote it, if it is shown in another form. Rules that ask or forbid
    /// apply to both.
    pub(crate) written: Option<&'a str>,
    /// The reason for extra care, such as "may hold secrets", if there is one.
    pub(crate) concern: Option<&'a str>,
    /// Whether the file is outside of the default folder.
    pub(crate) is_outside: bool,
    /// The kind of command, if the subject is one.
    pub(crate) command: Option<CommandKind>,
    /// The parts of a command line that pass without a rule, by position: they only read, or write
    /// to files that may be written.
    pub(crate) harmless_parts: &'a [bool],
    /// Whether the user is asked about all other parts that no rule names.
    pub(crate) asks_unnamed: bool,
}

/// The way in which a shell receives a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommandKind {
    /// As a complete line.
    Line,
    /// As keys typed into a terminal: perhaps a part of a line, or no command at all.
    Typed,
}

impl<'a> Access<'a> {
    /// Creates an access that needs no extra care, to a subject that is no command.
    pub(crate) fn new(tool: &'static str, subject: &'a str) -> Self {
        Self {
            tool,
            subject,
            written: None,
            concern: None,
            is_outside: false,
            command: None,
            harmless_parts: &[],
            asks_unnamed: false,
        }
    }

    /// Returns the grant that is stored if the user allows more than this one access.
    pub(crate) fn wider_grant(&self) -> Grant {
        Grant { tool: self.tool.to_owned(), subject: self.subject.to_owned() }
    }
}

/// The permission that a call needs, as its tool derives it from the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PermissionRequest<'a> {
    /// For the call itself, and nothing else.
    Itself,
    /// For a command, or for keys that may be one.
    Command(CommandKind, &'a str),
    /// For a query or a handle, word for word.
    Text(Cow<'a, str>),
    /// For a web address, in any spelling.
    Address(&'a str),
    /// For all these files and folders; for the call itself if there are none.
    Paths(Vec<&'a str>),
    /// For files, each of which becomes a call to the tool of this name.
    Calls(&'static str, Vec<&'a str>),
}
