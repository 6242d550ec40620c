//! The table of body members that the scan reads.

/// A member of a request body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BodyField {
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

/// The JSON names of the fields that all APIs have, or that are read alike in all.
const SHARED_FIELDS: &[(&str, BodyField)] = &[
    ("cache_control", BodyField::CacheControl),
    ("context_management", BodyField::ContextManagement),
    ("metadata", BodyField::Metadata),
    ("model", BodyField::Model),
    ("prompt_cache_key", BodyField::PromptCacheKey),
    ("reasoning", BodyField::Reasoning),
    ("store", BodyField::Store),
    ("stream", BodyField::Stream),
    ("thinking", BodyField::Thinking),
    ("tools", BodyField::Tools),
];

impl BodyField {
    /// Returns the field with this name, among those of all APIs and `own_fields`.
    pub(super) fn from_name(own_fields: &[(&str, BodyField)], name: &[u8]) -> Option<Self> {
        let mut fields = SHARED_FIELDS.iter().chain(own_fields);
        fields.find(|(known, _)| known.as_bytes() == name).map(|(_, field)| *field)
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
