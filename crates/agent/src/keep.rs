//! What of a run is to be kept, so that it can be taken up again.

use crate::tool_answer::ToolAnswer;
use foveal_transcript::Entry;

/// Something that is to be kept before what follows it is done.
#[derive(Debug, Clone, PartialEq)]
pub enum Keep {
    /// The next message of the conversation.
    Entry(Box<Entry>),
    /// A text that a message gives a handle of.
    Content(String),
    /// A call of the last answer begins that does more than look: whoever has to allow it has.
    Begun {
        /// The call.
        id: String,
    },
    /// A call of the last answer is answered, while others of it are not.
    Answered {
        /// The call.
        id: String,
        /// The answer.
        answer: ToolAnswer,
    },
}
