//! Requests to model APIs, which are recordings of a conversation too.

use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::openai_responses::{ASSUME_SUCCESS, ResponseItemReader};
use foveal_protocols::problem::ProblemKind;
use foveal_protocols::{anthropic, openai_chat};
use foveal_transcript::MessageRole;
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;

/// Reads one request body of Anthropic's Messages.
pub(crate) fn read_anthropic_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = ConversationBuilder::new(output.name);
    let system = json::message_blocks(json::take_value(&mut body, "system"));
    if !system.is_empty() {
        draft.push_step(StepDraft::with_blocks(MessageRole::System, None, system));
    }
    let mut is_first = true;
    output.for_each_object("messages[]", messages, |message, output| {
        let is_system = json::get_text(&message, "role") == Some("system");
        anthropic::add_message(&mut draft, message, is_first, &mut output.problems);
        is_first &= is_system;
    });
    output.emit_conversation(draft);
}

/// Detects a request body of Anthropic's Messages by its keys. If nothing else tells it from
/// OpenAI's and no more bytes come, the model's name decides.
pub(crate) fn is_anthropic_request(head: &KeyPaths) -> bool {
    const SIGNS: [&str; 8] = [
        "system",
        "anthropic_version",
        "thinking",
        "tools[].input_schema",
        "messages[].content[].tool_use_id",
        "messages[].content[].input",
        "messages[].content[].cache_control",
        "stop_sequences",
    ];
    let by_model = head.is_exhausted
        && head.has_key("messages[].role")
        && head.text_starts_with("model", "claude");
    head.has_key("messages") && (head.has_any_key(&SIGNS) || by_model)
}

/// Reads one request body of OpenAI's Chat Completions.
pub(crate) fn read_chat_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let Some(messages) = json::take_list(&mut body, "messages") else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let mut draft = ConversationBuilder::new(output.name);
    output.for_each_object("messages[]", messages, |each, output| {
        openai_chat::add_request_message(&mut draft, each, &mut output.problems);
    });
    output.emit_conversation(draft);
}

/// Detects a request body of OpenAI's Chat Completions by its keys. A body without these keys and
/// without Anthropic's is one if no more bytes come and it names no model of Anthropic's.
pub(crate) fn is_chat_request(head: &KeyPaths) -> bool {
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
        head.is_exhausted && head.has_key("messages[].role") && !is_anthropic_request(head);
    head.has_key("messages") && (has_signs || is_plain)
}

/// Reads one request body of OpenAI's Responses.
pub(crate) fn read_responses_request(mut body: JsonObject, output: &mut SessionSink<'_>) {
    let mut draft = ConversationBuilder::new(output.name);
    if let Some(text) = json::take_text(&mut body, "instructions") {
        draft.push_step(StepDraft::with_text(MessageRole::System, None, text));
    }
    let mut items = ResponseItemReader::new(draft, ASSUME_SUCCESS);
    match json::take_value(&mut body, "input") {
        Some(Value::String(text)) => {
            items.draft.push_step(StepDraft::with_text(MessageRole::User, None, text));
        }
        Some(Value::Array(input)) => {
            output.for_each_object("input[]", input, |item, output| {
                items.read_item(item, None, &mut output.problems);
            });
        }
        _ => {
            output.report_problem(ProblemKind::NotARecord);
            return;
        }
    }
    output.emit_conversation(items.draft);
}

/// Detects a request body of OpenAI's Responses by its keys.
pub(crate) fn is_responses_request(head: &KeyPaths) -> bool {
    let is_typed = head.has_any_key(&["input[].type", "input[].role"]);
    let is_told = head.has_any_key(&["instructions", "model", "previous_response_id"]);
    !head.has_key("messages")
        && head.has_key("input")
        && (is_typed || (head.is_complete && is_told))
}
