//! Prompts as requests to Chat Completions.

use foveal_transcript::{ContentBlock, MessageRole, ToolCall, TranscriptEntry};
use serde::Serialize;
use serde_json::{Value, json};

use crate::prompt::raw_part::{RawPart, arguments_text, opaque_part, to_raw_part, visible_text};
use crate::prompt::{Prompt, ToolSpec};

/// The type of OpenRouter's reasoning details, a list that has to go back.
const REASONING_DETAILS: &str = "reasoning_details";

#[derive(Serialize)]
struct ChatRequestBody<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<RawPart>,
    messages: Vec<ChatRequestMessage<'a>>,
    stream: bool,
    stream_options: Value,
}

#[derive(Serialize)]
struct ChatRequestMessage<'a> {
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a str>,
    content: ChatMessageContent<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reasoning_details: Option<RawPart>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tool_calls: Vec<RawPart>,
}

/// A message's content. A single text is a string, which every server accepts; several are parts.
#[derive(Serialize)]
#[serde(untagged)]
enum ChatMessageContent<'a> {
    Text(&'a str),
    Parts(Vec<RawPart>),
    None,
}

pub(crate) fn encode(prompt: &Prompt<'_>) -> Vec<u8> {
    let body = ChatRequestBody {
        model: prompt.model,
        max_tokens: prompt.output_tokens_max,
        tools: prompt.tools.iter().map(tool_definition).collect(),
        messages: prompt.entries.iter().filter_map(request_message).collect(),
        stream: true,
        stream_options: json!({"include_usage": true}),
    };
    serde_json::to_vec(&body).expect("texts and JSON values are JSON")
}

fn tool_definition(tool: &ToolSpec) -> RawPart {
    let ToolSpec { name, description, schema } = tool;
    let function = json!({"name": name, "description": description, "parameters": schema});
    to_raw_part(&json!({"type": "function", "function": function}))
}

fn request_message(entry: &TranscriptEntry) -> Option<ChatRequestMessage<'_>> {
    let role = match entry.role {
        MessageRole::System => "system",
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
        MessageRole::Tool => {
            let result = entry.tool_result()?;
            return Some(ChatRequestMessage {
                role: "tool",
                tool_call_id: Some(&result.call),
                content: ChatMessageContent::Text(&result.content),
                reasoning_details: None,
                tool_calls: Vec::new(),
            });
        }
    };
    let content = message_content(entry);
    let tool_calls: Vec<RawPart> = entry.tool_calls().map(call_part).collect();
    if matches!(content, ChatMessageContent::None) && tool_calls.is_empty() {
        return None;
    }
    let reasoning = entry.blocks.iter().find_map(|block| opaque_part(block, &[REASONING_DETAILS]));
    let reasoning_details = reasoning.filter(|_| entry.role == MessageRole::Assistant);
    Some(ChatRequestMessage { role, tool_call_id: None, content, reasoning_details, tool_calls })
}

fn message_content(entry: &TranscriptEntry) -> ChatMessageContent<'_> {
    let mut texts = entry.blocks.iter().filter_map(visible_text);
    let is_image = |block: &&ContentBlock| opaque_part(block, &["image_url"]).is_some();
    match (texts.next(), texts.next(), entry.blocks.iter().any(|block| is_image(&block))) {
        (Some(only), None, false) => ChatMessageContent::Text(only),
        (None, _, false) => ChatMessageContent::None,
        (_, _, _) => {
            let of_text = |text: &str| to_raw_part(&json!({"type": "text", "text": text}));
            let parts = entry.blocks.iter().filter_map(|block| {
                visible_text(block).map(of_text).or_else(|| opaque_part(block, &["image_url"]))
            });
            ChatMessageContent::Parts(parts.collect())
        }
    }
}

fn call_part(call: &ToolCall) -> RawPart {
    let function = json!({"name": call.name, "arguments": arguments_text(&call.arguments)});
    to_raw_part(&json!({"id": call.id, "type": "function", "function": function}))
}
