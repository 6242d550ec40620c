//! Messages of opencode 2: records with a type that hold their content themselves. A record of
//! the model is one response.

use foveal_transcript::{Block, Call, Role};
use serde_json::Value;

use super::fields::{time_at, usage};
use crate::draft::{Answer, Draft, Step, StepIndex, StepMark};
use crate::json::{self, Object};
use crate::output::Output;

/// Record types that are never part of a prompt.
const BOOKKEEPING: [&str; 4] = ["agent-switched", "model-switched", "location-switched", "idle"];

/// Whether a message is such a record.
pub(super) fn is_record(message: &Object) -> bool {
    message.contains_key("type") && !message.contains_key("info")
}

/// Adds one record.
pub(super) fn add(draft: &mut Draft, mut record: Object, output: &mut Output<'_>) {
    let time = time_at(&record, "created");
    let kind = json::take_text(&mut record, "type").unwrap_or_default();
    let mut text = |key: &str| {
        json::take_text(&mut record, key).filter(|text| !text.is_empty()).map(Block::Text)
    };
    match kind.as_str() {
        "user" => {
            let mut blocks: Vec<Block> = text("text").into_iter().collect();
            let files = json::take_list(&mut record, "files").unwrap_or_default();
            blocks.extend(files.iter().map(|file| json::opaque("file", file)));
            if !blocks.is_empty() {
                draft.push(Step::with(Role::User, time, blocks));
            }
        }
        "synthetic" | "system" | "skill" => {
            if let Some(block) = text("text") {
                let step = Step::with(Role::User, time, vec![block]);
                draft.push(step.marked(StepMark::Injected));
            }
        }
        "shell" => {
            let step = Step::with(Role::User, time, vec![Block::Text(shell_text(&record))]);
            draft.push(step.marked(StepMark::Injected));
        }
        "assistant" => response(draft, record, output),
        "compaction" => {
            let status = json::text(&record, "status");
            if status.is_none_or(|status| status == "completed") {
                let mut text = |key: &str| json::take_text(&mut record, key);
                let texts = [text("summary"), text("recent")].into_iter().flatten();
                let texts = texts.filter(|text| !text.is_empty()).map(Block::Text);
                draft.compact(None, time);
                draft.summary(time, texts.collect());
            }
        }
        known if BOOKKEEPING.contains(&known) => {}
        _ => output.unknown_type(kind),
    }
}

/// A command that the user ran in the conversation.
fn shell_text(record: &Object) -> String {
    let command = json::text(record, "command").unwrap_or_default();
    let printed = match record.get("output") {
        Some(Value::String(text)) => text.as_str(),
        Some(Value::Object(output)) => json::text(output, "output").unwrap_or_default(),
        _ => "",
    };
    format!("Shell command: {command}\n{printed}")
}

/// A response with its calls and their results. One that failed before it said anything is no
/// message.
fn response(draft: &mut Draft, mut record: Object, output: &mut Output<'_>) {
    let content = json::take_list(&mut record, "content").unwrap_or_default();
    if content.is_empty() {
        return;
    }
    let mut step = Step::with(Role::Assistant, time_at(&record, "created"), Vec::new());
    let model = json::object(&record, "model").and_then(|model| json::text(model, "id"));
    step.model = model.map(Into::into);
    step.usage = json::object(&record, "tokens").map(usage);
    let index = draft.push(step);
    output.each_object("messages[].content[]", content, |mut part, output| {
        match json::text(&part, "type") {
            Some("tool") => tool(draft, index, part, output),
            Some("reasoning") => {
                let text = json::take_text(&mut part, "text").unwrap_or_default();
                let block = json::reasoning(text, "reasoning", &Value::Object(part));
                draft.step_mut(index).blocks.push(block);
            }
            _ => {
                let blocks = json::message_blocks(Some(Value::Object(part)));
                draft.step_mut(index).blocks.extend(blocks);
            }
        }
    });
}

/// A call with its state: one that is not done has no result.
fn tool(draft: &mut Draft, index: StepIndex, mut part: Object, output: &mut Output<'_>) {
    let time = time_at(&part, "completed");
    let mut state = json::take_object(&mut part, "state").unwrap_or_default();
    let id = json::take_text(&mut part, "id").unwrap_or_default();
    let call = Call {
        id: id.clone(),
        name: json::take_text(&mut part, "name").unwrap_or_default(),
        arguments: json::arguments(json::take(&mut state, "input")),
    };
    output.check(draft.call(index, call));
    let content = json::take(&mut state, "content");
    let answer = match json::text(&state, "status") {
        Some("completed") => Answer::of(id, content, time),
        Some("error") => {
            let error = json::take_object(&mut state, "error").unwrap_or_default();
            let said = json::text(&error, "message").map(|text| Value::String(text.to_owned()));
            Answer { is_error: true, ..Answer::of(id, content.or(said), time) }
        }
        _ => return,
    };
    output.check(draft.answer(answer));
}
