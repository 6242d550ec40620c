//! Prompts as requests to Anthropic's Messages.

use foveal_transcript::{ContentBlock, MessageRole, ToolCall, TranscriptEntry};
use serde::Serialize;
use serde_json::{Value, json};

use crate::prompt::raw_part::{RawPart, opaque_part, to_raw_part, visible_text};
use crate::prompt::{Prompt, ToolSpec};

/// Default output limit in tokens: the maximum that all models in service allow.
const DEFAULT_OUTPUT_TOKENS: u64 = 8_192;

/// Types of the model's blocks that go back unchanged.
const MODEL_BLOCK_TYPES: [&str; 2] = ["thinking", "redacted_thinking"];

/// Types of the user's blocks that are sent unchanged.
const USER_BLOCK_TYPES: [&str; 2] = ["image", "document"];

#[derive(Serialize)]
struct MessagesRequestBody<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<RawPart>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<RawPart>,
    messages: Vec<MessagesRequestMessage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    stream: bool,
}

#[derive(Serialize)]
struct MessagesRequestMessage {
    role: &'static str,
    content: Vec<RawPart>,
}

pub(crate) fn encode(prompt: &Prompt<'_>) -> Vec<u8> {
    let is_system = |entry: &&TranscriptEntry| entry.role == MessageRole::System;
    let system = prompt.entries.iter().take_while(is_system).flat_map(|entry| &entry.blocks);
    let body = MessagesRequestBody {
        model: prompt.model,
        max_tokens: prompt.output_tokens_max.unwrap_or(DEFAULT_OUTPUT_TOKENS),
        tools: prompt.tools.iter().map(tool_definition).collect(),
        system: system.filter_map(visible_text).map(text_part).collect(),
        messages: request_messages(prompt.entries),
        thinking: prompt.drops_bound_thinking.then(adaptive_thinking),
        stream: true,
    };
    serde_json::to_vec(&body).expect("texts and JSON values are JSON")
}

/// Returns the default of models that bind their thinking, except that they continue without
/// thinking blocks whose prefix changed
/// (platform.claude.com/docs/en/build-with-claude/preserved-thinking).
fn adaptive_thinking() -> Value {
    let binding = json!({"prefix_mismatch_behavior": "drop_block"});
    json!({"type": "adaptive", "block_binding": binding})
}

fn tool_definition(tool: &ToolSpec) -> RawPart {
    let ToolSpec { name, description, schema } = tool;
    to_raw_part(&json!({"name": name, "description": description, "input_schema": schema}))
}

fn text_part(text: &str) -> RawPart {
    to_raw_part(&json!({"type": "text", "text": text}))
}

fn request_messages(entries: &[TranscriptEntry]) -> Vec<MessagesRequestMessage> {
    let mut messages: Vec<MessagesRequestMessage> = Vec::new();
    // Whether the last message holds only results, so that a user message is appended to it.
    let mut is_open = false;
    let conversation = entries.iter().skip_while(|entry| entry.role == MessageRole::System);
    for entry in conversation {
        let is_result = entry.role == MessageRole::Tool;
        let (role, content) = match entry.role {
            MessageRole::Assistant => {
                ("assistant", entry.blocks.iter().filter_map(model_part).collect())
            }
            MessageRole::Tool => ("user", result_parts(entry)),
            MessageRole::User | MessageRole::System => {
                ("user", entry.blocks.iter().filter_map(user_part).collect::<Vec<_>>())
            }
        };
        if content.is_empty() {
            continue;
        }
        match messages.last_mut().filter(|_| is_open && role == "user") {
            Some(last) => last.content.extend(content),
            None => messages.push(MessagesRequestMessage { role, content }),
        }
        is_open = is_result;
    }
    messages
}

fn user_part(block: &ContentBlock) -> Option<RawPart> {
    visible_text(block).map(text_part).or_else(|| opaque_part(block, &USER_BLOCK_TYPES))
}

fn model_part(block: &ContentBlock) -> Option<RawPart> {
    match block {
        ContentBlock::Call(call) => Some(tool_use_part(call)),
        other => {
            visible_text(other).map(text_part).or_else(|| opaque_part(other, &MODEL_BLOCK_TYPES))
        }
    }
}

fn tool_use_part(call: &ToolCall) -> RawPart {
    let ToolCall { id, name, arguments } = call;
    // The API accepts only objects: arguments that are no object go back inside of one.
    let input = match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({"arguments": other}),
    };
    to_raw_part(&json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

fn result_parts(entry: &TranscriptEntry) -> Vec<RawPart> {
    let Some(result) = entry.tool_result() else { return Vec::new() };
    let others: Vec<RawPart> =
        entry.blocks.iter().filter_map(|block| opaque_part(block, &USER_BLOCK_TYPES)).collect();
    let mut told = json!({"type": "tool_result", "tool_use_id": result.call});
    if result.is_error {
        told["is_error"] = json!(true);
    }
    if others.is_empty() {
        told["content"] = json!(result.content);
        return vec![to_raw_part(&told)];
    }
    #[derive(Serialize)]
    struct ResultWithParts {
        #[serde(flatten)]
        told: Value,
        content: Vec<RawPart>,
    }
    let said = (!result.content.is_empty()).then(|| text_part(&result.content));
    vec![to_raw_part(&ResultWithParts { told, content: said.into_iter().chain(others).collect() })]
}
