//! Reads the output of `opencode export`: `{info, messages: [{info, parts}]}`. A message of the
//! model may hold several responses, each between `step-start` and `step-finish`. In opencode 2,
//! messages are [`records`].

mod common_fields;
mod records;

use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepIndex,
};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall};
use serde_json::Value;

use self::common_fields::{parse_time, parse_usage};
use crate::key_paths::KeyPaths;
use crate::session_sink::SessionSink;
use crate::sessions::model_name::recorded_model;

/// Part types that the model does not receive.
const BOOKKEEPING: [&str; 7] =
    ["snapshot", "patch", "agent", "retry", "subtask", "compaction", "step-start"];

/// Reads one exported session.
pub(crate) fn read_session(mut root: JsonObject, output: &mut SessionSink<'_>) {
    let info = json::take_object(&mut root, "info");
    let messages = json::take_list(&mut root, "messages");
    let (Some(mut info), Some(messages)) = (info, messages) else {
        output.report_problem(ProblemKind::NotARecord);
        return;
    };
    let is_message =
        |message: &Value| message.get("info").is_some() || message.get("type").is_some();
    if messages.first().is_some_and(|message| !is_message(message)) {
        output.report_problem(ProblemKind::NotARecord);
        return;
    }
    let id = json::take_text(&mut info, "id").unwrap_or_else(|| output.name.to_owned());
    let mut draft = ConversationBuilder::new(id);
    draft.agent = Some("OpenCode".to_owned());
    draft.parent = json::take_text(&mut info, "parentID");
    draft.directory = json::take_text(&mut info, "directory");
    output.for_each_object("messages[]", messages, |message, output| {
        if records::is_record(&message) {
            records::add_record(&mut draft, message, output);
        } else {
            self::add_message(&mut draft, message, output);
        }
    });
    output.emit_conversation(draft);
}

/// Detects an exported session by its keys.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    head.has_key("messages[].parts") || head.has_all_keys(&["info.id", "info.time"])
}

fn add_message(
    draft: &mut ConversationBuilder,
    mut message: JsonObject,
    output: &mut SessionSink<'_>,
) {
    let info = json::take_object(&mut message, "info").unwrap_or_default();
    let parts = json::take_list(&mut message, "parts").unwrap_or_default();
    let time = parse_time(&info, "created");
    match json::get_text(&info, "role") {
        Some("user") => {
            let blocks: Vec<_> = parts.into_iter().filter_map(message_block).collect();
            if !blocks.is_empty() {
                draft.push_step(StepDraft::with_blocks(MessageRole::User, time, blocks));
            }
        }
        Some("assistant") if is_summary(&info) => {
            draft.push_compaction(None, time);
            draft.push_summary(time, parts.into_iter().filter_map(message_block).collect());
        }
        Some("assistant") => {
            ResponsePartReader { draft, info, time, open_step: None }.read_parts(parts, output);
        }
        _ => output.report_bad_field("messages[].info.role", "`user` or `assistant`"),
    }
}

/// Returns whether a message is a summary. In other messages the field holds a diff summary.
fn is_summary(info: &JsonObject) -> bool {
    json::is_true(info, "summary") || json::get_text(info, "mode") == Some("compaction")
}

/// Returns a part of a message as the model receives it.
fn message_block(part: Value) -> Option<ContentBlock> {
    let Value::Object(mut part) = part else { return None };
    match json::get_text(&part, "type")? {
        "text" if json::is_true(&part, "ignored") => None,
        "text" => json::take_text(&mut part, "text")
            .filter(|text| !text.is_empty())
            .map(ContentBlock::Text),
        known if BOOKKEEPING.contains(&known) || known == "step-finish" => None,
        "reasoning" => json::take_text(&mut part, "text").map(ContentBlock::Reasoning),
        other => {
            let kind = other.to_owned();
            Some(json::opaque_block(&kind, &Value::Object(part)))
        }
    }
}

struct ResponsePartReader<'a> {
    draft: &'a mut ConversationBuilder,
    info: JsonObject,
    time: Option<Timestamp>,
    open_step: Option<StepIndex>,
}

impl ResponsePartReader<'_> {
    fn read_parts(mut self, parts: Vec<Value>, output: &mut SessionSink<'_>) {
        let first = self.draft.len();
        for part in parts {
            let kind = json::part_type(&part).to_owned();
            match (kind.as_str(), part) {
                ("step-start", _) => self.open_step = None,
                ("step-finish", Value::Object(part)) => {
                    if let (Some(index), Some(tokens)) =
                        (self.open_step, json::get_object(&part, "tokens"))
                    {
                        self.draft.step_mut(index).usage = Some(parse_usage(tokens));
                    }
                }
                ("tool", Value::Object(part)) => self.add_tool_call(part, output),
                (_, part) => {
                    if let Some(block) = message_block(part) {
                        let index = self.get_or_open_step();
                        self.draft.step_mut(index).blocks.push(block);
                    }
                }
            }
        }
        // Without marks between responses, the message's counts belong to its only response.
        if self.draft.len() == first + 1
            && let Some(tokens) = json::get_object(&self.info, "tokens")
        {
            self.draft.step_mut(StepIndex(first)).usage.get_or_insert(parse_usage(tokens));
        }
    }

    /// Returns the step of the open response, or a new one.
    fn get_or_open_step(&mut self) -> StepIndex {
        if let Some(index) = self.open_step {
            return index;
        }
        let mut step = StepDraft::with_blocks(MessageRole::Assistant, self.time, Vec::new());
        step.model = recorded_model(&self.info, "providerID", "modelID");
        let index = self.draft.push_step(step);
        self.open_step = Some(index);
        index
    }

    /// Adds a call, and its result unless the call is pending or running.
    fn add_tool_call(&mut self, mut part: JsonObject, output: &mut SessionSink<'_>) {
        let index = self.get_or_open_step();
        let mut state = json::take_object(&mut part, "state").unwrap_or_default();
        let id = json::take_text(&mut part, "callID").unwrap_or_default();
        let call = ToolCall {
            id: id.clone(),
            name: json::take_text(&mut part, "tool").unwrap_or_default(),
            arguments: json::parse_arguments(json::take_value(&mut state, "input")),
        };
        output.report_error(self.draft.add_call(index, call));
        let is_error = json::get_text(&state, "status") == Some("error");
        let recorded = match json::get_text(&state, "status") {
            Some("completed") => json::take_value(&mut state, "output"),
            Some("error") => json::take_value(&mut state, "error"),
            _ => return,
        };
        let mut answer = RecordedResult::from_recorded(id, recorded, parse_time(&state, "end"));
        answer.is_error = is_error;
        for file in json::take_list(&mut state, "attachments").unwrap_or_default() {
            answer.other_blocks.push(json::opaque_block("attachment", &file));
        }
        output.report_error(self.draft.add_result(answer));
    }
}
