//! Messages of requests in the form of `generateContent`, and their parts. Agents record them even
//! when another provider answers.

use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall};
use serde_json::Value;

use crate::conversation_builder::{ConversationBuilder, RecordedResult, StepDraft};
use crate::json::{self, JsonObject};
use crate::problem::ProblemCollector;

/// A part of a message.
pub enum GooglePart {
    /// Text, reasoning or an unknown part.
    Block(ContentBlock),
    /// A call of a tool.
    Call(ToolCall),
    /// The result of a call.
    ToolResult(RecordedResult),
}

/// Adds one message of a request, its results first.
pub fn add_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    problems: &mut ProblemCollector,
) {
    let role = match json::get_text(&message, "role") {
        Some("model") => MessageRole::Assistant,
        Some("user" | "function") | None => MessageRole::User,
        Some("system") => MessageRole::System,
        Some(_) => return problems.report_bad_field("role", "a known role"),
    };
    let mut step = StepDraft::new(role);
    for part in parse_parts(json::take_value(&mut message, "parts"), None) {
        match part {
            GooglePart::Block(block) => step.blocks.push(block),
            GooglePart::Call(call) => step.blocks.push(ContentBlock::Call(call)),
            GooglePart::ToolResult(answer) => draft.add_unpaired_result(answer.unwrap_content()),
        }
    }
    if role == MessageRole::Assistant || !step.blocks.is_empty() {
        draft.push_step(step);
    }
}

/// Parses the parts of a message, whose content is a text, a part or a list of both. Empty text
/// makes no part.
pub fn parse_parts(content: Option<Value>, time: Option<Timestamp>) -> Vec<GooglePart> {
    let list = match content {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(list)) => list,
        Some(single) => vec![single],
    };
    list.into_iter().filter_map(|part| self::parse_part(part, time)).collect()
}

fn parse_part(part: Value, time: Option<Timestamp>) -> Option<GooglePart> {
    let Value::Object(mut object) = part else {
        return json::message_blocks(Some(part)).pop().map(GooglePart::Block);
    };
    if let Some(call) = json::take_object(&mut object, "functionCall") {
        return Some(GooglePart::Call(self::parse_call(call)));
    }
    if let Some(response) = json::take_object(&mut object, "functionResponse") {
        return Some(GooglePart::ToolResult(parse_result(response, time)));
    }
    if let Some(text) = json::take_text(&mut object, "text") {
        let is_thought = json::is_true(&object, "thought");
        let block =
            if is_thought { ContentBlock::Reasoning(text) } else { ContentBlock::Text(text) };
        return (!matches!(&block, ContentBlock::Text(text) | ContentBlock::Reasoning(text) if text.is_empty()))
            .then_some(GooglePart::Block(block));
    }
    let kind = object.keys().next().cloned().unwrap_or_else(|| "unknown".to_owned());
    Some(GooglePart::Block(json::opaque_block(&kind, &Value::Object(object))))
}

/// Parses a call. The name is the id of a call that has none.
fn parse_call(mut call: JsonObject) -> ToolCall {
    let name = json::take_text(&mut call, "name").unwrap_or_default();
    ToolCall {
        id: json::take_text(&mut call, "id")
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| name.clone()),
        name,
        arguments: json::parse_arguments(json::take_value(&mut call, "args")),
    }
}

/// Parses a result. Its text is in `output`, for a failed call in `error`, or in the only member,
/// whatever its name.
fn parse_result(mut response: JsonObject, time: Option<Timestamp>) -> RecordedResult {
    let id = json::take_text(&mut response, "id").filter(|id| !id.is_empty());
    let call = id.or_else(|| json::take_text(&mut response, "name")).unwrap_or_default();
    let mut content = json::take_value(&mut response, "response");
    let mut is_error = false;
    if let Some(Value::Object(object)) = &mut content {
        if let Some(text) = json::take_text(object, "output") {
            content = Some(Value::String(text));
        } else if let Some(text) = json::take_text(object, "error") {
            is_error = true;
            content = Some(Value::String(text));
        } else if let Some(text) = take_only_text(object) {
            content = Some(Value::String(text));
        }
    }
    let mut answer =
        RecordedResult { is_error, ..RecordedResult::from_recorded(call, content, time) };
    for part in json::take_list(&mut response, "parts").unwrap_or_default() {
        if let Some(GooglePart::Block(block)) = self::parse_part(part, time) {
            answer.other_blocks.push(block);
        }
    }
    answer
}

/// Moves the text of an object's only member out.
fn take_only_text(object: &mut JsonObject) -> Option<String> {
    let key = object.keys().next().filter(|_| object.len() == 1)?.clone();
    json::take_text(object, &key)
}
