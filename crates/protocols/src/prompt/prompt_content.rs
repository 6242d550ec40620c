//! The content of a prompt before it is encoded for a protocol.

use foveal_transcript::TranscriptEntry;
use serde_json::Value;

/// A request to a model, independent of the protocol.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The model's name as its server knows it.
    pub model: &'a str,
    /// The conversation. Leading system entries are the system prompt; a later one becomes a system
    /// message if the protocol has these, otherwise a user message. Calls and results must pair.
    pub entries: &'a [TranscriptEntry],
    /// The tools that the model may call.
    pub tools: &'a [ToolSpec],
    /// The maximum number of output tokens. If it is `None`, Messages gets a default, since the
    /// protocol requires a value; the other servers decide themselves.
    pub output_tokens_max: Option<u64>,
    /// Whether Anthropic should drop thinking blocks whose prefix changed. This requires a header,
    /// and from then on the option in each request of the conversation.
    pub drops_bound_thinking: bool,
}

/// A tool as described to a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that calls use.
    pub name: String,
    /// The description of the tool's effect.
    pub description: String,
    /// The JSON schema of the arguments, an object.
    pub schema: Value,
}
