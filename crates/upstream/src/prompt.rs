//! A request body as the prompt that a provider makes of it: parts in the order in which they are
//! cached, each with its tokens and, at Anthropic, with its mark.

use std::collections::HashMap;

use blake3::Hash;
use foveal_context::tokens::Tokenizer;
use foveal_wire::Protocol;
use serde_json::{Value, json};

use crate::request::{parts, text, turns, unmarked};

/// Parts whose tokens are remembered; more are counted again.
const REMEMBERED_MAX: usize = 1 << 20;

/// What an image is taken for.
const IMAGE_TOKENS: u64 = 1_500;

/// How long an entry lives when nobody reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lifetime {
    /// Anthropic's five minutes.
    Minutes,
    /// Anthropic's hour.
    Hour,
}

/// One part of a prompt: a tool, a block of the system prompt, a block or a whole message.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    /// Its bytes, as compact JSON without marks: equal bytes are equal prompts.
    pub(crate) bytes: String,
    pub(crate) hash: Hash,
    pub(crate) tokens: u64,
    pub(crate) mark: Option<Lifetime>,
    /// Whether it belongs to the conversation and not to what stands before it.
    pub(crate) is_turn: bool,
}

/// Makes prompts of bodies, and remembers how many tokens parts have.
#[derive(Debug, Default)]
pub(crate) struct Reader {
    known: HashMap<(Tokenizer, Hash), u64>,
}

impl Reader {
    /// The prompt of `body`.
    pub(crate) fn prompt(&mut self, protocol: Protocol, body: &Value) -> Vec<Part> {
        let mut prompt = match protocol {
            Protocol::Messages => self.messages(body),
            Protocol::Chat => self.whole(body, &["tools"], protocol),
            Protocol::Responses => self.whole(body, &["tools", "instructions"], protocol),
            Protocol::Gemini => self.whole(body, &["systemInstruction", "tools"], protocol),
        };
        // Marks the whole, wherever its end is.
        if let (Some(lifetime), Some(last)) = (mark(body), prompt.last_mut()) {
            last.mark.get_or_insert(lifetime);
        }
        prompt
    }

    /// Anthropic caches tools, system and messages in this order, block by block. Another choice
    /// of tools or another mode of thinking is another prompt from the messages on
    /// (platform.claude.com/docs/en/build-with-claude/prompt-caching, "What invalidates the
    /// cache").
    fn messages(&mut self, body: &Value) -> Vec<Part> {
        let mut prompt = Vec::new();
        for (level, values) in [("tools", list(&body["tools"])), ("system", list(&body["system"]))]
        {
            for value in values {
                prompt.push(self.part(level, &block(value), value, Tokenizer::Claude));
            }
        }
        let modes = json!([body["tool_choice"], body["thinking"]]);
        let turns = turns(Protocol::Messages, body);
        for (at, message) in turns.into_iter().enumerate() {
            let role = text(message, "role");
            for (number, value) in parts(message).into_iter().enumerate() {
                let level = match (at, number) {
                    (0, 0) => format!("{modes} {role}"),
                    (_, 0) => format!("new {role}"),
                    _ => role.to_owned(),
                };
                let mut part = self.part(&level, &block(value), value, Tokenizer::Claude);
                part.is_turn = true;
                prompt.push(part);
            }
        }
        prompt
    }

    /// The APIs that cache by themselves: what stands before the conversation, then each message.
    fn whole(&mut self, body: &Value, before: &[&str], protocol: Protocol) -> Vec<Part> {
        let mut prompt = Vec::new();
        for name in before.iter().filter(|name| !body[**name].is_null()) {
            prompt.push(self.part(name, &body[*name], &Value::Null, Tokenizer::O200k));
        }
        for message in turns(protocol, body) {
            let mut part = self.part("", message, &Value::Null, Tokenizer::O200k);
            part.is_turn = true;
            prompt.push(part);
        }
        prompt
    }

    fn part(&mut self, level: &str, value: &Value, marked: &Value, tokenizer: Tokenizer) -> Part {
        let bytes = format!("{level} {}", unmarked(value));
        let hash = blake3::hash(bytes.as_bytes());
        let tokens = match self.known.get(&(tokenizer, hash)) {
            Some(tokens) => *tokens,
            None => {
                let tokens = tokens(value, tokenizer);
                if self.known.len() < REMEMBERED_MAX {
                    self.known.insert((tokenizer, hash), tokens);
                }
                tokens
            }
        };
        Part { bytes, hash, tokens, mark: mark(marked), is_turn: false }
    }
}

/// Tokens of what `value` shows the model.
pub(crate) fn tokens(value: &Value, tokenizer: Tokenizer) -> u64 {
    let (mut text, mut images) = (String::new(), 0);
    gather(value, &mut text, &mut images);
    tokenizer.count(&text).0 + images * IMAGE_TOKENS
}

fn list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        Value::Null => Vec::new(),
        single => vec![single],
    }
}

/// A text is the same prompt as a block with that text.
fn block(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({"type": "text", "text": text}),
        other => other.clone(),
    }
}

fn mark(value: &Value) -> Option<Lifetime> {
    let control = value.get("cache_control").filter(|control| control.is_object())?;
    Some(if text(control, "ttl") == "1h" { Lifetime::Hour } else { Lifetime::Minutes })
}

/// The texts of a block, a message, a tool: what the model reads, without ids and signatures.
fn gather(value: &Value, out: &mut String, images: &mut u64) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(list) => list.iter().for_each(|each| gather(each, out, images)),
        Value::Object(object) => {
            let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
            if matches!(kind, "image" | "image_url" | "input_image")
                || object.contains_key("inlineData")
            {
                *images += 1;
                return;
            }
            for (key, value) in object {
                match key.as_str() {
                    "id" | "type" | "role" | "call_id" | "tool_use_id" | "tool_call_id"
                    | "status" | "signature" | "thoughtSignature" | "encrypted_content"
                    | "data" | "cache_control" => {}
                    // Read as JSON.
                    "input" | "args" | "response" | "input_schema" | "parameters"
                        if !value.is_string() =>
                    {
                        out.push_str(&value.to_string());
                    }
                    _ => gather(value, out, images),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
