//! Remembered answers to calls, which may answer later calls.

use crate::duplicate_calls::CallTracker;
use foveal_transcript::Handle;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::answer::AnswerDependency;

/// The remembered answer to a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordedAnswer {
    /// The handle of the whole text.
    pub content: Handle,
    /// Bytes of the whole text.
    pub bytes: u64,
    /// The whole answer as structured data, if it is short.
    #[serde(default)]
    pub data: Option<Value>,
    /// The context lines around each hit.
    #[serde(default)]
    pub context_lines: u64,
}

/// The remembered calls of all sessions of a process.
pub type ToolCallTracker = CallTracker<RecordedAnswer, Vec<AnswerDependency>>;
