//! What a path asks for.

use foveal_wire::Protocol;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// An answer of the model. Whether it is streamed says the body, at Gemini the path.
    Answer {
        /// The API.
        protocol: Protocol,
        /// Whether the path asks for a stream.
        is_stream: bool,
    },
    /// The number of tokens of a prompt.
    CountTokens(Protocol),
    /// The list of models.
    Models,
    /// Something else.
    Unknown,
}

impl Route {
    /// The route of `method` and `path`, a query left out.
    pub fn of(method: &str, path: &str) -> Route {
        let path = path.split('?').next().unwrap_or_default();
        let answer = |protocol| Route::Answer { protocol, is_stream: false };
        match method {
            "GET" | "HEAD" if path.ends_with("/models") => Route::Models,
            "POST" if path.ends_with("/messages") => answer(Protocol::Messages),
            "POST" if path.ends_with("/messages/count_tokens") => {
                Route::CountTokens(Protocol::Messages)
            }
            "POST" if path.ends_with("/chat/completions") => answer(Protocol::Chat),
            "POST" if path.ends_with("/responses") => answer(Protocol::Responses),
            "POST" if path.ends_with(":generateContent") => answer(Protocol::Gemini),
            "POST" if path.ends_with(":streamGenerateContent") => {
                Route::Answer { protocol: Protocol::Gemini, is_stream: true }
            }
            "POST" if path.ends_with(":countTokens") => Route::CountTokens(Protocol::Gemini),
            _ => Route::Unknown,
        }
    }
}
