//! A tool call of a model.

use foveal_engine::entry_facts::DUPLICATE_DETECTION_ARGUMENT;
use foveal_engine::output_budget::OutputBudget;
use serde_json::Value;

/// A tool call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolRequest {
    /// The name of the tool.
    pub tool: String,
    /// The arguments: an object.
    pub arguments: Value,
    /// Whether an earlier call may answer it.
    pub detect_duplicates: bool,
    /// The output budget of the answer, if it is smaller than the session's.
    pub output_budget: OutputBudget,
}

impl ToolRequest {
    /// Creates a call that an earlier one may answer, unless its arguments contain
    /// `enable_duplicate_detection: false`.
    pub fn new(tool: impl Into<String>, mut arguments: Value) -> Self {
        let wish =
            arguments.as_object_mut().and_then(|all| all.remove(DUPLICATE_DETECTION_ARGUMENT));
        let detect_duplicates = wish.is_none_or(|wish| wish != Value::Bool(false));
        Self {
            tool: tool.into(),
            arguments,
            detect_duplicates,
            output_budget: OutputBudget::UNBOUNDED,
        }
    }
}
