//! The reasons why a call is not executed.

use std::fmt;

use foveal_screen::numbers::PlainCount;
use foveal_workspace::file_search::PatternError;

/// An error of a call. Its text is for the model and the user alike: the cause, and the way to go
/// on.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The tool does not exist.
    #[error("there is no tool `{name}`; there are: {known}")]
    UnknownTool {
        /// The requested name.
        name: String,
        /// The names of all tools.
        known: String,
    },
    /// The arguments are invalid.
    #[error("{tool}: {what}")]
    InvalidArguments {
        /// The tool.
        tool: &'static str,
        /// The fault in the arguments.
        what: String,
    },
    /// A rule or the user refused.
    #[error("not allowed: {what}")]
    Denied {
        /// The refused action, and a way to allow it.
        what: String,
    },
    /// The caller stopped the call.
    #[error("stopped before it was done")]
    Cancelled,
    /// The pattern of a search is invalid.
    #[error(transparent)]
    InvalidPattern(PatternError),
    /// The operation failed.
    #[error("{0}")]
    Failed(ToolFailure),
}

/// A failure, with the error that caused it.
#[derive(Debug)]
pub struct ToolFailure(Box<dyn std::error::Error + Send + Sync>);

impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Most characters of a line in a message. A message may quote a call of any length.
const LINE_CHARS_MAX: usize = 500;

/// Returns a message that is safe to print: control characters escaped, long lines cut.
pub(crate) fn escape_message(message: &str) -> String {
    let spelled = |sign: char| match sign {
        '\t' => vec![sign],
        sign if sign.is_control() => sign.escape_default().collect(),
        sign => vec![sign],
    };
    let shown = |line: &str| {
        let line = match line.len() > LINE_CHARS_MAX {
            // Redaction would no longer recognise a part of a secret where the message is stored.
            true => foveal_redaction::redact_text(line),
            false => line.into(),
        };
        let count = line.chars().count();
        let mut shown: String = line.chars().take(LINE_CHARS_MAX).flat_map(spelled).collect();
        if count > LINE_CHARS_MAX {
            let more = PlainCount::new(count - LINE_CHARS_MAX, "more character");
            shown.push_str(&format!("… and {more}"));
        }
        shown
    };
    message.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

impl ToolError {
    /// Creates a failure from the error that caused it.
    pub fn from_error(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(ToolFailure(error.into()))
    }

    /// Creates an error about the arguments of `tool`.
    pub fn invalid_arguments(tool: &'static str, what: impl Into<String>) -> Self {
        Self::InvalidArguments { tool, what: what.into() }
    }
}
