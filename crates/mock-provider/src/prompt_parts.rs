//! The prompt of a request body as a provider caches it: its parts in cache order, each with its
//! tokens and, for Anthropic, its cache breakpoint.

use std::collections::HashMap;

use blake3::Hash;
use foveal_pricing::tokens::Tokenizer;
use foveal_protocols::Protocol;
use serde_json::{Value, json};

use crate::request_body::{conversation_messages, message_parts, string_field, strip_breakpoints};

/// The most parts whose token counts are stored; others are counted again.
const TOKEN_COUNTS_MAX: usize = 1 << 20;

/// The assumed tokens of an image.
const IMAGE_TOKENS: u64 = 1_500;

/// The lifetime of a cache entry without reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryLifetime {
    /// Anthropic's five minutes.
    Minutes,
    /// Anthropic's hour.
    Hour,
}

/// One part of a prompt: a tool, a block of the system prompt, a content block or a whole message.
#[derive(Debug, Clone)]
pub(crate) struct PromptPart {
    /// The bytes as compact JSON without breakpoints: equal bytes are equal prompts.
    pub(crate) bytes: String,
    pub(crate) hash: Hash,
    pub(crate) tokens: u64,
    pub(crate) breakpoint: Option<EntryLifetime>,
    /// Whether it belongs to the conversation and not to the part before it.
    pub(crate) is_in_conversation: bool,
}

/// Splits bodies into prompt parts, and stores the token counts of parts.
#[derive(Debug, Default)]
pub(crate) struct PromptReader {
    token_counts: HashMap<(Tokenizer, Hash), u64>,
}

impl PromptReader {
    /// Returns the prompt of `body`.
    pub(crate) fn read_prompt(&mut self, protocol: Protocol, body: &Value) -> Vec<PromptPart> {
        let mut prompt = match protocol {
            Protocol::Messages => self.split_into_blocks(body),
            Protocol::Chat => self.split_into_messages(body, &["tools"], protocol),
            Protocol::Responses => {
                self.split_into_messages(body, &["tools", "instructions"], protocol)
            }
            Protocol::Gemini => {
                self.split_into_messages(body, &["systemInstruction", "tools"], protocol)
            }
        };
        // A breakpoint on the body applies to the end of the prompt.
        if let (Some(lifetime), Some(last)) = (breakpoint_lifetime(body), prompt.last_mut()) {
            last.breakpoint.get_or_insert(lifetime);
        }
        prompt
    }

    /// Returns the prompt for Anthropic, which caches tools, system and messages in this order,
    /// block by block. Another tool choice or thinking mode changes the prompt from the messages on
    /// (platform.claude.com/docs/en/build-with-claude/prompt-caching, "What invalidates the
    /// cache").
    fn split_into_blocks(&mut self, body: &Value) -> Vec<PromptPart> {
        let mut prompt = Vec::new();
        for (level, values) in
            [("tools", value_list(&body["tools"])), ("system", value_list(&body["system"]))]
        {
            for value in values {
                prompt.push(self.build_part(
                    level,
                    &normalize_block(value),
                    value,
                    Tokenizer::Claude,
                ));
            }
        }
        let modes = json!([body["tool_choice"], body["thinking"]]);
        let turns = conversation_messages(Protocol::Messages, body);
        for (at, message) in turns.into_iter().enumerate() {
            let role = string_field(message, "role");
            for (number, value) in message_parts(message).into_iter().enumerate() {
                let level = match (at, number) {
                    (0, 0) => format!("{modes} {role}"),
                    (_, 0) => format!("new {role}"),
                    _ => role.to_owned(),
                };
                let mut part =
                    self.build_part(&level, &normalize_block(value), value, Tokenizer::Claude);
                part.is_in_conversation = true;
                prompt.push(part);
            }
        }
        prompt
    }

    /// Returns the prompt for APIs with automatic caching: the parts before the conversation, then
    /// each message.
    fn split_into_messages(
        &mut self,
        body: &Value,
        before: &[&str],
        protocol: Protocol,
    ) -> Vec<PromptPart> {
        let mut prompt = Vec::new();
        for name in before.iter().filter(|name| !body[**name].is_null()) {
            prompt.push(self.build_part(name, &body[*name], &Value::Null, Tokenizer::O200k));
        }
        for message in conversation_messages(protocol, body) {
            let mut part = self.build_part("", message, &Value::Null, Tokenizer::O200k);
            part.is_in_conversation = true;
            prompt.push(part);
        }
        prompt
    }

    fn build_part(
        &mut self,
        level: &str,
        value: &Value,
        marked: &Value,
        tokenizer: Tokenizer,
    ) -> PromptPart {
        let bytes = format!("{level} {}", strip_breakpoints(value));
        let hash = blake3::hash(bytes.as_bytes());
        let tokens = match self.token_counts.get(&(tokenizer, hash)) {
            Some(tokens) => *tokens,
            None => {
                let tokens = count_value_tokens(value, tokenizer);
                if self.token_counts.len() < TOKEN_COUNTS_MAX {
                    self.token_counts.insert((tokenizer, hash), tokens);
                }
                tokens
            }
        };
        PromptPart {
            bytes,
            hash,
            tokens,
            breakpoint: breakpoint_lifetime(marked),
            is_in_conversation: false,
        }
    }
}

/// Returns the tokens of the text and images in `value` that the model sees.
pub(crate) fn count_value_tokens(value: &Value, tokenizer: Tokenizer) -> u64 {
    let (mut text, mut images) = (String::new(), 0);
    collect_text(value, &mut text, &mut images);
    tokenizer.count(&text).0 + images * IMAGE_TOKENS
}

fn value_list(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(list) => list.iter().collect(),
        Value::Null => Vec::new(),
        single => vec![single],
    }
}

/// Normalises a content block: a string is the same prompt as a block with that text.
fn normalize_block(value: &Value) -> Value {
    match value {
        Value::String(text) => json!({"type": "text", "text": text}),
        other => other.clone(),
    }
}

fn breakpoint_lifetime(value: &Value) -> Option<EntryLifetime> {
    let control = value.get("cache_control").filter(|control| control.is_object())?;
    Some(if string_field(control, "ttl") == "1h" {
        EntryLifetime::Hour
    } else {
        EntryLifetime::Minutes
    })
}

/// Collects the texts of a block, a message or a tool that the model reads, without ids and
/// signatures.
fn collect_text(value: &Value, out: &mut String, images: &mut u64) {
    match value {
        Value::String(text) => out.push_str(text),
        Value::Array(list) => list.iter().for_each(|each| collect_text(each, out, images)),
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
                    // The model reads these as JSON.
                    "input" | "args" | "response" | "input_schema" | "parameters"
                        if !value.is_string() =>
                    {
                        out.push_str(&value.to_string());
                    }
                    _ => collect_text(value, out, images),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
