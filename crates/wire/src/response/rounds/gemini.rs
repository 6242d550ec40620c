//! Gemini's answers, as events and as documents.

use serde_json::{Map, Value, json};

use super::blocks::Block;
use super::parts::{Said, is_own};
use super::turn::Turn;
use super::usage::Usages;

/// Why a turn stopped that waits for results.
const WAITS: &str = "STOP";

/// The state of an answer in several rounds.
#[derive(Debug, Default)]
pub(super) struct Gemini {
    is_later: bool,
    /// What the first answer is called.
    id: Option<Value>,
    said: Said,
    finish: Option<String>,
    usages: Usages,
    /// The last chunks, held back until it is known what comes of the turn.
    held: Vec<Block>,
}

impl Gemini {
    /// Takes an event. None ends the turn: the end of the stream does.
    pub(super) fn take(&mut self, raw: &[u8], block: &Block, out: &mut Vec<u8>) {
        let Ok(Value::Object(mut chunk)) = serde_json::from_slice(&block.data) else {
            out.extend_from_slice(raw);
            return;
        };
        if chunk.contains_key("error") {
            out.extend_from_slice(raw);
            return;
        }
        let is_touched = self.read(&mut chunk);
        if !self.is_later && !is_touched && !self.holds() {
            out.extend_from_slice(raw);
            return;
        }
        let is_last = self.holds();
        if is_touched && !is_last && says_nothing(&mut chunk) {
            return;
        }
        let block = Block { name: block.name.clone(), data: self.told(chunk) };
        match is_last {
            true => self.held.push(block),
            false => out.extend_from_slice(&block.with(&block.data)),
        }
    }

    /// Whether the turn is over and its end is held back.
    pub(super) fn holds(&self) -> bool {
        self.finish.is_some() && (self.is_later || self.said.has_calls())
    }

    /// Reads a chunk, and leaves out of it the calls of the tool; whether that changed it.
    fn read(&mut self, chunk: &mut Map<String, Value>) -> bool {
        if let Some(usage) = chunk.get("usageMetadata") {
            self.usages.tell(&usage.to_string());
        }
        if let Some(id) = chunk.get("responseId").filter(|_| self.id.is_none()) {
            self.id = Some(id.clone());
        }
        let Some(candidate) = first_candidate(chunk) else { return false };
        if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        let Some(parts) = parts_of(candidate) else { return false };
        let count = parts.len();
        parts.iter().for_each(|part| self.said.push(part));
        parts.retain(|part| !is_own(part));
        parts.len() < count
    }

    /// A chunk as the client gets it.
    fn told(&self, mut chunk: Map<String, Value>) -> Vec<u8> {
        if self.is_later {
            tell_all(&mut chunk, self.id.as_ref(), &self.usages);
        }
        Value::Object(chunk).to_string().into_bytes()
    }

    /// The turn that ended.
    pub(super) fn turn(&self) -> Turn {
        self.said.turn(self.finish.as_deref() == Some(WAITS))
    }

    /// Goes on to the next round.
    pub(super) fn next(&mut self) {
        self.is_later = true;
        self.usages.next();
        self.said = Said::default();
        self.finish = None;
        self.held.clear();
    }

    /// Hands over what was held back.
    pub(super) fn release(&mut self, out: &mut Vec<u8>) {
        for block in std::mem::take(&mut self.held) {
            out.extend_from_slice(&block.with(&block.data));
        }
        self.finish = None;
    }
}

/// The candidate that counts: several at once are asked for by nobody who has tools.
fn first_candidate(chunk: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    let candidates = chunk.get_mut("candidates")?.as_array_mut()?;
    let is_first = |one: &&mut Value| one["index"].as_u64().unwrap_or(0) == 0;
    candidates.iter_mut().find(is_first)?.as_object_mut()
}

fn parts_of(candidate: &mut Map<String, Value>) -> Option<&mut Vec<Value>> {
    candidate.get_mut("content")?.get_mut("parts")?.as_array_mut()
}

/// Whether nothing is left of a chunk.
fn says_nothing(chunk: &mut Map<String, Value>) -> bool {
    let candidate = first_candidate(chunk);
    candidate.is_none_or(|candidate| parts_of(candidate).is_none_or(|parts| parts.is_empty()))
}

/// Names an answer as the first one, with the usage of all so far.
fn tell_all(chunk: &mut Map<String, Value>, id: Option<&Value>, usages: &Usages) {
    if let (Some(own), Some(id)) = (chunk.get_mut("responseId"), id) {
        *own = id.clone();
    }
    if let Some(usage) = chunk.get_mut("usageMetadata") {
        *usage = serde_json::from_slice(&usages.sum()).unwrap_or_default();
    }
}

/// Whole answers put together: a document, or the list of chunks that is a stream without events.
#[derive(Debug, Default)]
pub(super) struct GeminiDocument {
    is_later: bool,
    is_list: bool,
    id: Option<Value>,
    /// What the client is shown.
    shown: Vec<Value>,
    last: Map<String, Value>,
    usages: Usages,
}

impl GeminiDocument {
    /// Takes the answer of a round; `None` where it is none that can be read.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<Turn> {
        let chunks = match serde_json::from_slice(bytes).ok()? {
            Value::Array(chunks) => {
                self.is_list = true;
                chunks
            }
            document => vec![document],
        };
        let (mut said, mut finish) = (Said::default(), None);
        let mut last = Map::new();
        for chunk in chunks {
            let Value::Object(mut chunk) = chunk else { return None };
            if chunk.get("candidates")?.as_array()?.len() != 1 {
                return None;
            }
            if let Some(usage) = chunk.get("usageMetadata") {
                self.usages.tell(&usage.to_string());
            }
            if let Some(id) = chunk.get("responseId").filter(|_| self.id.is_none()) {
                self.id = Some(id.clone());
            }
            let candidate = first_candidate(&mut chunk)?;
            if let Some(reason) = candidate.get("finishReason").and_then(Value::as_str) {
                finish = Some(reason.to_owned());
            }
            for part in parts_of(candidate).map(std::mem::take).unwrap_or_default() {
                said.push(&part);
                self.shown.extend((!is_own(&part)).then_some(part));
            }
            last = chunk;
        }
        self.last = last;
        Some(said.turn(finish.as_deref() == Some(WAITS)))
    }

    /// Goes on with another answer.
    pub(super) fn next(&mut self) {
        self.is_later = true;
        self.usages.next();
    }

    /// The one answer.
    pub(super) fn told(&self) -> Vec<u8> {
        let mut document = self.last.clone();
        if let Some(candidate) = first_candidate(&mut document) {
            let content = candidate.entry("content").or_insert_with(|| json!({"role": "model"}));
            content["parts"] = json!(self.shown);
        }
        if self.is_later {
            tell_all(&mut document, self.id.as_ref(), &self.usages);
        }
        let document = Value::Object(document);
        let told = if self.is_list { json!([document]) } else { document };
        told.to_string().into_bytes()
    }
}
