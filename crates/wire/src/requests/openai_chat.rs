//! The request body of OpenAI's Chat Completions, and its messages, which other recordings use,
//! too.

use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall, Usage};
use serde_json::Value;

use crate::conversation_builder::{ConversationBuilder, RecordedResult, StepDraft, StepIndex};
use crate::json::{self, JsonObject};
use crate::key_paths::KeyPaths;
use crate::problem::ProblemKind;
use crate::requests::anthropic;
use crate::session_sink::SessionSink;

/// Reads one request body.
pub(crate) fn read_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = ConversationBuilder::new(output.name);
    output.for_each_object("messages[]", messages, |each, output| {
        add_request_message(&mut draft, each, output);
    });
    output.emit_conversation(draft);
}

/// Adds one message of a request. A result that is a wrapped document is replaced by its texts.
pub(crate) fn add_request_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    output: &mut SessionSink<'_>,
) {
    if matches!(json::get_text(&message, "role"), Some("tool" | "function")) {
        let answer = self::parse_result(&mut message, None);
        output.report_error(draft.add_result(answer.unwrap_content()));
        return;
    }
    self::add_message(draft, message, None, output);
}

/// Detects a request body by its keys. A body without these keys and without Anthropic's is one if
/// no more bytes come and it names no model of Anthropic's.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    const SIGNS: [&str; 8] = [
        "messages[].tool_calls",
        "messages[].tool_call_id",
        "messages[].content[].image_url",
        "messages[].reasoning_content",
        "tools[].function",
        "max_completion_tokens",
        "stream_options",
        "response_format",
    ];
    const ROLES: [&str; 3] = ["developer", "tool", "function"];
    // Claude Code sends Messages with such a role, but never first.
    let has_system = head.first_text_equals("messages[].role", "system");
    let has_signs =
        has_system || head.has_text("messages[].role", &ROLES) || head.has_any_key(&SIGNS);
    let is_plain =
        head.is_exhausted && head.has_key("messages[].role") && !anthropic::is_format(head);
    head.has_key("messages") && (has_signs || is_plain)
}

/// Adds one message. Returns its step unless it is a result.
pub(crate) fn add_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    time: Option<Timestamp>,
    output: &mut SessionSink<'_>,
) -> Option<StepIndex> {
    let role = match json::get_text(&message, "role") {
        Some("system" | "developer") => MessageRole::System,
        Some("user") => MessageRole::User,
        Some("assistant") => MessageRole::Assistant,
        Some("tool" | "function") => {
            output.report_error(draft.add_result(parse_result(&mut message, time)));
            return None;
        }
        _ => {
            output.report_bad_field("role", "a known role");
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
            Some(call) => output.report_error(draft.add_call(index, call)),
            None => output.report_bad_field("tool_calls[]", "a call with a function"),
        }
    }
    if let Some(function) = json::take_object(&mut message, "function_call") {
        // The older form without ids: the result names the function.
        let id = json::get_text(&function, "name").unwrap_or_default().to_owned();
        output.report_error(draft.add_call(index, parse_function_call(id, function)));
    }
    Some(index)
}

/// Parses a call of a message.
pub(crate) fn parse_call(call: Value) -> Option<ToolCall> {
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
pub(crate) fn parse_chat_usage(usage: &JsonObject) -> Usage {
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
