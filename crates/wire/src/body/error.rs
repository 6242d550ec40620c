//! Why a body cannot be read.

/// Why a request body, or one message of it, cannot be read. The client's bytes are then passed on
/// as they are. Offsets count from the start of what was read, in bytes.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The body is no JSON object.
    #[error("the body is not a JSON object")]
    NotAnObject,
    /// The bytes end within a value.
    #[error("the JSON ends early, at byte {at}")]
    EndsEarly {
        /// Where the bytes end.
        at: usize,
    },
    /// Something stands where JSON has something else.
    #[error("not valid JSON at byte {at}")]
    Unexpected {
        /// Where it stands.
        at: usize,
    },
    /// Brackets are nested deeper than is read.
    #[error("nested deeper than {depth_max} brackets, at byte {at}")]
    TooDeep {
        /// Where the bracket stands that is too much.
        at: usize,
        /// The bound.
        depth_max: usize,
    },
    /// An element of the list of messages is no JSON object.
    #[error("a message is not a JSON object")]
    NotAMessage,
    /// A message that brackets alone do not show to be broken.
    #[error("a message is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
}
