//! What comes of an answer, as it comes.

use foveal_transcript::Call;

/// What comes of an answer. The pieces of one part, put together, are that part.
#[derive(Debug, Clone, PartialEq)]
pub enum SaidEvent {
    /// More text.
    Text(String),
    /// More reasoning, as far as it can be read.
    Reasoning(String),
    /// A call begins.
    CallStart {
        /// The id that its result has to name.
        id: String,
        /// The tool.
        name: String,
    },
    /// More of a call's arguments, as the model spells them: a piece of JSON.
    CallArguments {
        /// The call.
        id: String,
        /// The piece.
        piece: String,
    },
    /// A call is complete. Arguments that are no object even after
    /// [`read_arguments`](super::read_arguments) are the text that the model wrote.
    CallEnd(Call),
}
