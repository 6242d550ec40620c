//! The log from which a run is resumed.

use crate::tool_answer::ToolAnswer;
use foveal_transcript::TranscriptEntry;

/// An entry of the run log. The driver writes it before it performs later actions.
#[derive(Debug, Clone, PartialEq)]
pub enum RunLogEntry {
    /// The next message of the conversation.
    Message(Box<TranscriptEntry>),
    /// Omitted content that a message names by its handle.
    Content(String),
    /// A call with effects of the last answer begins; its approvals were given.
    CallBegun {
        /// The id of the call.
        id: String,
    },
    /// A call of the last answer is answered while others are not.
    CallAnswered {
        /// The id of the call.
        id: String,
        /// The answer.
        answer: ToolAnswer,
    },
}
