//! Request bodies in the form in which clients of the model APIs send them.

use foveal_transcript::{ContentBlock, MessageRole, ToolCall, ToolResult, TranscriptEntry};
use serde_json::{Value, json};

/// A model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelApi {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Chat Completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Google's `generateContent`.
    Gemini,
}

impl ModelApi {
    /// All APIs.
    pub const ALL: [ModelApi; 4] =
        [ModelApi::Messages, ModelApi::Chat, ModelApi::Responses, ModelApi::Gemini];
}

/// Returns the body with which a client of `api` sends these messages. Leading system messages
/// become the system prompt. For Messages, the last message gets a cache breakpoint, as from real
/// clients.
pub fn build_request_body(api: ModelApi, model: &str, entries: &[TranscriptEntry]) -> Vec<u8> {
    let lead = entries.iter().take_while(|entry| entry.role == MessageRole::System).count();
    let (lead, rest) = entries.split_at(lead);
    let system: Vec<String> = lead.iter().map(TranscriptEntry::text).collect();
    let messages = build_messages(api, rest);
    let body = match api {
        ModelApi::Messages => {
            let mut messages = messages;
            if let Some(last) = messages.last_mut().and_then(|last| last["content"].as_array_mut())
                && let Some(Value::Object(block)) = last.last_mut()
            {
                block.insert("cache_control".to_owned(), json!({ "type": "ephemeral" }));
            }
            let system: Vec<Value> =
                system.iter().map(|text| json!({ "type": "text", "text": text })).collect();
            json!({ "model": model, "max_tokens": 1000, "system": system, "stream": true,
                    "messages": messages })
        }
        ModelApi::Chat => {
            let system = system.iter().map(|text| json!({ "role": "system", "content": text }));
            let messages: Vec<Value> = system.chain(messages).collect();
            json!({ "model": model, "messages": messages, "stream": true })
        }
        ModelApi::Responses => {
            json!({ "model": model, "instructions": system.join("\n"), "input": messages,
                    "store": false, "stream": true })
        }
        ModelApi::Gemini => {
            let text = system.join("\n");
            json!({ "systemInstruction": { "parts": [{ "text": text }] },
                    "contents": messages })
        }
    };
    body.to_string().into_bytes()
}

/// Returns the entries as the list of messages that a client of `api` sends.
pub fn build_messages(api: ModelApi, entries: &[TranscriptEntry]) -> Vec<Value> {
    match api {
        ModelApi::Messages => merge_tool_results(entries, anthropic_message),
        ModelApi::Chat => entries.iter().map(chat_message).collect(),
        ModelApi::Responses => entries.iter().flat_map(response_items).collect(),
        ModelApi::Gemini => merge_tool_results(entries, gemini_content),
    }
}

/// Maps entries to messages; consecutive tool results form one message.
fn merge_tool_results(
    entries: &[TranscriptEntry],
    message: fn(&[TranscriptEntry]) -> Value,
) -> Vec<Value> {
    let is_same = |a: &TranscriptEntry, b: &TranscriptEntry| {
        a.role == MessageRole::Tool && b.role == MessageRole::Tool
    };
    entries.chunk_by(is_same).map(message).collect()
}

fn call_arguments(call: &ToolCall) -> Value {
    call.arguments.clone()
}

fn anthropic_message(entries: &[TranscriptEntry]) -> Value {
    let role = match entries[0].role {
        MessageRole::Assistant => "assistant",
        MessageRole::User | MessageRole::Tool => "user",
        MessageRole::System => "system",
    };
    let block = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => Some(json!({ "type": "text", "text": text })),
        ContentBlock::Reasoning(text) => {
            Some(json!({ "type": "thinking", "thinking": text, "signature": "c2ln" }))
        }
        ContentBlock::Call(call) => Some(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": call_arguments(call),
        })),
        ContentBlock::Result(ToolResult { call, content, is_error }) => Some(json!({
            "type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error,
        })),
        ContentBlock::Opaque { .. } => None,
    };
    let blocks = entries.iter().flat_map(|entry| &entry.blocks).filter_map(block);
    json!({ "role": role, "content": blocks.collect::<Vec<Value>>() })
}

fn chat_message(entry: &TranscriptEntry) -> Value {
    if let Some(result) = entry.tool_result() {
        return json!({ "role": "tool", "tool_call_id": result.call, "content": result.content });
    }
    let role = match entry.role {
        MessageRole::Assistant => "assistant",
        MessageRole::User | MessageRole::Tool => "user",
        MessageRole::System => "system",
    };
    let calls: Vec<Value> = entry
        .tool_calls()
        .map(|call| {
            let function =
                json!({ "name": call.name, "arguments": call_arguments(call).to_string() });
            json!({ "id": call.id, "type": "function", "function": function })
        })
        .collect();
    let mut message = json!({ "role": role, "content": entry.text() });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

fn response_items(entry: &TranscriptEntry) -> Vec<Value> {
    let mut items = Vec::new();
    let text = entry.text();
    if !text.is_empty() {
        let (role, kind) = match entry.role {
            MessageRole::Assistant => ("assistant", "output_text"),
            MessageRole::User | MessageRole::Tool => ("user", "input_text"),
            MessageRole::System => ("developer", "input_text"),
        };
        let content = json!([{ "type": kind, "text": text }]);
        items.push(json!({ "type": "message", "role": role, "content": content }));
    }
    for block in &entry.blocks {
        match block {
            ContentBlock::Call(call) => items.push(json!({
                "type": "function_call", "call_id": call.id, "name": call.name,
                "arguments": call_arguments(call).to_string(),
            })),
            ContentBlock::Result(result) => items.push(json!({
                "type": "function_call_output", "call_id": result.call, "output": result.content,
            })),
            ContentBlock::Text(_) | ContentBlock::Reasoning(_) | ContentBlock::Opaque { .. } => {}
        }
    }
    items
}

fn gemini_content(entries: &[TranscriptEntry]) -> Value {
    let role = if entries[0].role == MessageRole::Assistant { "model" } else { "user" };
    let part = |block: &ContentBlock| match block {
        ContentBlock::Text(text) => Some(json!({ "text": text })),
        ContentBlock::Call(call) => {
            let call = json!({ "id": call.id, "name": call.name, "args": call_arguments(call) });
            Some(json!({ "functionCall": call }))
        }
        ContentBlock::Result(result) => {
            let response = json!({ "output": result.content });
            let response = json!({ "id": result.call, "name": "tool", "response": response });
            Some(json!({ "functionResponse": response }))
        }
        ContentBlock::Reasoning(_) | ContentBlock::Opaque { .. } => None,
    };
    let parts: Vec<Value> =
        entries.iter().flat_map(|entry| &entry.blocks).filter_map(part).collect();
    json!({ "role": role, "parts": parts })
}
