//! Errors of reading a request body.

/// An error in a request body or in one of its messages. The gateway then passes the client's bytes
/// on unchanged. Offsets are in bytes from the start of the text read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// The body is no JSON object.
    #[error("the body is not a JSON object")]
    NotAnObject,
    /// The bytes end within a value.
    #[error("the JSON ends early, at byte {at}")]
    EndsEarly {
        /// Offset of the end.
        at: usize,
    },
    /// A byte that JSON does not allow there.
    #[error("not valid JSON at byte {at}")]
    Unexpected {
        /// Offset of the byte.
        at: usize,
    },
    /// The brackets are nested too deeply.
    #[error("nested deeper than {depth_max} brackets, at byte {at}")]
    TooDeep {
        /// Offset of the first bracket beyond the limit.
        at: usize,
        /// The limit.
        depth_max: usize,
    },
    /// An element of the list of messages is no JSON object.
    #[error("a message is not a JSON object")]
    NotAMessage,
    /// A message whose brackets match but that is not valid JSON.
    #[error("a message is not valid JSON: {0}")]
    Json(#[from] serde_json::Error),
}
