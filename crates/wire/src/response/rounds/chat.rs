//! OpenAI's Chat Completions, and what other servers made of them, as events and as documents.

use serde_json::{Map, Value, json};

use super::blocks::Block;
use super::lone;
use super::turn::{Called, EXPAND_TOOL, Turn, shown};
use super::usage::Usages;

/// Why a turn stopped that waits for results.
const WAITS: [&str; 3] = ["tool_calls", "stop", "function_call"];

/// Texts beside the content that servers want back with it.
const REASONING: [&str; 2] = ["reasoning_content", "reasoning"];

/// The same as a list.
const DETAILS: &str = "reasoning_details";

/// What the chunks of one answer have in common.
const COMMON: [&str; 3] = ["id", "created", "model"];

/// The state of an answer in several rounds.
#[derive(Debug, Default)]
pub(super) struct Chat {
    is_later: bool,
    common: Map<String, Value>,
    said: Said,
    finish: Option<String>,
    usages: Usages,
    /// The last chunks, held back until it is known what comes of the turn.
    held: Vec<Value>,
    done: Vec<u8>,
    has_halves: bool,
}

/// What was said in this round.
#[derive(Debug, Default)]
pub(super) struct Said {
    content: String,
    reasoning: Map<String, Value>,
    calls: Vec<Call>,
}

#[derive(Debug)]
struct Call {
    index: u64,
    /// Which of the calls that the client sees it is; `None`: it is one of the tool.
    shown_at: Option<usize>,
    call: Map<String, Value>,
    arguments: String,
}

impl Chat {
    /// Takes an event; whether it ends the turn and is held back.
    pub(super) fn take(&mut self, raw: &[u8], block: &Block, out: &mut Vec<u8>) -> bool {
        if block.data.trim_ascii() == b"[DONE]" {
            if self.holds() {
                self.done = raw.to_vec();
                return true;
            }
            out.extend_from_slice(raw);
            return false;
        }
        let Some(Value::Object(mut chunk)) = parsed(&block.data, &mut self.has_halves) else {
            out.extend_from_slice(raw);
            return false;
        };
        if chunk.contains_key("error") {
            out.extend_from_slice(raw);
            return false;
        }
        let is_touched = self.read(&mut chunk);
        if !self.is_later && !is_touched && !self.holds() {
            out.extend_from_slice(raw);
            return false;
        }
        let Some(chunk) = self.told(chunk) else { return false };
        if self.holds() {
            self.held.push(chunk);
        } else {
            out.extend_from_slice(&block.with(spelled(&chunk, self.has_halves).as_bytes()));
        }
        false
    }

    /// Whether the turn is over and its end is held back, also where no last event came.
    pub(super) fn holds(&self) -> bool {
        let has_calls = self.said.calls.iter().any(|call| call.shown_at.is_none());
        self.finish.is_some() && (self.is_later || has_calls)
    }

    /// Reads a chunk, and leaves out of it the calls of the tool; whether that changed it.
    fn read(&mut self, chunk: &mut Map<String, Value>) -> bool {
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.usages.tell(&usage.to_string());
        }
        if !self.is_later {
            for key in COMMON {
                if let Some(value) = chunk.get(key).filter(|_| !self.common.contains_key(key)) {
                    self.common.insert(key.to_owned(), value.clone());
                }
            }
        }
        let Some(choice) = first_choice(chunk) else { return false };
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.finish = Some(reason.to_owned());
        }
        let Some(Value::Object(delta)) = choice.get_mut("delta") else { return false };
        self.said.texts(delta);
        self.said.calls(delta)
    }

    /// A chunk as the client gets it; `None` where nothing is left of it.
    fn told(&self, mut chunk: Map<String, Value>) -> Option<Value> {
        if !self.is_later {
            return Some(Value::Object(chunk));
        }
        for (key, value) in &self.common {
            chunk.insert(key.clone(), value.clone());
        }
        let has_usage = chunk.get("usage").is_some_and(Value::is_object);
        if let Some(choice) = first_choice(&mut chunk) {
            let is_last = choice.get("finish_reason").is_some_and(|reason| !reason.is_null());
            let Some(Value::Object(delta)) = choice.get_mut("delta") else {
                return Some(Value::Object(chunk));
            };
            delta.shift_remove("role");
            let is_empty = delta.values().all(|value| value.is_null() || *value == "");
            if is_empty && !is_last && !has_usage {
                return None;
            }
        }
        Some(Value::Object(chunk))
    }

    /// The turn that ended.
    pub(super) fn turn(&self) -> Turn {
        self.said.turn(self.finish.as_deref(), self.has_halves)
    }

    /// Goes on to the next round.
    pub(super) fn next(&mut self) {
        self.is_later = true;
        self.usages.next();
        self.said = Said::default();
        self.finish = None;
        self.held.clear();
        self.done.clear();
        self.has_halves = false;
    }

    /// Hands over what was held back.
    pub(super) fn release(&mut self, ends: bool, out: &mut Vec<u8>) {
        for mut chunk in std::mem::take(&mut self.held) {
            if self.is_later && chunk["usage"].is_object() {
                let sum = serde_json::from_slice(&self.usages.sum());
                chunk["usage"] = sum.unwrap_or_default();
            }
            let choice = chunk.as_object_mut().and_then(first_choice);
            if let Some(reason) = choice.and_then(|choice| choice.get_mut("finish_reason"))
                && ends
                && !reason.is_null()
            {
                *reason = json!("stop");
            }
            let chunk = spelled(&chunk, self.has_halves);
            out.extend_from_slice(format!("data: {chunk}\n\n").as_bytes());
        }
        out.append(&mut self.done);
        self.finish = None;
    }
}

/// The choice that counts: several answers at once are asked for by nobody who has tools.
fn first_choice(chunk: &mut Map<String, Value>) -> Option<&mut Map<String, Value>> {
    let choices = chunk.get_mut("choices")?.as_array_mut()?;
    let is_first = |choice: &&mut Value| choice["index"].as_u64().unwrap_or(0) == 0;
    choices.iter_mut().find(is_first)?.as_object_mut()
}

impl Said {
    fn texts(&mut self, delta: &Map<String, Value>) {
        if let Some(text) = delta.get("content").and_then(Value::as_str) {
            self.content.push_str(text);
        }
        for key in REASONING {
            let Some(more) = delta.get(key).and_then(Value::as_str) else { continue };
            match self.reasoning.get_mut(key) {
                Some(Value::String(text)) => text.push_str(more),
                _ => drop(self.reasoning.insert(key.to_owned(), json!(more))),
            }
        }
        if let Some(Value::Array(more)) = delta.get(DETAILS) {
            let all = self.reasoning.entry(DETAILS).or_insert_with(|| json!([]));
            all.as_array_mut().into_iter().for_each(|all| all.extend(more.iter().cloned()));
        }
    }

    /// Reads calls, and leaves those of the tool out; whether that changed anything.
    fn calls(&mut self, delta: &mut Map<String, Value>) -> bool {
        let Some(Value::Array(parts)) = delta.get_mut("tool_calls") else { return false };
        let mut is_touched = false;
        parts.retain_mut(|part| {
            let shown_at = self.call(part);
            let is_same = shown_at.map(|at| at as u64) == part["index"].as_u64();
            if let Some(at) = shown_at.filter(|_| !is_same && !part["index"].is_null()) {
                part["index"] = json!(at);
            }
            is_touched |= shown_at.is_none() || !is_same;
            shown_at.is_some()
        });
        if parts.is_empty() && is_touched {
            delta.shift_remove("tool_calls");
        }
        is_touched
    }

    /// Reads a part of a call; which of the calls that the client sees it is of.
    fn call(&mut self, part: &Value) -> Option<usize> {
        let index = part["index"].as_u64().unwrap_or(self.calls.len() as u64);
        let id = part["id"].as_str().filter(|id| !id.is_empty());
        let is_it = |call: &&mut Call| {
            call.index == index
                && id.is_none_or(|id| call.call.get("id").is_none_or(|own| own == id))
        };
        let more = part["function"]["arguments"].as_str().unwrap_or_default();
        if let Some(call) = self.calls.iter_mut().rev().find(is_it) {
            call.arguments.push_str(more);
            return call.shown_at;
        }
        let mut call = part.as_object().cloned().unwrap_or_default();
        call.shift_remove("index");
        call.entry("type").or_insert_with(|| json!("function"));
        let is_own = part["function"]["name"] == EXPAND_TOOL;
        let seen = self.calls.iter().filter(|call| call.shown_at.is_some()).count();
        let shown_at = (!is_own).then_some(seen);
        self.calls.push(Call { index, shown_at, call, arguments: more.to_owned() });
        shown_at
    }

    fn turn(&self, finish: Option<&str>, has_halves: bool) -> Turn {
        let mut turn = Turn::default();
        if !self.content.is_empty() {
            let joined = has_halves.then(|| lone::joined(&self.content));
            turn.shown.push(known_text(joined.as_deref().unwrap_or(&self.content)));
        }
        let mut calls_client = false;
        for call in &self.calls {
            let id = call.call.get("id").and_then(Value::as_str).unwrap_or_default();
            match call.shown_at {
                Some(_) => {
                    turn.shown.push(shown("call", id));
                    calls_client = true;
                }
                None => turn.calls.push(Called {
                    id: id.to_owned(),
                    input: call.arguments.clone(),
                    spelled: call.spelled().to_string(),
                    at: turn.shown.len(),
                }),
            }
        }
        let content = if self.content.is_empty() { Value::Null } else { json!(self.content) };
        let mut said = json!({"role": "assistant", "content": content});
        for (key, value) in &self.reasoning {
            said[key] = value.clone();
        }
        said["tool_calls"] = self.calls.iter().map(Call::spelled).collect();
        turn.said = Some(said.to_string().into_bytes());
        let stopped = finish.is_some_and(|reason| WAITS.contains(&reason));
        let turn = turn.ended(stopped, calls_client);
        if has_halves { turn.joined() } else { turn }
    }
}

impl Call {
    /// The call as it goes back.
    fn spelled(&self) -> Value {
        let mut call = Value::Object(self.call.clone());
        call["function"]["arguments"] = json!(self.arguments);
        call
    }
}

/// What a round's text is known by: how many characters of the answer's text it has, and which.
fn known_text(text: &str) -> String {
    shown(&format!("text {}", text.chars().count()), text)
}

/// What JSON says; halves of characters are held in it.
fn parsed(json: &[u8], has_halves: &mut bool) -> Option<Value> {
    serde_json::from_slice(json).ok().or_else(|| {
        let held = lone::held(json)?;
        *has_halves = true;
        serde_json::from_slice(&held).ok()
    })
}

/// The same as JSON.
fn spelled(value: &Value, has_halves: bool) -> String {
    let spelled = value.to_string();
    if has_halves { lone::joined(&spelled) } else { spelled }
}

/// Whole answers put together.
#[derive(Debug, Default)]
pub(super) struct ChatDocument {
    first: Value,
    content: String,
    reasoning: Map<String, Value>,
    /// The calls of the last answer that the client sees.
    calls: Vec<Value>,
    finish: Value,
    usages: Usages,
    has_halves: bool,
}

impl ChatDocument {
    /// Takes the answer of a round; `None` where it is none that can be read.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Option<Turn> {
        let document = parsed(bytes, &mut self.has_halves)?;
        let [choice] = document["choices"].as_array()?.as_slice() else { return None };
        let mut said = Said::default();
        let mut message = choice["message"].as_object()?.clone();
        said.texts(&message);
        self.content.push_str(&said.content);
        for key in REASONING {
            if let Some(more) = message.get(key).and_then(Value::as_str) {
                let before = self.reasoning.get(key).and_then(Value::as_str).unwrap_or_default();
                self.reasoning.insert(key.to_owned(), json!(before.to_owned() + more));
            }
        }
        said.calls(&mut message);
        self.calls = match message.get_mut("tool_calls") {
            Some(Value::Array(calls)) => std::mem::take(calls),
            _ => Vec::new(),
        };
        if document["usage"].is_object() {
            self.usages.tell(&document["usage"].to_string());
        }
        self.finish = choice["finish_reason"].clone();
        let turn = said.turn(self.finish.as_str(), self.has_halves);
        if self.first.is_null() {
            self.first = document;
        }
        Some(turn)
    }

    pub(super) fn next(&mut self) {
        self.usages.next();
    }

    /// The one answer.
    pub(super) fn told(&self, ends: bool) -> Vec<u8> {
        let mut document = self.first.clone();
        let choice = &mut document["choices"][0];
        choice["finish_reason"] = if ends { json!("stop") } else { self.finish.clone() };
        let message = &mut choice["message"];
        let has_content = !self.content.is_empty();
        message["content"] = if has_content { json!(self.content) } else { Value::Null };
        for (key, value) in &self.reasoning {
            message[key] = value.clone();
        }
        match message.as_object_mut() {
            Some(message) if self.calls.is_empty() => drop(message.shift_remove("tool_calls")),
            _ => message["tool_calls"] = json!(self.calls),
        }
        if document["usage"].is_object() {
            document["usage"] = serde_json::from_slice(&self.usages.sum()).unwrap_or_default();
        }
        spelled(&document, self.has_halves).into_bytes()
    }
}
