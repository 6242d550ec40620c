//! Anthropic's Messages.

use foveal_transcript::{Block, Call, Entry, Role};
use serde::Serialize;
use serde_json::{Value, json};

use super::part::{Part, as_it_came, part, text};
use super::value::{Prompt, ToolSpec};

/// The most tokens of an answer where the caller does not say: what all models allow that are
/// still served.
const OUTPUT_TOKENS: u64 = 8_192;

/// Blocks of the model that go back as they came.
const OF_MODEL: [&str; 2] = ["thinking", "redacted_thinking"];

/// Blocks of the user that go as they are.
const OF_USER: [&str; 2] = ["image", "document"];

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    max_tokens: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Part>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    system: Vec<Part>,
    messages: Vec<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thinking: Option<Value>,
    stream: bool,
}

#[derive(Serialize)]
struct Message {
    role: &'static str,
    content: Vec<Part>,
}

pub(super) fn encode(prompt: &Prompt<'_>) -> Vec<u8> {
    let is_system = |entry: &&Entry| entry.role == Role::System;
    let system = prompt.entries.iter().take_while(is_system).flat_map(|entry| &entry.blocks);
    let body = Body {
        model: prompt.model,
        max_tokens: prompt.output_tokens_max.unwrap_or(OUTPUT_TOKENS),
        tools: prompt.tools.iter().map(tool).collect(),
        system: system.filter_map(text).map(text_part).collect(),
        messages: messages(prompt.entries),
        thinking: prompt.drops_bound_thinking.then(adaptive_thinking),
        stream: true,
    };
    serde_json::to_vec(&body).expect("texts and JSON values are JSON")
}

/// What models that bind their thinking do anyway, but that they go on without thinking whose prefix
/// changed (platform.claude.com/docs/en/build-with-claude/preserved-thinking).
fn adaptive_thinking() -> Value {
    let binding = json!({"prefix_mismatch_behavior": "drop_block"});
    json!({"type": "adaptive", "block_binding": binding})
}

fn tool(tool: &ToolSpec) -> Part {
    let ToolSpec { name, description, schema } = tool;
    part(&json!({"name": name, "description": description, "input_schema": schema}))
}

fn text_part(text: &str) -> Part {
    part(&json!({"type": "text", "text": text}))
}

fn messages(entries: &[Entry]) -> Vec<Message> {
    let mut messages: Vec<Message> = Vec::new();
    // Whether the last message holds nothing but results: what the user says goes behind them.
    let mut is_open = false;
    let conversation = entries.iter().skip_while(|entry| entry.role == Role::System);
    for entry in conversation {
        let is_result = entry.role == Role::Tool;
        let (role, content) = match entry.role {
            Role::Assistant => ("assistant", entry.blocks.iter().filter_map(of_model).collect()),
            Role::Tool => ("user", result(entry)),
            Role::User | Role::System => {
                ("user", entry.blocks.iter().filter_map(of_user).collect::<Vec<_>>())
            }
        };
        if content.is_empty() {
            continue;
        }
        match messages.last_mut().filter(|_| is_open && role == "user") {
            Some(last) => last.content.extend(content),
            None => messages.push(Message { role, content }),
        }
        is_open = is_result;
    }
    messages
}

fn of_user(block: &Block) -> Option<Part> {
    text(block).map(text_part).or_else(|| as_it_came(block, &OF_USER))
}

fn of_model(block: &Block) -> Option<Part> {
    match block {
        Block::Call(call) => Some(tool_use(call)),
        other => text(other).map(text_part).or_else(|| as_it_came(other, &OF_MODEL)),
    }
}

fn tool_use(call: &Call) -> Part {
    let Call { id, name, arguments } = call;
    // The API takes objects alone: what the model spelled wrong goes back inside of one.
    let input = match arguments {
        Value::Object(_) => arguments.clone(),
        other => json!({"arguments": other}),
    };
    part(&json!({"type": "tool_use", "id": id, "name": name, "input": input}))
}

fn result(entry: &Entry) -> Vec<Part> {
    let Some(result) = entry.result() else { return Vec::new() };
    let others: Vec<Part> =
        entry.blocks.iter().filter_map(|block| as_it_came(block, &OF_USER)).collect();
    let mut told = json!({"type": "tool_result", "tool_use_id": result.call});
    if result.is_error {
        told["is_error"] = json!(true);
    }
    if others.is_empty() {
        told["content"] = json!(result.content);
        return vec![part(&told)];
    }
    #[derive(Serialize)]
    struct WithParts {
        #[serde(flatten)]
        told: Value,
        content: Vec<Part>,
    }
    let said = (!result.content.is_empty()).then(|| text_part(&result.content));
    vec![part(&WithParts { told, content: said.into_iter().chain(others).collect() })]
}
