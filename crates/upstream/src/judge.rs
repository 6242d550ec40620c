//! What is made of each request: its bill, what it shares with the one before, what it breaks.

use std::collections::HashMap;

use foveal_wire::Protocol;
use serde_json::Value;

use crate::cache::{Bill, Cache};
use crate::pairing::{self, Broken};
use crate::prompt::{Part, Reader};

/// Conversations whose last prompt is held.
const CONVERSATIONS_MAX: usize = 10_000;

/// What a prompt shares with the last one of the same conversation. Bytes are those of the
/// prompt as compact JSON, marks of prompt caching left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Common {
    /// Bytes that both start with.
    pub bytes: usize,
    /// Bytes of the last prompt; 0 for the first of a conversation.
    pub last_bytes: usize,
    /// Bytes of this prompt.
    pub this_bytes: usize,
    /// The first part of the prompt that is another than before, counted from 0; `None` where
    /// the last prompt is the beginning of this one.
    pub broken_at: Option<usize>,
}

impl Common {
    /// Whether the last prompt is the beginning of this one.
    pub fn is_append(&self) -> bool {
        self.broken_at.is_none()
    }
}

/// What was made of one request.
#[derive(Debug, Default)]
pub(crate) struct Judgement {
    pub(crate) bill: Bill,
    pub(crate) common: Common,
    pub(crate) broken: Vec<Broken>,
}

/// The provider's memory.
#[derive(Debug, Default)]
pub(crate) struct Judge {
    reader: Reader,
    cache: Cache,
    last: HashMap<String, Vec<Part>>,
}

impl Judge {
    /// Judges a request for an answer. One that would be refused leaves no traces.
    pub(crate) fn judge(
        &mut self,
        protocol: Protocol,
        model: &str,
        body: &Value,
        conversation: Option<&str>,
        now_ms: u64,
    ) -> Judgement {
        let prompt = self.reader.prompt(protocol, body);
        let broken = pairing::broken(protocol, body, &prompt);
        if broken.iter().any(Broken::is_refused) {
            return Judgement { broken, ..Judgement::default() };
        }
        let bill = self.cache.bill(protocol, model, &prompt, now_ms);
        let name = conversation.map_or_else(|| first_turn(protocol, &prompt), str::to_owned);
        let common = common(self.last.get(&name).map_or(&[], Vec::as_slice), &prompt);
        if self.last.len() >= CONVERSATIONS_MAX && !self.last.contains_key(&name) {
            self.last.clear();
        }
        self.last.insert(name, prompt);
        Judgement { bill, common, broken }
    }

    /// Tokens of the whole prompt.
    pub(crate) fn count(&mut self, protocol: Protocol, body: &Value) -> u64 {
        self.reader.prompt(protocol, body).iter().map(|part| part.tokens).sum()
    }
}

/// The first message that is the user's own stands for the conversation.
fn first_turn(protocol: Protocol, prompt: &[Part]) -> String {
    let first = prompt.iter().find(|part| part.is_turn).map(|part| part.hash.to_hex());
    format!("{} {}", protocol.name(), first.as_deref().unwrap_or_default())
}

fn common(last: &[Part], this: &[Part]) -> Common {
    let size = |parts: &[Part]| parts.iter().map(|part| part.bytes.len()).sum();
    let equal = last.iter().zip(this).take_while(|(last, this)| last.hash == this.hash).count();
    let mut bytes: usize = size(&last[..equal]);
    if let (Some(last), Some(this)) = (last.get(equal), this.get(equal)) {
        let pairs = last.bytes.bytes().zip(this.bytes.bytes());
        bytes += pairs.take_while(|(last, this)| last == this).count();
    }
    Common {
        bytes,
        last_bytes: size(last),
        this_bytes: size(this),
        broken_at: (equal < last.len()).then_some(equal),
    }
}
