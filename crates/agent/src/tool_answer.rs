//! What tools answer.

/// What a tool answers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolAnswer {
    /// The text.
    pub text: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// Whether an earlier answer was used in place of doing the work again.
    pub cached: bool,
}

impl ToolAnswer {
    /// That a call failed.
    pub fn failed(text: String) -> Self {
        Self { text, is_error: true, cached: false }
    }
}
