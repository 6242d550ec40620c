//! Messages of requests and recordings in the form of Anthropic's Messages.

use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall, Usage};
use serde_json::Value;

use crate::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepIndex, StepMark,
};
use crate::json::{self, JsonObject};
use crate::problem::ProblemCollector;

/// Adds one message. `is_first` means that only system messages precede it.
pub fn add_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    is_first: bool,
    problems: &mut ProblemCollector,
) {
    let content = json::take_value(&mut message, "content");
    match json::get_text(&message, "role") {
        Some("assistant") => {
            let index = draft.push_step(StepDraft::new(MessageRole::Assistant));
            add_response_blocks(draft, index, content, problems);
        }
        Some("user") => {
            let (answers, blocks) = split_user_content(content, None);
            for answer in answers {
                problems.report_error(draft.add_result(answer.unwrap_content()));
            }
            if !blocks.is_empty() {
                draft.push_step(StepDraft::with_blocks(MessageRole::User, None, blocks));
            }
        }
        Some("system") => {
            let mark = if is_first { StepMark::None } else { StepMark::Injected };
            let step =
                StepDraft::with_blocks(MessageRole::System, None, json::message_blocks(content));
            draft.push_step(step.with_mark(mark));
        }
        _ => problems.report_bad_field("role", "a known role"),
    }
}

/// Adds the blocks of an Anthropic response to a step.
pub fn add_response_blocks(
    draft: &mut ConversationBuilder,
    index: StepIndex,
    content: Option<Value>,
    problems: &mut ProblemCollector,
) {
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        other => {
            draft.step_mut(index).blocks.extend(json::message_blocks(other));
            return;
        }
    };
    for part in parts {
        let Value::Object(mut object) = part else {
            draft.step_mut(index).blocks.extend(json::message_blocks(Some(part)));
            continue;
        };
        match json::get_text(&object, "type") {
            Some("thinking") => {
                let text = json::take_text(&mut object, "thinking").unwrap_or_default();
                let block = json::reasoning_block(text, "thinking", &Value::Object(object));
                draft.step_mut(index).blocks.push(block);
            }
            Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
                let call = ToolCall {
                    id: json::take_text(&mut object, "id").unwrap_or_default(),
                    name: json::take_text(&mut object, "name").unwrap_or_default(),
                    arguments: json::parse_arguments(json::take_value(&mut object, "input")),
                };
                problems.report_error(draft.add_call(index, call));
            }
            _ => {
                let part = Value::Object(object);
                draft.step_mut(index).blocks.extend(json::message_blocks(Some(part)));
            }
        }
    }
}

/// Returns the results and the other blocks of an Anthropic user message.
pub fn split_user_content(
    content: Option<Value>,
    time: Option<Timestamp>,
) -> (Vec<RecordedResult>, Vec<ContentBlock>) {
    let parts = match content {
        Some(Value::Array(parts)) => parts,
        other => return (Vec::new(), json::message_blocks(other)),
    };
    let mut answers = Vec::new();
    let mut blocks = Vec::new();
    for part in parts {
        match part {
            Value::Object(mut object) if json::get_text(&object, "type") == Some("tool_result") => {
                let call = json::take_text(&mut object, "tool_use_id").unwrap_or_default();
                let is_error = json::is_true(&object, "is_error");
                let content = json::take_value(&mut object, "content");
                answers.push(RecordedResult {
                    is_error,
                    ..RecordedResult::from_recorded(call, content, time)
                });
            }
            other => blocks.extend(json::message_blocks(Some(other))),
        }
    }
    (answers, blocks)
}

/// Parses usage in Anthropic's form.
pub fn parse_anthropic_usage(usage: &JsonObject) -> Usage {
    Usage {
        input: json::get_count(usage, "input_tokens"),
        cache_read: json::get_count(usage, "cache_read_input_tokens"),
        cache_write: json::get_count(usage, "cache_creation_input_tokens"),
        cache_write_hour: json::get_object(usage, "cache_creation")
            .map_or(0, |written| json::get_count(written, "ephemeral_1h_input_tokens")),
        output: json::get_count(usage, "output_tokens"),
    }
}
