//! The model APIs whose requests and answers foveal reads.

use crate::anthropic::MessagesApi;
use crate::gemini::GeminiApi;
use crate::openai_chat::ChatApi;
use crate::openai_responses::ResponsesApi;
use crate::provider_api::ProviderApi;

/// A model API: the form of its request bodies, answers and stream events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// Anthropic's Messages: `POST /v1/messages` and its `count_tokens`.
    Messages,
    /// OpenAI's Chat Completions and its variants on other servers: `POST /v1/chat/completions`.
    Chat,
    /// OpenAI's Responses over HTTP: `POST /v1/responses`.
    Responses,
    /// Google's `generateContent` and `streamGenerateContent`.
    Gemini,
}

impl Protocol {
    /// All protocols.
    pub const ALL: [Protocol; 4] =
        [Protocol::Messages, Protocol::Chat, Protocol::Responses, Protocol::Gemini];

    /// Returns the name used in figures and logs.
    pub const fn name(self) -> &'static str {
        match self {
            Protocol::Messages => "messages",
            Protocol::Chat => "chat",
            Protocol::Responses => "responses",
            Protocol::Gemini => "gemini",
        }
    }

    /// Returns the API's module.
    pub(crate) fn api(self) -> &'static dyn ProviderApi {
        match self {
            Protocol::Messages => &MessagesApi,
            Protocol::Chat => &ChatApi,
            Protocol::Responses => &ResponsesApi,
            Protocol::Gemini => &GeminiApi,
        }
    }
}
