//! The table of body members that the scan reads.

use crate::protocol::Protocol;

/// A member of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyField {
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

/// The JSON names of the fields and their protocol; `None` for all protocols.
const FIELD_NAMES: &[(&str, Option<Protocol>, BodyField)] = &[
    ("cache_control", None, BodyField::CacheControl),
    ("contents", Some(Protocol::Gemini), BodyField::Messages),
    ("context_management", None, BodyField::ContextManagement),
    ("conversation", Some(Protocol::Responses), BodyField::Conversation),
    ("generationConfig", Some(Protocol::Gemini), BodyField::GenerationConfig),
    ("generation_config", Some(Protocol::Gemini), BodyField::GenerationConfig),
    ("input", Some(Protocol::Responses), BodyField::Messages),
    ("instructions", Some(Protocol::Responses), BodyField::System),
    ("max_completion_tokens", Some(Protocol::Chat), BodyField::MaxTokens),
    ("max_output_tokens", Some(Protocol::Responses), BodyField::MaxTokens),
    ("max_tokens", Some(Protocol::Chat), BodyField::MaxTokens),
    ("max_tokens", Some(Protocol::Messages), BodyField::MaxTokens),
    ("messages", Some(Protocol::Chat), BodyField::Messages),
    ("messages", Some(Protocol::Messages), BodyField::Messages),
    ("metadata", None, BodyField::Metadata),
    ("model", None, BodyField::Model),
    ("output_config", Some(Protocol::Messages), BodyField::OutputConfig),
    ("output_format", Some(Protocol::Messages), BodyField::OutputFormat),
    ("previous_response_id", Some(Protocol::Responses), BodyField::PreviousResponse),
    ("prompt_cache_key", None, BodyField::PromptCacheKey),
    ("reasoning", None, BodyField::Reasoning),
    ("reasoning_effort", Some(Protocol::Chat), BodyField::ReasoningEffort),
    ("response_format", Some(Protocol::Chat), BodyField::OutputFormat),
    ("store", None, BodyField::Store),
    ("stream", None, BodyField::Stream),
    ("system", Some(Protocol::Messages), BodyField::System),
    ("systemInstruction", Some(Protocol::Gemini), BodyField::System),
    ("system_instruction", Some(Protocol::Gemini), BodyField::System),
    ("text", Some(Protocol::Responses), BodyField::Text),
    ("thinking", None, BodyField::Thinking),
    ("tool_choice", Some(Protocol::Messages), BodyField::ToolChoice),
    ("tools", None, BodyField::Tools),
    ("truncation", Some(Protocol::Responses), BodyField::Truncation),
];

impl BodyField {
    /// Returns the field with this name in `protocol`.
    pub(super) fn from_name(protocol: Protocol, name: &[u8]) -> Option<Self> {
        FIELD_NAMES
            .iter()
            .find(|(known, of, _)| known.as_bytes() == name && of.is_none_or(|of| of == protocol))
            .map(|(_, _, field)| *field)
    }

    /// Returns the field's bit.
    pub(super) fn bit_mask(self) -> u32 {
        1 << self as u32
    }

    /// Returns whether a duplicate of the member makes the conversation ambiguous: readers that
    /// take the first one and readers that take the last one would see different prompts.
    pub(super) fn affects_prompt(self) -> bool {
        matches!(
            self,
            BodyField::Conversation
                | BodyField::Messages
                | BodyField::Model
                | BodyField::PreviousResponse
                | BodyField::System
                | BodyField::Tools
        )
    }
}
