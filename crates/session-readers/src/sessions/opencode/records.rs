//! Messages of opencode 2: typed records that hold their own content. A record of the model is one
//! response.

use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepIndex, StepMark,
};
use foveal_protocols::json::{self, JsonObject};
use foveal_transcript::{ContentBlock, MessageRole, ToolCall};
use serde_json::Value;

use super::common_fields::{parse_time, parse_usage};
use crate::session_sink::SessionSink;

/// Record types that are never part of a prompt.
const BOOKKEEPING: [&str; 4] = ["agent-switched", "model-switched", "location-switched", "idle"];

/// Returns whether a message is such a record.
pub(super) fn is_record(message: &JsonObject) -> bool {
    message.contains_key("type") && !message.contains_key("info")
}

/// Adds one record.
pub(super) fn add_record(
    draft: &mut ConversationBuilder,
    mut record: JsonObject,
    output: &mut SessionSink<'_>,
) {
    let time = parse_time(&record, "created");
    let kind = json::take_text(&mut record, "type").unwrap_or_default();
    let mut text = |key: &str| {
        json::take_text(&mut record, key).filter(|text| !text.is_empty()).map(ContentBlock::Text)
    };
    match kind.as_str() {
        "user" => {
            let mut blocks: Vec<ContentBlock> = text("text").into_iter().collect();
            let files = json::take_list(&mut record, "files").unwrap_or_default();
            blocks.extend(files.iter().map(|file| json::opaque_block("file", file)));
            if !blocks.is_empty() {
                draft.push_step(StepDraft::with_blocks(MessageRole::User, time, blocks));
            }
        }
        "synthetic" | "system" | "skill" => {
            if let Some(block) = text("text") {
                let step = StepDraft::with_blocks(MessageRole::User, time, vec![block]);
                draft.push_step(step.with_mark(StepMark::Injected));
            }
        }
        "shell" => {
            let step = StepDraft::with_text(MessageRole::User, time, shell_command_text(&record));
            draft.push_step(step.with_mark(StepMark::Injected));
        }
        "assistant" => add_response(draft, record, output),
        "compaction" => {
            let status = json::get_text(&record, "status");
            if status.is_none_or(|status| status == "completed") {
                let mut text = |key: &str| json::take_text(&mut record, key);
                let texts = [text("summary"), text("recent")].into_iter().flatten();
                let texts = texts.filter(|text| !text.is_empty()).map(ContentBlock::Text);
                draft.push_compaction(None, time);
                draft.push_summary(time, texts.collect());
            }
        }
        known if BOOKKEEPING.contains(&known) => {}
        _ => output.report_unknown_type(kind),
    }
}

/// Returns a command that the user ran in the conversation, with its output.
fn shell_command_text(record: &JsonObject) -> String {
    let command = json::get_text(record, "command").unwrap_or_default();
    let printed = match record.get("output") {
        Some(Value::String(text)) => text.as_str(),
        Some(Value::Object(output)) => json::get_text(output, "output").unwrap_or_default(),
        _ => "",
    };
    format!("Shell command: {command}\n{printed}")
}

/// Adds a response with its calls and their results. A response that failed before its first
/// content is no message.
fn add_response(
    draft: &mut ConversationBuilder,
    mut record: JsonObject,
    output: &mut SessionSink<'_>,
) {
    let content = json::take_list(&mut record, "content").unwrap_or_default();
    if content.is_empty() {
        return;
    }
    let mut step =
        StepDraft::with_blocks(MessageRole::Assistant, parse_time(&record, "created"), Vec::new());
    let model = json::get_object(&record, "model").and_then(|model| json::get_text(model, "id"));
    step.model = model.map(Into::into);
    step.usage = json::get_object(&record, "tokens").map(parse_usage);
    let index = draft.push_step(step);
    output.for_each_object(
        "messages[].content[]",
        content,
        |mut part, output| match json::get_text(&part, "type") {
            Some("tool") => add_tool_call(draft, index, part, output),
            Some("reasoning") => {
                let text = json::take_text(&mut part, "text").unwrap_or_default();
                let block = json::reasoning_block(text, "reasoning", &Value::Object(part));
                draft.step_mut(index).blocks.push(block);
            }
            _ => {
                let blocks = json::message_blocks(Some(Value::Object(part)));
                draft.step_mut(index).blocks.extend(blocks);
            }
        },
    );
}

/// Adds a call, and its result if the call is done.
fn add_tool_call(
    draft: &mut ConversationBuilder,
    index: StepIndex,
    mut part: JsonObject,
    output: &mut SessionSink<'_>,
) {
    let time = parse_time(&part, "completed");
    let mut state = json::take_object(&mut part, "state").unwrap_or_default();
    let id = json::take_text(&mut part, "id").unwrap_or_default();
    let call = ToolCall {
        id: id.clone(),
        name: json::take_text(&mut part, "name").unwrap_or_default(),
        arguments: json::parse_arguments(json::take_value(&mut state, "input")),
    };
    output.report_error(draft.add_call(index, call));
    let content = json::take_value(&mut state, "content");
    let answer = match json::get_text(&state, "status") {
        Some("completed") => RecordedResult::from_recorded(id, content, time),
        Some("error") => {
            let error = json::take_object(&mut state, "error").unwrap_or_default();
            let said = json::get_text(&error, "message").map(|text| Value::String(text.to_owned()));
            RecordedResult {
                is_error: true,
                ..RecordedResult::from_recorded(id, content.or(said), time)
            }
        }
        _ => return,
    };
    output.report_error(draft.add_result(answer));
}
