//! The members of a body that are looked at: one table.

use crate::protocol::Protocol;

/// A member of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    CacheControl,
    ContextManagement,
    Conversation,
    GenerationConfig,
    MaxTokens,
    Messages,
    Metadata,
    Model,
    OutputConfig,
    OutputFormat,
    PreviousResponse,
    PromptCacheKey,
    Reasoning,
    ReasoningEffort,
    Store,
    Stream,
    System,
    Text,
    Thinking,
    ToolChoice,
    Tools,
    Truncation,
}

/// Every name of a field, with the API that has it; `None` for all of them.
const NAMES: &[(&str, Option<Protocol>, Field)] = &[
    ("cache_control", None, Field::CacheControl),
    ("contents", Some(Protocol::Gemini), Field::Messages),
    ("context_management", None, Field::ContextManagement),
    ("conversation", Some(Protocol::Responses), Field::Conversation),
    ("generationConfig", Some(Protocol::Gemini), Field::GenerationConfig),
    ("generation_config", Some(Protocol::Gemini), Field::GenerationConfig),
    ("input", Some(Protocol::Responses), Field::Messages),
    ("instructions", Some(Protocol::Responses), Field::System),
    ("max_completion_tokens", Some(Protocol::Chat), Field::MaxTokens),
    ("max_output_tokens", Some(Protocol::Responses), Field::MaxTokens),
    ("max_tokens", Some(Protocol::Chat), Field::MaxTokens),
    ("max_tokens", Some(Protocol::Messages), Field::MaxTokens),
    ("messages", Some(Protocol::Chat), Field::Messages),
    ("messages", Some(Protocol::Messages), Field::Messages),
    ("metadata", None, Field::Metadata),
    ("model", None, Field::Model),
    ("output_config", Some(Protocol::Messages), Field::OutputConfig),
    ("output_format", Some(Protocol::Messages), Field::OutputFormat),
    ("previous_response_id", Some(Protocol::Responses), Field::PreviousResponse),
    ("prompt_cache_key", None, Field::PromptCacheKey),
    ("reasoning", None, Field::Reasoning),
    ("reasoning_effort", Some(Protocol::Chat), Field::ReasoningEffort),
    ("response_format", Some(Protocol::Chat), Field::OutputFormat),
    ("store", None, Field::Store),
    ("stream", None, Field::Stream),
    ("system", Some(Protocol::Messages), Field::System),
    ("systemInstruction", Some(Protocol::Gemini), Field::System),
    ("system_instruction", Some(Protocol::Gemini), Field::System),
    ("text", Some(Protocol::Responses), Field::Text),
    ("thinking", None, Field::Thinking),
    ("tool_choice", Some(Protocol::Messages), Field::ToolChoice),
    ("tools", None, Field::Tools),
    ("truncation", Some(Protocol::Responses), Field::Truncation),
];

impl Field {
    /// The field that `protocol` calls so.
    pub(super) fn of(protocol: Protocol, name: &[u8]) -> Option<Self> {
        NAMES
            .iter()
            .find(|(known, of, _)| known.as_bytes() == name && of.is_none_or(|of| of == protocol))
            .map(|(_, _, field)| *field)
    }

    /// A bit for each field.
    pub(super) fn bit(self) -> u32 {
        1 << self as u32
    }

    /// Whether who reads the first of two such members and who reads the last would be told
    /// different conversations.
    pub(super) fn is_of_the_prompt(self) -> bool {
        matches!(
            self,
            Field::Conversation
                | Field::Messages
                | Field::Model
                | Field::PreviousResponse
                | Field::System
                | Field::Tools
        )
    }
}
