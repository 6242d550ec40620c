//! The messages of Google's `generateContent`, and the parts that they are made of. Agents record
//! these, also where they talk to another provider.

use foveal_transcript::{Block, Call, Role, Timestamp};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step};
use crate::json::{self, Object};
use crate::output::Output;

/// One part of a message.
pub(crate) enum Part {
    Block(Block),
    Call(Call),
    Answer(Answer),
}

/// Adds one message of a request; its results come first.
pub(crate) fn message(draft: &mut Draft, mut message: Object, output: &mut Output<'_>) {
    let role = match json::text(&message, "role") {
        Some("model") => Role::Assistant,
        Some("user" | "function") | None => Role::User,
        Some("system") => Role::System,
        Some(_) => return output.bad_field("role", "a known role"),
    };
    let mut step = Step::new(role);
    for part in parts(json::take(&mut message, "parts"), None) {
        match part {
            Part::Block(block) => step.blocks.push(block),
            Part::Call(call) => step.blocks.push(Block::Call(call)),
            Part::Answer(answer) => draft.answer_alone(answer.unwrapped()),
        }
    }
    if role == Role::Assistant || !step.blocks.is_empty() {
        draft.push(step);
    }
}

/// The parts of a message, whose content is text, one part or a list of both. Empty text makes
/// no part.
pub(crate) fn parts(content: Option<Value>, time: Option<Timestamp>) -> Vec<Part> {
    let list = match content {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(list)) => list,
        Some(single) => vec![single],
    };
    list.into_iter().filter_map(|part| self::part(part, time)).collect()
}

fn part(part: Value, time: Option<Timestamp>) -> Option<Part> {
    let Value::Object(mut object) = part else {
        return json::message_blocks(Some(part)).pop().map(Part::Block);
    };
    if let Some(call) = json::take_object(&mut object, "functionCall") {
        return Some(Part::Call(self::call(call)));
    }
    if let Some(response) = json::take_object(&mut object, "functionResponse") {
        return Some(Part::Answer(answer(response, time)));
    }
    if let Some(text) = json::take_text(&mut object, "text") {
        let is_thought = json::is_true(&object, "thought");
        let block = if is_thought { Block::Reasoning(text) } else { Block::Text(text) };
        return (!matches!(&block, Block::Text(text) | Block::Reasoning(text) if text.is_empty()))
            .then_some(Part::Block(block));
    }
    let kind = object.keys().next().cloned().unwrap_or_else(|| "unknown".to_owned());
    Some(Part::Block(json::opaque(&kind, &Value::Object(object))))
}

/// A call; one without an id is known by its name.
fn call(mut call: Object) -> Call {
    let name = json::take_text(&mut call, "name").unwrap_or_default();
    Call {
        id: json::take_text(&mut call, "id")
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| name.clone()),
        name,
        arguments: json::arguments(json::take(&mut call, "args")),
    }
}

/// A result: its text stands in `output`, in `error` where the call failed, or in the only member
/// that there is, whatever its name.
fn answer(mut response: Object, time: Option<Timestamp>) -> Answer {
    let id = json::take_text(&mut response, "id").filter(|id| !id.is_empty());
    let call = id.or_else(|| json::take_text(&mut response, "name")).unwrap_or_default();
    let mut content = json::take(&mut response, "response");
    let mut is_error = false;
    if let Some(Value::Object(object)) = &mut content {
        if let Some(text) = json::take_text(object, "output") {
            content = Some(Value::String(text));
        } else if let Some(text) = json::take_text(object, "error") {
            is_error = true;
            content = Some(Value::String(text));
        } else if let Some(text) = lone_text(object) {
            content = Some(Value::String(text));
        }
    }
    let mut answer = Answer { is_error, ..Answer::of(call, content, time) };
    for part in json::take_list(&mut response, "parts").unwrap_or_default() {
        if let Some(Part::Block(block)) = self::part(part, time) {
            answer.others.push(block);
        }
    }
    answer
}

/// The text of an object's only member, moved out.
fn lone_text(object: &mut Object) -> Option<String> {
    let key = object.keys().next().filter(|_| object.len() == 1)?.clone();
    json::take_text(object, &key)
}
