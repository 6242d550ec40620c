//! Why a call was not carried out.

use std::fmt;

/// Why a call was not carried out. The text is for the model and for a person alike: what
/// happened, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// There is no such tool.
    #[error("there is no tool `{name}`; there are: {known}")]
    NoTool {
        /// What was asked for.
        name: String,
        /// All names.
        known: String,
    },
    /// The arguments are not those of the tool.
    #[error("{tool}: {what}")]
    Arguments {
        /// The tool.
        tool: &'static str,
        /// What is wrong with them.
        what: String,
    },
    /// A rule or the person said no.
    #[error("not allowed: {what}")]
    Denied {
        /// What was asked for, and who may change that.
        what: String,
    },
    /// The caller stopped it.
    #[error("stopped before it was done")]
    Cancelled,
    /// What the tool tried did not work.
    #[error("{0}")]
    Failed(Failure),
}

/// A failure in the words of what failed.
#[derive(Debug)]
pub struct Failure(Box<dyn std::error::Error + Send + Sync>);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// Characters of one line of a message; a call may be as long as it likes, and is told in it.
const LINE_CHARS_MAX: usize = 500;

/// A message that can be printed anywhere: control characters spelled, long lines cut.
pub(crate) fn printable(message: &str) -> String {
    let spelled = |sign: char| match sign {
        '\t' => vec![sign],
        sign if sign.is_control() => sign.escape_default().collect(),
        sign => vec![sign],
    };
    let shown = |line: &str| {
        let line = match line.len() > LINE_CHARS_MAX {
            // A part of a secret would not be recognised any more where the message is stored.
            true => foveal_secrets::without(line),
            false => line.into(),
        };
        let count = line.chars().count();
        let mut shown: String = line.chars().take(LINE_CHARS_MAX).flat_map(spelled).collect();
        if count > LINE_CHARS_MAX {
            shown.push_str(&format!("… and {} characters more", count - LINE_CHARS_MAX));
        }
        shown
    };
    message.split('\n').map(shown).collect::<Vec<_>>().join("\n")
}

impl ToolError {
    /// A failure told by `error`.
    pub fn failed(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(Failure(error.into()))
    }

    /// Arguments that a tool cannot work with.
    pub fn arguments(tool: &'static str, what: impl Into<String>) -> Self {
        Self::Arguments { tool, what: what.into() }
    }
}
