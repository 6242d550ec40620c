//! Evaluates each request: its bill, its overlap with the last prompt, and its rule violations.

use std::collections::HashMap;

use foveal_protocols::Protocol;
use serde_json::Value;

use crate::api_rules::{self, RuleViolation};
use crate::prompt_parts::{PromptPart, PromptReader};
use crate::provider_cache::{ProviderCache, TokenBill};

/// The most conversations whose last prompt is stored.
const CONVERSATIONS_MAX: usize = 10_000;

/// The overlap of a prompt with the last one of the same conversation. Bytes are those of the
/// prompt as compact JSON without cache breakpoints.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PromptOverlap {
    /// The bytes of the common prefix.
    pub bytes: usize,
    /// The bytes of the last prompt; 0 for the first one of a conversation.
    pub last_bytes: usize,
    /// The bytes of this prompt.
    pub this_bytes: usize,
    /// The first part of the prompt that differs from the last one, counted from 0; `None` if the
    /// last prompt is a prefix of this one.
    pub first_difference: Option<usize>,
}

impl PromptOverlap {
    /// Returns whether the last prompt is a prefix of this one.
    pub fn is_append(&self) -> bool {
        self.first_difference.is_none()
    }
}

/// The evaluation of one request.
#[derive(Debug, Default)]
pub(crate) struct RequestEvaluation {
    pub(crate) bill: TokenBill,
    pub(crate) overlap: PromptOverlap,
    pub(crate) violations: Vec<RuleViolation>,
}

/// Evaluates requests with the state of the provider: its cache and the last prompts.
#[derive(Debug, Default)]
pub(crate) struct RequestEvaluator {
    reader: PromptReader,
    cache: ProviderCache,
    last: HashMap<String, Vec<PromptPart>>,
}

impl RequestEvaluator {
    /// Evaluates a request for an answer. A request with a violation that causes refusal changes no
    /// state.
    pub(crate) fn evaluate(
        &mut self,
        protocol: Protocol,
        model: &str,
        body: &Value,
        conversation: Option<&str>,
        now_ms: u64,
    ) -> RequestEvaluation {
        let prompt = self.reader.read_prompt(protocol, body);
        let broken = api_rules::find_violations(protocol, body, &prompt);
        if broken.iter().any(RuleViolation::causes_refusal) {
            return RequestEvaluation { violations: broken, ..RequestEvaluation::default() };
        }
        let bill = self.cache.bill_prompt(protocol, model, &prompt, now_ms);
        let name = conversation.map_or_else(|| conversation_key(protocol, &prompt), str::to_owned);
        let common = compare_prompts(self.last.get(&name).map_or(&[], Vec::as_slice), &prompt);
        if self.last.len() >= CONVERSATIONS_MAX && !self.last.contains_key(&name) {
            self.last.clear();
        }
        self.last.insert(name, prompt);
        RequestEvaluation { bill, overlap: common, violations: broken }
    }

    /// Returns the tokens of the whole prompt.
    pub(crate) fn count_tokens(&mut self, protocol: Protocol, body: &Value) -> u64 {
        self.reader.read_prompt(protocol, body).iter().map(|part| part.tokens).sum()
    }
}

/// Returns a key of the conversation, from its first user message.
fn conversation_key(protocol: Protocol, prompt: &[PromptPart]) -> String {
    let first = prompt.iter().find(|part| part.is_in_conversation).map(|part| part.hash.to_hex());
    format!("{} {}", protocol.name(), first.as_deref().unwrap_or_default())
}

fn compare_prompts(last: &[PromptPart], this: &[PromptPart]) -> PromptOverlap {
    let size = |parts: &[PromptPart]| parts.iter().map(|part| part.bytes.len()).sum();
    let equal = last.iter().zip(this).take_while(|(last, this)| last.hash == this.hash).count();
    let mut bytes: usize = size(&last[..equal]);
    if let (Some(last), Some(this)) = (last.get(equal), this.get(equal)) {
        let pairs = last.bytes.bytes().zip(this.bytes.bytes());
        bytes += pairs.take_while(|(last, this)| last == this).count();
    }
    PromptOverlap {
        bytes,
        last_bytes: size(last),
        this_bytes: size(this),
        first_difference: (equal < last.len()).then_some(equal),
    }
}
