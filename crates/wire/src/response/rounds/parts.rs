//! What a part of Gemini's answers is known by, and the turn that parts make.

use serde_json::{Map, Number, Value};

use super::turn::{Called, EXPAND_TOOL, Turn, shown};

/// A part, as far as it counts for what it is known by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum GeminiPart {
    /// A text. Clients join those that follow each other.
    Text(String),
    /// A summary of what the model thought.
    Thought(String),
    /// A call, by its name and arguments: ids are optional.
    Call(String),
    /// Anything else.
    Other(String),
}

impl GeminiPart {
    pub(crate) fn of(part: &Value) -> Self {
        if let Some(text) = part["text"].as_str() {
            return match part["thought"] == true {
                true => Self::Thought(text.to_owned()),
                false => Self::Text(text.to_owned()),
            };
        }
        let call = &part["functionCall"];
        if call.is_object() {
            let arguments = plain(&call["args"]);
            let name = call["name"].as_str().unwrap_or_default();
            return Self::Call(shown("call", &format!("{name} {arguments}")));
        }
        let mut rest = part.clone();
        rest.as_object_mut().map(|part| part.shift_remove("thoughtSignature"));
        Self::Other(shown("item", &plain(&rest).to_string()))
    }
}

/// Whether a part is a call of the tool.
pub(super) fn is_own(part: &Value) -> bool {
    part["functionCall"]["name"] == EXPAND_TOOL
}

/// A value as it stays when others read it and write it again: in their order of members, and with
/// their spelling of numbers.
fn plain(value: &Value) -> Value {
    match value {
        Value::Array(all) => all.iter().map(plain).collect(),
        Value::Object(all) => {
            let mut members: Vec<_> = all.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members = members.into_iter().map(|(key, value)| (key.clone(), plain(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        Value::Number(number) => {
            let number = number.as_f64().and_then(Number::from_f64);
            number.map_or(Value::Null, Value::Number)
        }
        other => other.clone(),
    }
}

/// What was said in a round.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// As it goes back: texts that follow each other are one.
    parts: Vec<Value>,
}

impl Said {
    /// Takes the next part.
    pub(super) fn push(&mut self, part: &Value) {
        if let (Some(Value::Object(last)), Value::Object(next)) = (self.parts.last_mut(), part)
            && is_text_alone(last)
            && is_text_alone(next)
            && last.get("thought") == next.get("thought")
            && let (Some(Value::String(text)), Some(more)) =
                (last.get_mut("text"), next.get("text").and_then(Value::as_str))
        {
            text.push_str(more);
            return;
        }
        self.parts.push(part.clone());
    }

    pub(super) fn has_calls(&self) -> bool {
        self.parts.iter().any(is_own)
    }

    /// The turn, ended as one does that waits for results, or not.
    pub(super) fn turn(&self, waits: bool) -> Turn {
        let mut turn = Turn::default();
        let mut open = Run::None;
        let mut calls_client = false;
        for part in &self.parts {
            if is_own(part) {
                turn.shown.extend(std::mem::take(&mut open).known());
                turn.calls.push(called(part, turn.shown.len()));
                continue;
            }
            open = match (GeminiPart::of(part), open) {
                (GeminiPart::Text(more), Run::Text(text)) => Run::Text(text + &more),
                (GeminiPart::Thought(more), Run::Thought(text)) => Run::Thought(text + &more),
                (next, open) => {
                    turn.shown.extend(open.known());
                    calls_client |= matches!(next, GeminiPart::Call(_));
                    match next {
                        GeminiPart::Text(text) => Run::Text(text),
                        GeminiPart::Thought(text) => Run::Thought(text),
                        GeminiPart::Call(known) | GeminiPart::Other(known) => Run::Known(known),
                    }
                }
            };
        }
        turn.shown.extend(open.known());
        // Clients leave summaries of thoughts out of what they send back.
        let is_summary =
            |part: &&Value| part["thought"] == true && part["thoughtSignature"].is_null();
        let parts = self.parts.iter().filter(|part| !is_summary(part));
        let parts: Vec<String> = parts.map(Value::to_string).collect();
        let said = format!(r#"{{"role":"model","parts":[{}]}}"#, parts.join(","));
        turn.said = Some(said.into_bytes());
        turn.ended(waits, calls_client)
    }
}

/// Parts that are known as one.
#[derive(Debug, Default)]
enum Run {
    #[default]
    None,
    Text(String),
    Thought(String),
    Known(String),
}

impl Run {
    fn known(self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Text(text) if text.is_empty() => None,
            Self::Text(text) => Some(shown(&format!("text {}", text.chars().count()), &text)),
            Self::Thought(text) => Some(shown("thinking", &text)),
            Self::Known(known) => Some(known),
        }
    }
}

/// Whether a part has a text, and nothing that belongs to it.
fn is_text_alone(part: &Map<String, Value>) -> bool {
    let is_plain = |key: &String| key == "text" || key == "thought";
    part.get("text").is_some_and(Value::is_string) && part.keys().all(is_plain)
}

fn called(part: &Value, at: usize) -> Called {
    let call = &part["functionCall"];
    let id = call["id"].as_str().unwrap_or_default().to_owned();
    let arguments = call.get("args").filter(|args| !args.is_null());
    let input = arguments.map_or_else(|| "{}".to_owned(), Value::to_string);
    Called { id, input, spelled: part.to_string(), at }
}
