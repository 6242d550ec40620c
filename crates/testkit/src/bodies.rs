//! Request bodies as clients of the model APIs spell them.

use foveal_transcript::{Block, Call, Entry, Role, ToolResult};
use serde_json::{Value, json};

/// A model API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages.
    Messages,
    /// OpenAI's Chat Completions.
    Chat,
    /// OpenAI's Responses.
    Responses,
    /// Google's `generateContent`.
    Gemini,
}

impl Api {
    /// All of them.
    pub const ALL: [Api; 4] = [Api::Messages, Api::Chat, Api::Responses, Api::Gemini];
}

/// The body by which a client of `api` sends these messages. Leading system messages are the
/// system prompt. As clients do, it marks the last message of Messages for the cache.
pub fn body(api: Api, model: &str, entries: &[Entry]) -> Vec<u8> {
    let lead = entries.iter().take_while(|entry| entry.role == Role::System).count();
    let (lead, rest) = entries.split_at(lead);
    let system: Vec<String> = lead.iter().map(Entry::text).collect();
    let messages = messages_of(api, rest);
    let body = match api {
        Api::Messages => {
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
        Api::Chat => {
            let system = system.iter().map(|text| json!({ "role": "system", "content": text }));
            let messages: Vec<Value> = system.chain(messages).collect();
            json!({ "model": model, "messages": messages, "stream": true })
        }
        Api::Responses => {
            json!({ "model": model, "instructions": system.join("\n"), "input": messages,
                    "store": false, "stream": true })
        }
        Api::Gemini => {
            let text = system.join("\n");
            json!({ "systemInstruction": { "parts": [{ "text": text }] },
                    "contents": messages })
        }
    };
    body.to_string().into_bytes()
}

/// These entries as the list of messages that a client of `api` sends.
pub fn messages_of(api: Api, entries: &[Entry]) -> Vec<Value> {
    match api {
        Api::Messages => grouped(entries, messages),
        Api::Chat => entries.iter().map(chat).collect(),
        Api::Responses => entries.iter().flat_map(responses).collect(),
        Api::Gemini => grouped(entries, gemini),
    }
}

/// Messages, where results that follow each other are one.
fn grouped(entries: &[Entry], message: fn(&[Entry]) -> Value) -> Vec<Value> {
    let is_same = |a: &Entry, b: &Entry| a.role == Role::Tool && b.role == Role::Tool;
    entries.chunk_by(is_same).map(message).collect()
}

fn arguments(call: &Call) -> Value {
    call.arguments.clone()
}

fn messages(entries: &[Entry]) -> Value {
    let role = match entries[0].role {
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
        Role::System => "system",
    };
    let block = |block: &Block| match block {
        Block::Text(text) => Some(json!({ "type": "text", "text": text })),
        Block::Reasoning(text) => {
            Some(json!({ "type": "thinking", "thinking": text, "signature": "c2ln" }))
        }
        Block::Call(call) => Some(json!({
            "type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call),
        })),
        Block::Result(ToolResult { call, content, is_error }) => Some(json!({
            "type": "tool_result", "tool_use_id": call, "content": content, "is_error": is_error,
        })),
        Block::Opaque { .. } => None,
    };
    let blocks = entries.iter().flat_map(|entry| &entry.blocks).filter_map(block);
    json!({ "role": role, "content": blocks.collect::<Vec<Value>>() })
}

fn chat(entry: &Entry) -> Value {
    if let Some(result) = entry.result() {
        return json!({ "role": "tool", "tool_call_id": result.call, "content": result.content });
    }
    let role = match entry.role {
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
        Role::System => "system",
    };
    let calls: Vec<Value> = entry
        .calls()
        .map(|call| {
            let function = json!({ "name": call.name, "arguments": arguments(call).to_string() });
            json!({ "id": call.id, "type": "function", "function": function })
        })
        .collect();
    let mut message = json!({ "role": role, "content": entry.text() });
    if !calls.is_empty() {
        message["tool_calls"] = calls.into();
    }
    message
}

fn responses(entry: &Entry) -> Vec<Value> {
    let mut items = Vec::new();
    let text = entry.text();
    if !text.is_empty() {
        let (role, kind) = match entry.role {
            Role::Assistant => ("assistant", "output_text"),
            Role::User | Role::Tool => ("user", "input_text"),
            Role::System => ("developer", "input_text"),
        };
        let content = json!([{ "type": kind, "text": text }]);
        items.push(json!({ "type": "message", "role": role, "content": content }));
    }
    for block in &entry.blocks {
        match block {
            Block::Call(call) => items.push(json!({
                "type": "function_call", "call_id": call.id, "name": call.name,
                "arguments": arguments(call).to_string(),
            })),
            Block::Result(result) => items.push(json!({
                "type": "function_call_output", "call_id": result.call, "output": result.content,
            })),
            Block::Text(_) | Block::Reasoning(_) | Block::Opaque { .. } => {}
        }
    }
    items
}

fn gemini(entries: &[Entry]) -> Value {
    let role = if entries[0].role == Role::Assistant { "model" } else { "user" };
    let part = |block: &Block| match block {
        Block::Text(text) => Some(json!({ "text": text })),
        Block::Call(call) => {
            let call = json!({ "id": call.id, "name": call.name, "args": arguments(call) });
            Some(json!({ "functionCall": call }))
        }
        Block::Result(result) => {
            let response = json!({ "output": result.content });
            let response = json!({ "id": result.call, "name": "tool", "response": response });
            Some(json!({ "functionResponse": response }))
        }
        Block::Reasoning(_) | Block::Opaque { .. } => None,
    };
    let parts: Vec<Value> =
        entries.iter().flat_map(|entry| &entry.blocks).filter_map(part).collect();
    json!({ "role": role, "parts": parts })
}
