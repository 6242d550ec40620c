//! Messages of requests and recordings in the form of Chat Completions.

use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall, Usage};
use serde_json::Value;

use crate::conversation_builder::{ConversationBuilder, RecordedResult, StepDraft, StepIndex};
use crate::json::{self, JsonObject};
use crate::problem::ProblemCollector;

/// Adds one message of a request. A result that is a wrapped document is replaced by its texts.
pub fn add_request_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    problems: &mut ProblemCollector,
) {
    if matches!(json::get_text(&message, "role"), Some("tool" | "function")) {
        let answer = self::parse_result(&mut message, None);
        problems.report_error(draft.add_result(answer.unwrap_content()));
        return;
    }
    self::add_message(draft, message, None, problems);
}

/// Adds one message. Returns its step unless it is a result.
pub fn add_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    time: Option<Timestamp>,
    problems: &mut ProblemCollector,
) -> Option<StepIndex> {
    let role = match json::get_text(&message, "role") {
        Some("system" | "developer") => MessageRole::System,
        Some("user") => MessageRole::User,
        Some("assistant") => MessageRole::Assistant,
        Some("tool" | "function") => {
            problems.report_error(draft.add_result(parse_result(&mut message, time)));
            return None;
        }
        _ => {
            problems.report_bad_field("role", "a known role");
            return None;
        }
    };
    let mut step = StepDraft::with_blocks(role, time, Vec::new());
    for field in ["reasoning_content", "reasoning"] {
        if let Some(text) = json::take_text(&mut message, field) {
            step.blocks.push(ContentBlock::Reasoning(text));
            break;
        }
    }
    step.blocks.extend(json::message_blocks(json::take_value(&mut message, "content")));
    let index = draft.push_step(step);
    for call in json::take_list(&mut message, "tool_calls").unwrap_or_default() {
        match self::parse_call(call) {
            Some(call) => problems.report_error(draft.add_call(index, call)),
            None => problems.report_bad_field("tool_calls[]", "a call with a function"),
        }
    }
    if let Some(function) = json::take_object(&mut message, "function_call") {
        // The older form without ids: the result names the function.
        let id = json::get_text(&function, "name").unwrap_or_default().to_owned();
        problems.report_error(draft.add_call(index, parse_function_call(id, function)));
    }
    Some(index)
}

/// Parses a call of a message.
pub fn parse_call(call: Value) -> Option<ToolCall> {
    let Value::Object(mut call) = call else { return None };
    let id = json::take_text(&mut call, "id").unwrap_or_default();
    match json::take_object(&mut call, "function") {
        Some(function) => Some(parse_function_call(id, function)),
        None => {
            let mut custom = json::take_object(&mut call, "custom")?;
            let mut arguments = JsonObject::new();
            arguments.insert("input".to_owned(), json::take_value(&mut custom, "input")?);
            let name = json::take_text(&mut custom, "name")?;
            Some(ToolCall { id, name, arguments: Value::Object(arguments) })
        }
    }
}

fn parse_function_call(id: String, mut function: JsonObject) -> ToolCall {
    ToolCall {
        id,
        name: json::take_text(&mut function, "name").unwrap_or_default(),
        arguments: json::parse_arguments(json::take_value(&mut function, "arguments")),
    }
}

fn parse_result(message: &mut JsonObject, time: Option<Timestamp>) -> RecordedResult {
    let call = take_answered_call(message);
    let content = json::take_value(message, "content");
    RecordedResult::from_recorded(call, content, time)
}

/// Takes the id of the call that a result answers, or in the older form the name of the function.
fn take_answered_call(message: &mut JsonObject) -> String {
    let id = json::take_text(message, "tool_call_id").filter(|id| !id.is_empty());
    id.or_else(|| json::take_text(message, "name")).unwrap_or_default()
}

/// Parses usage in the form of Chat Completions, where the prompt includes cached tokens.
pub fn parse_chat_usage(usage: &JsonObject) -> Usage {
    let details = json::get_object(usage, "prompt_tokens_details");
    let cached = |key| details.map_or(0, |details| json::get_count(details, key));
    let cache_read = cached("cached_tokens");
    let cache_write = json::get_count(usage, "cache_creation_input_tokens");
    let prompt = json::get_count(usage, "prompt_tokens");
    Usage {
        input: prompt.saturating_sub(cache_read).saturating_sub(cache_write),
        cache_read,
        cache_write,
        cache_write_hour: 0,
        output: json::get_count(usage, "completion_tokens"),
    }
}
