//! What is asked of a model, before it is put into a protocol.

use foveal_transcript::Entry;
use serde_json::Value;

/// What is asked of a model.
#[derive(Debug, Clone, Copy)]
pub struct Prompt<'a> {
    /// The model's name, as its server knows it.
    pub model: &'a str,
    /// The conversation. System entries that stand first are the system prompt; a later one goes
    /// as a system message where the protocol has such, else as one of the user. Calls and results
    /// have to pair.
    pub entries: &'a [Entry],
    /// The tools that the model may call.
    pub tools: &'a [ToolSpec],
    /// The most tokens of the answer. Messages has to be told; the others decide themselves where
    /// this is `None`.
    pub output_tokens_max: Option<u64>,
    /// Whether Anthropic is told to leave out thinking whose prefix changed. It takes that with a
    /// header of its own alone, and needs it in each later request of the conversation.
    pub drops_bound_thinking: bool,
}

/// A tool as a model is told of it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// The name that calls name it by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// The JSON schema of its arguments, an object.
    pub schema: Value,
}
