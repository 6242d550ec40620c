//! A call that a model made.

use foveal_context::facts::DETECT_ARGUMENT;
use foveal_context::room::Room;
use serde_json::Value;

/// A call that a model made.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// The tool's name.
    pub tool: String,
    /// Its arguments: an object.
    pub arguments: Value,
    /// Whether it may be answered from an earlier call like it.
    pub detect_duplicates: bool,
    /// How large its answer may be, where that is less than all answers of the session.
    pub room: Room,
}

impl Request {
    /// A call that may be answered from an earlier one, unless its arguments say
    /// `enable_duplicate_detection: false`.
    pub fn new(tool: impl Into<String>, mut arguments: Value) -> Self {
        let wish = arguments.as_object_mut().and_then(|all| all.remove(DETECT_ARGUMENT));
        let detect_duplicates = wish.is_none_or(|wish| wish != Value::Bool(false));
        Self { tool: tool.into(), arguments, detect_duplicates, room: Room::UNBOUNDED }
    }
}
