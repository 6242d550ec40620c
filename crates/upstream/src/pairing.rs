//! Rules of the APIs about calls, results and marks, and which of them a request breaks.

use std::fmt;

use foveal_wire::Protocol;
use serde_json::Value;

use crate::prompt::Part;
use crate::request::{parts, text, turns};

/// Marks that Anthropic allows.
const MARKS_MAX: usize = 4;

/// A rule that a request breaks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// A call without a result right behind it, by its id.
    Unanswered(String),
    /// A result without a call right before it, or a second one of the same call.
    Unasked(String),
    /// A result that stands before that of an earlier call. Providers take it.
    OutOfOrder(String),
    /// More marks of prompt caching than are allowed.
    TooManyMarks(usize),
    /// A mark for an hour behind one for minutes.
    MarksOutOfOrder,
    /// A mark on reasoning, which no provider takes.
    MarkOnThinking,
    /// A body that is no JSON, or in an encoding that is not known.
    Unreadable(String),
}

impl Broken {
    /// Whether a provider refuses the request for it.
    pub fn is_refused(&self) -> bool {
        !matches!(self, Broken::OutOfOrder(_))
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Unanswered(id) => write!(formatter, "the call `{id}` has no result behind it"),
            Broken::Unasked(id) => write!(formatter, "the result `{id}` has no call before it"),
            Broken::OutOfOrder(id) => write!(formatter, "the result `{id}` is out of order"),
            Broken::TooManyMarks(count) => write!(formatter, "{count} blocks have cache_control"),
            Broken::MarksOutOfOrder => formatter.write_str("a ttl of 1h comes after one of 5m"),
            Broken::MarkOnThinking => formatter.write_str("cache_control on a thinking block"),
            Broken::Unreadable(why) => write!(formatter, "the body cannot be read: {why}"),
        }
    }
}

/// Which rules `body` breaks, whose prompt is `prompt`.
pub(crate) fn broken(protocol: Protocol, body: &Value, prompt: &[Part]) -> Vec<Broken> {
    let mut broken = Vec::new();
    if protocol == Protocol::Messages {
        marks(body, prompt, &mut broken);
    }
    let mut open = Open::default();
    for message in turns(protocol, body) {
        let parts = parts(message);
        match protocol {
            Protocol::Messages => {
                open.results(ids(&parts, "tool_result", "tool_use_id"), &mut broken);
                open.close(&mut broken);
                open.calls(ids(&parts, "tool_use", "id"));
            }
            Protocol::Chat => {
                if text(message, "role") == "tool" {
                    open.results(vec![text(message, "tool_call_id")], &mut broken);
                } else {
                    open.close(&mut broken);
                }
                let calls = message["tool_calls"].as_array().into_iter().flatten();
                open.calls(calls.map(|call| text(call, "id")).collect());
            }
            Protocol::Responses => {
                let (kind, id) = (text(message, "type"), text(message, "call_id"));
                if kind.ends_with("_call_output") || kind == "tool_search_output" {
                    open.results(vec![id], &mut broken);
                } else if kind.ends_with("_call") && !id.is_empty() {
                    open.calls(vec![id]);
                } else if kind == "message" && text(message, "role") == "user" {
                    open.close(&mut broken);
                }
            }
            Protocol::Gemini => {
                let names = |key: &str| -> Vec<&str> {
                    parts
                        .iter()
                        .filter(|part| part[key].is_object())
                        .map(|part| gemini_id(&part[key]))
                        .collect()
                };
                open.results(names("functionResponse"), &mut broken);
                open.close(&mut broken);
                open.calls(names("functionCall"));
            }
        }
    }
    open.close(&mut broken);
    broken
}

/// Gemini's ids are optional; without one the name stands for it.
fn gemini_id(value: &Value) -> &str {
    let id = text(value, "id");
    if id.is_empty() { text(value, "name") } else { id }
}

/// The ids of the parts of this type.
fn ids<'a>(parts: &[&'a Value], kind: &str, key: &str) -> Vec<&'a str> {
    parts.iter().filter(|part| text(part, "type") == kind).map(|part| text(part, key)).collect()
}

/// Calls that wait for their results, in their order.
#[derive(Default)]
struct Open<'a>(Vec<&'a str>);

impl<'a> Open<'a> {
    fn calls(&mut self, ids: Vec<&'a str>) {
        self.0.extend(ids);
    }

    fn results(&mut self, ids: Vec<&'a str>, broken: &mut Vec<Broken>) {
        for id in ids {
            match self.0.iter().position(|open| *open == id) {
                None => broken.push(Broken::Unasked(id.to_owned())),
                Some(at) => {
                    if at > 0 {
                        broken.push(Broken::OutOfOrder(id.to_owned()));
                    }
                    self.0.remove(at);
                }
            }
        }
    }

    /// No more results may come for the calls that are open.
    fn close(&mut self, broken: &mut Vec<Broken>) {
        broken.extend(self.0.drain(..).map(|id| Broken::Unanswered(id.to_owned())));
    }
}

fn marks(body: &Value, prompt: &[Part], broken: &mut Vec<Broken>) {
    let marks: Vec<_> = prompt.iter().filter_map(|part| part.mark).collect();
    if marks.len() > MARKS_MAX {
        broken.push(Broken::TooManyMarks(marks.len()));
    }
    if marks.windows(2).any(|pair| pair[0] < pair[1]) {
        broken.push(Broken::MarksOutOfOrder);
    }
    let messages = turns(Protocol::Messages, body);
    let mut blocks = messages.into_iter().flat_map(parts);
    let is_thinking = |block: &Value| text(block, "type").ends_with("thinking");
    if blocks.any(|block| is_thinking(block) && block["cache_control"].is_object()) {
        broken.push(Broken::MarkOnThinking);
    }
}
