//! Prompts as requests to OpenAI's Responses. The provider stores nothing: each request has the
//! whole conversation, with the encrypted reasoning that the provider returned.

use foveal_transcript::{ContentBlock, MessageRole, ToolCall, TranscriptEntry};
use serde::Serialize;
use serde_json::json;

use crate::prompt::raw_part::{RawPart, arguments_text, opaque_part, to_raw_part, visible_text};
use crate::prompt::{Prompt, ToolSpec};

/// Types of the model's items that go back unchanged.
const MODEL_ITEM_TYPES: [&str; 1] = ["reasoning"];

/// Types of the user's parts that are sent unchanged.
const USER_PART_TYPES: [&str; 2] = ["input_image", "input_file"];

#[derive(Serialize)]
struct ResponsesRequestBody<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<RawPart>,
    input: Vec<RawPart>,
    store: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    stream: bool,
}

pub(crate) fn encode(prompt: &Prompt<'_>) -> Vec<u8> {
    let first = prompt.entries.split_first().filter(|(first, _)| first.role == MessageRole::System);
    let lone = first.and_then(|(first, rest)| match first.blocks.as_slice() {
        [only] => Some((visible_text(only)?, rest)),
        _ => None,
    });
    let (instructions, rest) = match lone {
        Some((text, rest)) => (Some(text), rest),
        None => (None, prompt.entries),
    };
    let body = ResponsesRequestBody {
        model: prompt.model,
        max_output_tokens: prompt.output_tokens_max,
        instructions,
        tools: prompt.tools.iter().map(tool_definition).collect(),
        input: rest.iter().flat_map(entry_items).collect(),
        store: false,
        include: Vec::from_iter(
            supports_reasoning(prompt.model).then_some("reasoning.encrypted_content"),
        ),
        stream: true,
    };
    serde_json::to_vec(&body).expect("texts and JSON values are JSON")
}

/// Returns whether the request may ask for encrypted reasoning: known models without reasoning
/// refuse it.
fn supports_reasoning(model: &str) -> bool {
    let bare = model.rsplit('/').next().unwrap_or(model);
    !["gpt-3", "gpt-4", "chatgpt-4"].iter().any(|before| bare.starts_with(before))
}

fn tool_definition(tool: &ToolSpec) -> RawPart {
    let ToolSpec { name, description, schema } = tool;
    to_raw_part(&json!({
        "type": "function", "name": name, "description": description, "parameters": schema,
        "strict": false,
    }))
}

fn entry_items(entry: &TranscriptEntry) -> Vec<RawPart> {
    match entry.role {
        MessageRole::System => message_item("developer", entry).into_iter().collect(),
        MessageRole::User => message_item("user", entry).into_iter().collect(),
        MessageRole::Assistant => entry.blocks.iter().filter_map(model_item).collect(),
        MessageRole::Tool => entry.tool_result().into_iter().map(|result| {
            to_raw_part(&json!({
                "type": "function_call_output", "call_id": result.call, "output": result.content,
            }))
        }).collect(),
    }
}

fn message_item(role: &'static str, entry: &TranscriptEntry) -> Option<RawPart> {
    #[derive(Serialize)]
    struct InputMessageItem {
        r#type: &'static str,
        role: &'static str,
        content: Vec<RawPart>,
    }
    let of_text = |text: &str| to_raw_part(&json!({"type": "input_text", "text": text}));
    let parts = entry.blocks.iter();
    let parts = parts.filter_map(|block| {
        visible_text(block).map(of_text).or_else(|| opaque_part(block, &USER_PART_TYPES))
    });
    let content: Vec<RawPart> = parts.collect();
    (!content.is_empty())
        .then(|| to_raw_part(&InputMessageItem { r#type: "message", role, content }))
}

fn model_item(block: &ContentBlock) -> Option<RawPart> {
    match block {
        ContentBlock::Call(ToolCall { id, name, arguments }) => Some(to_raw_part(&json!({
            "type": "function_call", "call_id": id, "name": name, "arguments": arguments_text(arguments),
        }))),
        other => visible_text(other)
            .map(output_text_item)
            .or_else(|| opaque_part(other, &MODEL_ITEM_TYPES)),
    }
}

fn output_text_item(text: &str) -> RawPart {
    let content = json!({"type": "output_text", "text": text});
    to_raw_part(&json!({"type": "message", "role": "assistant", "content": [content]}))
}
