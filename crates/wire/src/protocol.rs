//! The model APIs that requests and their answers are read of.

/// A model API: what a request body, its answer and the events of a streamed answer look like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// Anthropic's Messages: `POST /v1/messages` and its `count_tokens`.
    Messages,
    /// OpenAI's Chat Completions, and what other servers made of them: `POST /v1/chat/completions`.
    Chat,
    /// OpenAI's Responses over HTTP: `POST /v1/responses`.
    Responses,
    /// Google's `generateContent` and `streamGenerateContent`.
    Gemini,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Protocol; 4] =
        [Protocol::Messages, Protocol::Chat, Protocol::Responses, Protocol::Gemini];

    /// The name in figures and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Messages => "messages",
            Protocol::Chat => "chat",
            Protocol::Responses => "responses",
            Protocol::Gemini => "gemini",
        }
    }
}
