//! The purpose of a request by its path.

use foveal_protocols::Protocol;

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiRoute {
    /// An answer of the model. The body tells whether it is streamed; for Gemini, the path does.
    Answer {
        /// The API.
        protocol: Protocol,
        /// Whether the path requests a stream.
        is_stream: bool,
    },
    /// The token count of a prompt.
    CountTokens(Protocol),
    /// The list of models.
    Models,
    /// Any other path.
    Unknown,
}

impl ApiRoute {
    /// Returns the route of `method` and `path`; ignores a query.
    pub fn parse(method: &str, path: &str) -> ApiRoute {
        let path = path.split('?').next().unwrap_or_default();
        let answer = |protocol| ApiRoute::Answer { protocol, is_stream: false };
        match method {
            "GET" | "HEAD" if path.ends_with("/models") => ApiRoute::Models,
            "POST" if path.ends_with("/messages") => answer(Protocol::Messages),
            "POST" if path.ends_with("/messages/count_tokens") => {
                ApiRoute::CountTokens(Protocol::Messages)
            }
            "POST" if path.ends_with("/chat/completions") => answer(Protocol::Chat),
            "POST" if path.ends_with("/responses") => answer(Protocol::Responses),
            "POST" if path.ends_with(":generateContent") => answer(Protocol::Gemini),
            "POST" if path.ends_with(":streamGenerateContent") => {
                ApiRoute::Answer { protocol: Protocol::Gemini, is_stream: true }
            }
            "POST" if path.ends_with(":countTokens") => ApiRoute::CountTokens(Protocol::Gemini),
            _ => ApiRoute::Unknown,
        }
    }
}
