//! What all protocols have in common, one row each.

use serde_json::Value;

use super::events::Answer;
use super::plan::Reply;
use super::{chat, gemini, messages, responses};

/// What a tool answered, as the model reads it.
#[derive(Debug, Clone)]
pub(crate) struct ToolResult {
    /// The id of the call.
    pub(crate) id: String,
    /// The text, the agent's own frame included.
    pub(crate) text: String,
    /// What the agent says of it in a message behind it.
    pub(crate) context: String,
    /// Whether the agent marked it as an error, where the protocol can say so.
    pub(crate) is_error: bool,
}

/// One protocol.
pub(crate) struct Protocol {
    /// What paths of its requests contain.
    pub(crate) path: &'static str,
    /// The names of the offered tools.
    pub(crate) tools: fn(&Value) -> Vec<String>,
    /// The texts of the user's messages.
    pub(crate) user: fn(&Value) -> Vec<String>,
    /// The answers of tools, in order.
    pub(crate) results: fn(&Value) -> Vec<ToolResult>,
    /// What the model answers.
    pub(crate) answer: fn(&Value, &Reply) -> Answer,
}

/// All protocols.
pub(crate) const PROTOCOLS: [Protocol; 4] =
    [messages::PROTOCOL, responses::PROTOCOL, chat::PROTOCOL, gemini::PROTOCOL];

/// The answers of tools in a request to this path; `None` where it is of no protocol.
pub(crate) fn results_in(path: &str, body: &[u8]) -> Option<Vec<ToolResult>> {
    let protocol = PROTOCOLS.iter().find(|protocol| path.contains(protocol.path))?;
    Some((protocol.results)(&serde_json::from_slice(body).ok()?))
}

/// The elements of a list; none if it is no list.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// A text; empty if it is none.
pub(crate) fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// The text of a content: a string, or parts that may have text. Parts of another kind are
/// written as JSON.
pub(crate) fn content_text(content: &Value) -> String {
    let part = |part: &Value| match part["text"].as_str() {
        Some(text) => text.to_owned(),
        None => part.to_string(),
    };
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().map(part).collect::<Vec<_>>().join("\n"),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => content.to_string(),
    }
}
