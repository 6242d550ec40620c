//! Anthropic's Messages, as events.

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::super::pick::{Field, bytes, pick, text};
use super::blocks::Block;
use super::edit::{place, replaced, spelled};
use super::lone;
use super::turn::{Called, EXPAND_TOOL, Turn, says_nothing, shown};
use super::usage::Usages;

/// Why a turn stopped that waits for results.
pub(super) const WAITS: [&str; 2] = ["tool_use", "end_turn"];

/// The state of an answer in several rounds.
#[derive(Debug, Default)]
pub(super) struct Messages {
    /// Parts that the client was shown in the rounds before.
    shown_before: usize,
    is_later: bool,
    parts: Vec<Part>,
    /// Whether halves of characters are held in the parts.
    has_halves: bool,
    stop_reason: Option<String>,
    usages: Usages,
    /// The last event but one, held back until it is known what comes of the turn.
    delta: Option<Block>,
    stop: Vec<u8>,
}

/// A content block of this round.
#[derive(Debug)]
struct Part {
    index: u64,
    /// Where the client sees it; `None`: it is a call of the tool.
    shown_at: Option<usize>,
    block: Map<String, Value>,
    /// The arguments of a call, as they come.
    input: String,
    /// Whether all that came of it could be put together.
    is_known: bool,
}

impl Messages {
    /// Takes an event; whether it ends the turn and is held back.
    pub(super) fn take(&mut self, raw: &[u8], block: &Block, out: &mut Vec<u8>) -> bool {
        let keys = ["type", "index", "content_block", "delta", "message", "usage"];
        let Some([kind, index, content, delta, message, usage]) = pick(&block.data, keys) else {
            out.extend_from_slice(raw);
            return false;
        };
        let passes = match text(kind).as_deref() {
            Some("message_start") => {
                if let Some([Some(usage)]) = pick(bytes(message), ["usage"]) {
                    self.usages.tell(usage.get());
                }
                !self.is_later
            }
            Some("content_block_start") => {
                self.begin(number(index), content);
                self.pass_part(block, index, out)
            }
            Some("content_block_delta") => {
                self.go_on(number(index), delta);
                self.pass_part(block, index, out)
            }
            Some("content_block_stop") => self.pass_part(block, index, out),
            Some("message_delta") => {
                if let Some(usage) = usage {
                    self.usages.tell(usage.get());
                }
                if let Some([reason]) = pick(bytes(delta), ["stop_reason"]) {
                    self.stop_reason =
                        text(reason).map(|it| it.into_owned()).or(self.stop_reason.take());
                }
                let is_held = self.is_later || self.has_calls();
                if is_held {
                    self.delta = Some(block.clone());
                }
                !is_held
            }
            Some("message_stop") if self.delta.is_some() => {
                self.stop = raw.to_vec();
                return true;
            }
            _ => true,
        };
        if passes {
            out.extend_from_slice(raw);
        }
        false
    }

    fn has_calls(&self) -> bool {
        self.parts.iter().any(|part| part.shown_at.is_none())
    }

    fn begin(&mut self, index: Option<u64>, content: Field<'_>) {
        let (Some(index), Some(content)) = (index, content) else { return };
        let held = lone::held(content.get().as_bytes());
        self.has_halves |= held.is_some();
        let json = held.as_deref().unwrap_or(content.get().as_bytes());
        let (block, is_known) = match serde_json::from_slice(json) {
            Ok(Value::Object(block)) => (block, true),
            // It is nested too deep to be put together.
            _ => (named(json), false),
        };
        let is_call = block.get("type").is_some_and(|it| it == "tool_use")
            && block.get("name").is_some_and(|it| it == EXPAND_TOOL);
        let seen = self.parts.iter().filter(|part| part.shown_at.is_some()).count();
        let shown_at = (!is_call).then_some(self.shown_before + seen);
        self.parts.push(Part { index, shown_at, block, input: String::new(), is_known });
    }

    fn go_on(&mut self, index: Option<u64>, delta: Field<'_>) {
        let Some(part) = self.parts.iter_mut().rev().find(|part| Some(part.index) == index) else {
            return;
        };
        let held = lone::held(bytes(delta));
        self.has_halves |= held.is_some();
        let delta = held.as_deref().unwrap_or(bytes(delta));
        let keys = ["type", "text", "thinking", "signature", "partial_json", "citation"];
        let Some([kind, said, thinking, signature, json, citation]) = pick(delta, keys) else {
            part.is_known = false;
            return;
        };
        match text(kind).as_deref() {
            Some("text_delta") => part.push("text", said),
            Some("thinking_delta") => part.push("thinking", thinking),
            Some("signature_delta") => {
                if let Some(signature) = text(signature) {
                    part.block.insert("signature".to_owned(), json!(signature));
                }
            }
            Some("input_json_delta") => part.input.push_str(&text(json).unwrap_or_default()),
            Some("citations_delta") => {
                let citation = citation.and_then(|it| serde_json::from_str::<Value>(it.get()).ok());
                let all = part.block.entry("citations").or_insert_with(|| json!([]));
                match all {
                    Value::Array(all) => all.extend(citation),
                    other => *other = json!([citation]),
                }
            }
            _ => part.is_known = false,
        }
    }

    /// Passes an event of a block with its place in what the client sees; whether it passes as it
    /// is.
    fn pass_part(&self, block: &Block, index: Field<'_>, out: &mut Vec<u8>) -> bool {
        let is_it = |part: &&Part| Some(part.index) == number(index);
        let Some(part) = self.parts.iter().rev().find(is_it) else { return true };
        let Some(at) = part.shown_at else { return false };
        if at as u64 == part.index {
            return true;
        }
        let Some(place) = place(&block.data, index) else { return true };
        let data = replaced(&block.data, vec![(place, at.to_string().into_bytes())]);
        out.extend_from_slice(&block.with(&data));
        false
    }

    /// The turn that ended.
    pub(super) fn turn(&self) -> Turn {
        let mut turn = Turn::default();
        let mut content = Vec::new();
        let mut calls_client = false;
        for part in &self.parts {
            match part.shown_at {
                None => turn.calls.push(part.called(turn.shown.len())),
                Some(_) => {
                    turn.shown.push(self.known(part));
                    calls_client |= part.block.get("type").is_some_and(|it| it == "tool_use");
                    if turn.shown.last().is_some_and(|shown| says_nothing(shown)) {
                        continue;
                    }
                }
            }
            content.push(part.spelled());
        }
        let content: Option<Vec<String>> = content.into_iter().collect();
        turn.said = content.map(|content| {
            format!(r#"{{"role":"assistant","content":[{}]}}"#, content.join(",")).into_bytes()
        });
        if self.has_halves {
            turn = turn.joined();
        }
        let stopped = self.stop_reason.as_deref().is_some_and(|reason| WAITS.contains(&reason));
        turn.ended(stopped, calls_client)
    }

    /// What a part is known by.
    fn known(&self, part: &Part) -> String {
        let spelled = Value::Object(part.block.clone()).to_string();
        let spelled = if self.has_halves { lone::joined(&spelled) } else { spelled };
        known_by(spelled.as_bytes()).unwrap_or_default()
    }

    /// Whether the turn is over and its end is held back, also where no last event came.
    pub(super) fn holds(&self) -> bool {
        self.delta.is_some()
    }

    /// Goes on to the next round.
    pub(super) fn next(&mut self) {
        self.shown_before += self.parts.iter().filter(|part| part.shown_at.is_some()).count();
        self.is_later = true;
        self.usages.next();
        self.parts.clear();
        self.has_halves = false;
        (self.delta, self.stop_reason) = (None, None);
        self.stop.clear();
    }

    /// Hands over what was held back. Where `ends` the client is told that the turn has ended, since
    /// nothing comes of its calls.
    pub(super) fn release(&mut self, ends: bool, out: &mut Vec<u8>) {
        if let Some(block) = self.delta.take() {
            let mut edits = Vec::new();
            let fields = pick(&block.data, ["delta", "usage"]);
            if let Some([delta, usage]) = fields {
                let reason = pick(bytes(delta), ["stop_reason"]).and_then(|[reason]| reason);
                if let Some(place) = place(&block.data, reason).filter(|_| ends) {
                    edits.push((place, br#""end_turn""#.to_vec()));
                }
                if let Some(place) = place(&block.data, usage).filter(|_| self.is_later) {
                    edits.push((place, self.usages.sum()));
                }
            }
            out.extend_from_slice(&block.with(&replaced(&block.data, edits)));
        }
        out.append(&mut self.stop);
    }
}

impl Part {
    fn push(&mut self, key: &str, more: Field<'_>) {
        let more = text(more).unwrap_or_default();
        match self.block.get_mut(key) {
            Some(Value::String(text)) => text.push_str(&more),
            _ => drop(self.block.insert(key.to_owned(), json!(more))),
        }
    }

    /// The block as it goes back; `None` where that is not known.
    fn spelled(&self) -> Option<String> {
        if !self.is_known {
            return None;
        }
        if self.input.trim().is_empty() {
            return Some(Value::Object(self.block.clone()).to_string());
        }
        // What is no JSON nobody takes back.
        let input = RawValue::from_string(self.input.clone()).ok();
        let mut members = Vec::new();
        for (key, value) in &self.block {
            let own = input.as_deref().filter(|_| key == "input").map(RawValue::get);
            let value = own.map_or_else(|| value.to_string(), str::to_owned);
            members.push(format!("{}:{value}", spelled(key)));
        }
        Some(format!("{{{}}}", members.join(",")))
    }

    fn called(&self, at: usize) -> Called {
        let id = self.block.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
        let input = if self.input.trim().is_empty() {
            self.block.get("input").unwrap_or(&json!({})).to_string()
        } else {
            self.input.clone()
        };
        Called { id, input, spelled: self.spelled().unwrap_or_default(), at }
    }
}

/// What a block is known by when it comes back; `None` where it is none. However deep it is nested,
/// only its own fields are read.
pub(crate) fn known_by(block: &[u8]) -> Option<String> {
    let fields = pick(block, ["type", "text", "signature", "data", "id"])?;
    let [kind, said, signature, data, id] = fields.map(text_or_halves);
    let kind = kind.unwrap_or_default();
    let says = match &*kind {
        "text" => said,
        "thinking" => signature,
        "redacted_thinking" => data,
        _ => id,
    };
    Some(shown(&kind, &says.unwrap_or_default()))
}

/// The text of a field. Halves of characters in it are told by what stands for them.
fn text_or_halves(field: Field<'_>) -> Option<String> {
    let read = text(field).map(|text| text.into_owned());
    read.or_else(|| serde_json::from_slice(&lone::held(bytes(field))?).ok())
}

/// A block of which only these fields are known.
fn named(json: &[u8]) -> Map<String, Value> {
    const KEYS: [&str; 3] = ["type", "id", "name"];
    let fields = pick(json, KEYS).unwrap_or_default();
    let told = KEYS.into_iter().zip(fields);
    told.filter_map(|(key, field)| Some((key.to_owned(), json!(text(field)?)))).collect()
}

fn number(field: Field<'_>) -> Option<u64> {
    field?.get().parse().ok()
}
