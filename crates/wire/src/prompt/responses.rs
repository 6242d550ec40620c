//! OpenAI's Responses. Nothing is stored at the provider: the whole conversation goes each time,
//! and of reasoning what it gave encrypted.

use foveal_transcript::{Block, Call, Entry, Role};
use serde::Serialize;
use serde_json::json;

use super::chat::spelled;
use super::part::{Part, as_it_came, part, text};
use super::value::{Prompt, ToolSpec};

/// Items of the model that go back as they came.
const OF_MODEL: [&str; 1] = ["reasoning"];

/// Parts of the user's messages that go as they are.
const OF_USER: [&str; 2] = ["input_image", "input_file"];

#[derive(Serialize)]
struct Body<'a> {
    model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions: Option<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tools: Vec<Part>,
    input: Vec<Part>,
    store: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    include: Vec<&'static str>,
    stream: bool,
}

pub(super) fn encode(prompt: &Prompt<'_>) -> Vec<u8> {
    let first = prompt.entries.split_first().filter(|(first, _)| first.role == Role::System);
    let lone = first.and_then(|(first, rest)| match first.blocks.as_slice() {
        [only] => Some((text(only)?, rest)),
        _ => None,
    });
    let (instructions, rest) = match lone {
        Some((text, rest)) => (Some(text), rest),
        None => (None, prompt.entries),
    };
    let body = Body {
        model: prompt.model,
        max_output_tokens: prompt.output_tokens_max,
        instructions,
        tools: prompt.tools.iter().map(tool).collect(),
        input: rest.iter().flat_map(items).collect(),
        store: false,
        include: Vec::from_iter(reasons(prompt.model).then_some("reasoning.encrypted_content")),
        stream: true,
    };
    serde_json::to_vec(&body).expect("texts and JSON values are JSON")
}

/// Whether a model may reason: those that do not refuse to be asked for it.
fn reasons(model: &str) -> bool {
    let bare = model.rsplit('/').next().unwrap_or(model);
    !["gpt-3", "gpt-4", "chatgpt-4"].iter().any(|before| bare.starts_with(before))
}

fn tool(tool: &ToolSpec) -> Part {
    let ToolSpec { name, description, schema } = tool;
    part(&json!({
        "type": "function", "name": name, "description": description, "parameters": schema,
        "strict": false,
    }))
}

fn items(entry: &Entry) -> Vec<Part> {
    match entry.role {
        Role::System => message("developer", entry).into_iter().collect(),
        Role::User => message("user", entry).into_iter().collect(),
        Role::Assistant => entry.blocks.iter().filter_map(of_model).collect(),
        Role::Tool => entry.result().into_iter().map(|result| {
            part(&json!({
                "type": "function_call_output", "call_id": result.call, "output": result.content,
            }))
        }).collect(),
    }
}

fn message(role: &'static str, entry: &Entry) -> Option<Part> {
    #[derive(Serialize)]
    struct Message {
        r#type: &'static str,
        role: &'static str,
        content: Vec<Part>,
    }
    let of_text = |text: &str| part(&json!({"type": "input_text", "text": text}));
    let parts = entry.blocks.iter();
    let parts =
        parts.filter_map(|block| text(block).map(of_text).or_else(|| as_it_came(block, &OF_USER)));
    let content: Vec<Part> = parts.collect();
    (!content.is_empty()).then(|| part(&Message { r#type: "message", role, content }))
}

fn of_model(block: &Block) -> Option<Part> {
    match block {
        Block::Call(Call { id, name, arguments }) => Some(part(&json!({
            "type": "function_call", "call_id": id, "name": name, "arguments": spelled(arguments),
        }))),
        other => text(other).map(said).or_else(|| as_it_came(other, &OF_MODEL)),
    }
}

fn said(text: &str) -> Part {
    let content = json!({"type": "output_text", "text": text});
    part(&json!({"type": "message", "role": "assistant", "content": [content]}))
}
