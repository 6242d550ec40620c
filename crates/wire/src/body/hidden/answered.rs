//! Calls of the tool with their results, as they go to the model.

use serde_json::json;

use super::insertion::{Insertion, inserted};
use super::taken_back;
use crate::body::answer_mark::MARKS_MAX;
use crate::body::markable::{MARK, MARK_FOR_AN_HOUR};
use crate::body::marks::{CacheMark, MarkPlace};
use crate::body::scan::Body;
use crate::body::walk::Place;
use crate::protocol::Protocol;
use crate::response::{Called, EXPAND_TOOL};

/// A call of the tool that was answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answered {
    /// The call.
    pub called: Called,
    /// Its result.
    pub text: String,
    /// Whether that says that it failed.
    pub is_error: bool,
}

/// A round of an answer: what the client was shown of it, and the calls that it was not.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Hidden {
    /// What the client was shown.
    pub shown: Vec<String>,
    /// The calls.
    pub calls: Vec<Answered>,
}

impl Answered {
    /// Its result: a part of a message, or a message of its own, as the API has it.
    pub(super) fn result(&self, protocol: Protocol) -> String {
        let (id, text) = (&self.called.id, &self.text);
        let result = match protocol {
            Protocol::Messages if self.is_error => json!({
                "type": "tool_result", "tool_use_id": id, "content": text, "is_error": true,
            }),
            Protocol::Messages => {
                json!({"type": "tool_result", "tool_use_id": id, "content": text})
            }
            Protocol::Chat => json!({"role": "tool", "tool_call_id": id, "content": text}),
            Protocol::Responses => {
                json!({"type": "function_call_output", "call_id": id, "output": text})
            }
            Protocol::Gemini => {
                let key = if self.is_error { "error" } else { "output" };
                let mut response = json!({"name": EXPAND_TOOL, "response": {key: text}});
                if !id.is_empty() {
                    response["id"] = json!(id);
                }
                json!({ "functionResponse": response })
            }
        };
        result.to_string()
    }
}

/// The calls as parts of the model's turn, joined by commas.
pub(super) fn calls(answered: &[Answered]) -> String {
    let calls: Vec<&str> = answered.iter().map(|it| &*it.called.spelled).collect();
    calls.join(",")
}

/// The results, joined by commas.
fn results(answered: &[Answered], protocol: Protocol) -> String {
    let results: Vec<String> = answered.iter().map(|it| it.result(protocol)).collect();
    results.join(",")
}

/// The messages that results make, joined by commas.
pub(super) fn messages(answered: &[Answered], protocol: Protocol) -> String {
    let results = results(answered, protocol);
    match protocol {
        Protocol::Messages => format!(r#"{{"role":"user","content":[{results}]}}"#),
        Protocol::Gemini => format!(r#"{{"role":"user","parts":[{results}]}}"#),
        Protocol::Chat | Protocol::Responses => results,
    }
}

/// A request with a turn of the model behind its last message, and the results that the turn waits
/// for.
pub fn going_on(body: &Body, bytes: &[u8], said: &[u8], answered: &[Answered]) -> Vec<u8> {
    let Some(last) = body.messages.last() else { return bytes.to_vec() };
    let mut more = b",".to_vec();
    more.extend_from_slice(&match body.protocol {
        Protocol::Responses => taken_back::items(said, body.store),
        _ => said.to_vec(),
    });
    more.push(b',');
    more.extend_from_slice(messages(answered, body.protocol).as_bytes());
    inserted(bytes, vec![Insertion::new(last.end, more)])
}

/// A request that goes on, with a mark for the provider's cache at its end, where its client has
/// its messages cached and sets fewer marks than there may be. `None` where none is to be set.
/// `client` is the same as the client sent it: where foveal set the fourth mark, that goes, since
/// what it asks for was done in the round before.
pub fn marked_at_end(body: &Body, bytes: &[u8], client: &Body) -> Option<Vec<u8>> {
    let last = body.messages.len().checked_sub(1)?;
    let is_of_messages = |mark: &CacheMark| matches!(mark.place, MarkPlace::Message(_));
    let is_left_to_client = body.protocol != Protocol::Messages
        || !body.marks.iter().any(is_of_messages)
        || body.marks.iter().any(|mark| mark.place == MarkPlace::Request);
    if is_left_to_client {
        return None;
    }
    let cut = match body.marks.len() < MARKS_MAX {
        true => 0..0,
        false => only_own(body, bytes, client)?,
    };
    let place = body.markable_message(bytes, last).ok()?.place?;
    let marked = inserted(bytes, vec![Insertion::new(place, MARK)]);
    Some([&marked[..cut.start], &marked[cut.end..]].concat())
}

/// Where the one mark stands that is in one of the messages and that the client did not set; `None`
/// where there are none or more.
fn only_own(body: &Body, bytes: &[u8], client: &Body) -> Option<Place> {
    let mut theirs = client.marks.iter().map(|mark| mark.place).peekable();
    let is_own = |mark: &&CacheMark| theirs.next_if_eq(&mark.place).is_none();
    let own: Vec<&CacheMark> = body.marks.iter().filter(is_own).collect();
    let [CacheMark { place: MarkPlace::Message(_), value, .. }] = own[..] else { return None };
    [MARK, MARK_FOR_AN_HOUR].into_iter().find_map(|text| {
        let start = value.end.checked_sub(text.len())?;
        (&bytes[start..value.end] == text.as_bytes()).then_some(start..value.end)
    })
}
