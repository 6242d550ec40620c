//! A call that a model made.

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
    /// A call that may be answered from an earlier one.
    pub fn new(tool: impl Into<String>, arguments: Value) -> Self {
        Self { tool: tool.into(), arguments, detect_duplicates: true, room: Room::UNBOUNDED }
    }
}
