//! The answer of a tool.

/// The answer of a tool to one call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The text.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// Whether an earlier answer was reused.
    pub cached: bool,
}

impl ToolAnswer {
    /// Returns the answer to a failed call.
    pub fn from_error(text: String) -> Self {
        Self { text, is_error: true, cached: false }
    }
}
