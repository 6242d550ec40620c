//! Events of an answer while it is decoded.

use foveal_transcript::ToolCall;

/// An event of a streamed answer. The pieces of a part, joined, are the part.
#[derive(Debug, Clone, PartialEq)]
pub enum DecodedEvent {
    /// A piece of text.
    Text(String),
    /// A piece of readable reasoning.
    Reasoning(String),
    /// The start of a call.
    CallStart {
        /// The id that the result has to name.
        id: String,
        /// The name of the tool.
        name: String,
    },
    /// A piece of a call's arguments: JSON text as the model writes it.
    CallArguments {
        /// The id of the call.
        id: String,
        /// The text of the piece.
        piece: String,
    },
    /// A complete call. If the arguments are no object even after
    /// [`parse_call_arguments`](super::parse_call_arguments), they are the text that the model
    /// wrote.
    CallEnd(ToolCall),
}
