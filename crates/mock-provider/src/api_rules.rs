//! Rules of the APIs about calls, results and cache breakpoints, and their violations.

use std::fmt;

use foveal_protocols::Protocol;
use serde_json::Value;

use crate::prompt_parts::PromptPart;
use crate::request_body::{conversation_messages, message_parts, string_field};

/// The most cache breakpoints that Anthropic allows.
const BREAKPOINTS_MAX: usize = 4;

/// A violated rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleViolation {
    /// A call without a result directly after it, by its id.
    UnansweredCall(String),
    /// A result without a call directly before it, or a second one of the same call.
    ResultWithoutCall(String),
    /// A result before that of an earlier call. Providers accept it.
    ResultOutOfOrder(String),
    /// More cache breakpoints than allowed.
    TooManyBreakpoints(usize),
    /// A breakpoint of an hour after one of five minutes.
    BreakpointsOutOfOrder,
    /// A breakpoint on reasoning, which no provider accepts.
    BreakpointOnThinking,
    /// A body that is no JSON, or in an unknown encoding.
    UnreadableBody(String),
}

impl RuleViolation {
    /// Returns whether a provider refuses the request for it.
    pub fn causes_refusal(&self) -> bool {
        !matches!(self, RuleViolation::ResultOutOfOrder(_))
    }
}

impl fmt::Display for RuleViolation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RuleViolation::UnansweredCall(id) => {
                write!(formatter, "the call `{id}` has no result after it")
            }
            RuleViolation::ResultWithoutCall(id) => {
                write!(formatter, "the result `{id}` has no call before it")
            }
            RuleViolation::ResultOutOfOrder(id) => {
                write!(formatter, "the result `{id}` is out of order")
            }
            RuleViolation::TooManyBreakpoints(count) => {
                write!(formatter, "{count} blocks have cache_control")
            }
            RuleViolation::BreakpointsOutOfOrder => {
                formatter.write_str("a ttl of 1h comes after one of 5m")
            }
            RuleViolation::BreakpointOnThinking => {
                formatter.write_str("cache_control on a thinking block")
            }
            RuleViolation::UnreadableBody(why) => {
                write!(formatter, "the body cannot be read: {why}")
            }
        }
    }
}

/// Returns the rules that `body` with the parts `prompt` violates.
pub(crate) fn find_violations(
    protocol: Protocol,
    body: &Value,
    prompt: &[PromptPart],
) -> Vec<RuleViolation> {
    let mut broken = Vec::new();
    if protocol == Protocol::Messages {
        check_breakpoints(body, prompt, &mut broken);
    }
    let mut open = UnansweredCalls::default();
    for message in conversation_messages(protocol, body) {
        let parts = message_parts(message);
        match protocol {
            Protocol::Messages => {
                open.match_results(part_ids(&parts, "tool_result", "tool_use_id"), &mut broken);
                open.close_calls(&mut broken);
                open.add_calls(part_ids(&parts, "tool_use", "id"));
            }
            Protocol::Chat => {
                if string_field(message, "role") == "tool" {
                    open.match_results(vec![string_field(message, "tool_call_id")], &mut broken);
                } else {
                    open.close_calls(&mut broken);
                }
                let calls = message["tool_calls"].as_array().into_iter().flatten();
                open.add_calls(calls.map(|call| string_field(call, "id")).collect());
            }
            Protocol::Responses => {
                let (kind, id) = (string_field(message, "type"), string_field(message, "call_id"));
                if kind.ends_with("_call_output") || kind == "tool_search_output" {
                    open.match_results(vec![id], &mut broken);
                } else if kind.ends_with("_call") && !id.is_empty() {
                    open.add_calls(vec![id]);
                } else if kind == "message" && string_field(message, "role") == "user" {
                    open.close_calls(&mut broken);
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
                open.match_results(names("functionResponse"), &mut broken);
                open.close_calls(&mut broken);
                open.add_calls(names("functionCall"));
            }
        }
    }
    open.close_calls(&mut broken);
    broken
}

/// Returns the id of a call or result; in Gemini it is optional, and the name replaces it.
fn gemini_id(value: &Value) -> &str {
    let id = string_field(value, "id");
    if id.is_empty() { string_field(value, "name") } else { id }
}

/// Returns the ids of the parts of this type.
fn part_ids<'a>(parts: &[&'a Value], kind: &str, key: &str) -> Vec<&'a str> {
    parts
        .iter()
        .filter(|part| string_field(part, "type") == kind)
        .map(|part| string_field(part, key))
        .collect()
}

/// The calls without results so far, in order.
#[derive(Default)]
struct UnansweredCalls<'a>(Vec<&'a str>);

impl<'a> UnansweredCalls<'a> {
    fn add_calls(&mut self, ids: Vec<&'a str>) {
        self.0.extend(ids);
    }

    fn match_results(&mut self, ids: Vec<&'a str>, broken: &mut Vec<RuleViolation>) {
        for id in ids {
            match self.0.iter().position(|open| *open == id) {
                None => broken.push(RuleViolation::ResultWithoutCall(id.to_owned())),
                Some(at) => {
                    if at > 0 {
                        broken.push(RuleViolation::ResultOutOfOrder(id.to_owned()));
                    }
                    self.0.remove(at);
                }
            }
        }
    }

    /// Reports the open calls as unanswered: no more results may follow.
    fn close_calls(&mut self, broken: &mut Vec<RuleViolation>) {
        broken.extend(self.0.drain(..).map(|id| RuleViolation::UnansweredCall(id.to_owned())));
    }
}

fn check_breakpoints(body: &Value, prompt: &[PromptPart], broken: &mut Vec<RuleViolation>) {
    let marks: Vec<_> = prompt.iter().filter_map(|part| part.breakpoint).collect();
    if marks.len() > BREAKPOINTS_MAX {
        broken.push(RuleViolation::TooManyBreakpoints(marks.len()));
    }
    if marks.windows(2).any(|pair| pair[0] < pair[1]) {
        broken.push(RuleViolation::BreakpointsOutOfOrder);
    }
    let messages = conversation_messages(Protocol::Messages, body);
    let mut blocks = messages.into_iter().flat_map(message_parts);
    let is_thinking = |block: &Value| string_field(block, "type").ends_with("thinking");
    if blocks.any(|block| is_thinking(block) && block["cache_control"].is_object()) {
        broken.push(RuleViolation::BreakpointOnThinking);
    }
}
