//! OpenAI's Chat Completions, and what other servers made of them.

use foveal_transcript::{Block, Call, Entry, Role};
use serde::Serialize;
use serde_json::{Value, json};

use super::part::{Part, as_it_came, part, text};
use super::value::{Prompt, ToolSpec};

/// What OpenRouter wants back of a model's reasoning; a list.
const REASONING: &str = "reasoning_details";

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Part>,
    messages: Vec<Message<'a>>,
    stream: bool,
    stream_options: Value,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    content: Content<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<Part>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<Part>,
}

/// One text is a string, which every server takes; several are parts.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(&'a str),
    Parts(Vec<Part>),
    None,
}

pub(super) fn encode(prompt: &Prompt<'_>) -> Vec<u8> {
    let body = Body {
        model: prompt.model,
        max_tokens: prompt.output_tokens_max,
        tools: prompt.tools.iter().map(tool).collect(),
        messages: prompt.entries.iter().filter_map(message).collect(),
        stream: true,
        stream_options: json!({"include_usage": true}),
    };
    serde_json::to_vec(&body).expect("texts and JSON values are JSON")
}

fn tool(tool: &ToolSpec) -> Part {
    let ToolSpec { name, description, schema } = tool;
    let function = json!({"name": name, "description": description, "parameters": schema});
    part(&json!({"type": "function", "function": function}))
}

fn message(entry: &Entry) -> Option<Message<'_>> {
    let role = match entry.role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => {
            let result = entry.result()?;
            return Some(Message {
                role: "tool",
                tool_call_id: Some(&result.call),
                content: Content::Text(&result.content),
                reasoning_details: None,
                tool_calls: Vec::new(),
            });
        }
    };
    let content = content(entry);
    let tool_calls: Vec<Part> = entry.calls().map(call).collect();
    if matches!(content, Content::None) && tool_calls.is_empty() {
        return None;
    }
    let reasoning = entry.blocks.iter().find_map(|block| as_it_came(block, &[REASONING]));
    let reasoning_details = reasoning.filter(|_| entry.role == Role::Assistant);
    Some(Message { role, tool_call_id: None, content, reasoning_details, tool_calls })
}

fn content(entry: &Entry) -> Content<'_> {
    let mut texts = entry.blocks.iter().filter_map(text);
    let is_image = |block: &&Block| as_it_came(block, &["image_url"]).is_some();
    match (texts.next(), texts.next(), entry.blocks.iter().any(|block| is_image(&block))) {
        (Some(only), None, false) => Content::Text(only),
        (None, _, false) => Content::None,
        (_, _, _) => {
            let of_text = |text: &str| part(&json!({"type": "text", "text": text}));
            let parts = entry.blocks.iter().filter_map(|block| {
                text(block).map(of_text).or_else(|| as_it_came(block, &["image_url"]))
            });
            Content::Parts(parts.collect())
        }
    }
}

fn call(call: &Call) -> Part {
    let function = json!({"name": call.name, "arguments": spelled(&call.arguments)});
    part(&json!({"id": call.id, "type": "function", "function": function}))
}

/// Arguments as the text that the model wrote: what is no object is that text still.
pub(super) fn spelled(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
