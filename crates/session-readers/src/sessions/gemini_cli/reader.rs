//! Assigns the records of a stream to Gemini CLI's sessions.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepIndex, StepMark,
};
use foveal_protocols::gemini::{GooglePart, parse_parts};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall, Usage};
use serde_json::Value;

use super::tracked_messages::{MessageListChange, MessageSignature, TrackedMessages};
use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;

/// Prefixes of messages that the client writes in the user's name.
const INJECTED_PREFIXES: [&str; 2] = ["<session_context>", "<hook_context>"];

/// Reads one session after another.
#[derive(Default)]
pub(crate) struct GeminiCliReader {
    open_session: Option<GeminiCliSession>,
}

/// Detects a session by the keys of its start.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    head.has_all_keys(&["sessionId", "projectHash"])
}

struct GeminiCliSession {
    draft: ConversationBuilder,
    messages: TrackedMessages,
    /// The step to which the next step rewinds.
    pending_rewind: Option<StepIndex>,
}

impl RecordReader for GeminiCliReader {
    fn read_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        if let Some(id) = json::take_text(&mut record, "$rewindTo") {
            self.get_or_open_session(output).rewind_to_message(&id);
        } else if let Some(mut set) = json::take_object(&mut record, "$set") {
            let recording = self.get_or_open_session(output);
            recording.set_directory(&mut set);
            if let Some(list) = json::take_list(&mut set, "messages") {
                recording.replace_messages(list, output);
            }
        } else if record.contains_key("sessionId") && record.contains_key("projectHash") {
            self.read_header(record, output);
        } else if record.contains_key("id") && record.contains_key("type") {
            self.get_or_open_session(output).add_message(record, StepMark::None, output);
        } else {
            output.report_problem(ProblemKind::NotARecord);
        }
    }

    fn finish(mut self, output: &mut SessionSink<'_>) {
        self.close_session(output);
    }
}

impl GeminiCliReader {
    /// Reads the start of a session, which in older versions holds the whole session.
    fn read_header(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        output.mark_recognised();
        let id = json::take_text(&mut record, "sessionId");
        let is_open =
            self.open_session.as_ref().is_some_and(|open| Some(&open.draft.id) == id.as_ref());
        if !is_open {
            self.close_session(output);
        }
        let recording = self.open_session.get_or_insert_with(|| {
            GeminiCliSession::new(id.unwrap_or_else(|| output.name.to_owned()))
        });
        recording.set_directory(&mut record);
        let list = json::take_list(&mut record, "messages").unwrap_or_default();
        output.for_each_object("messages[]", list, |message, output| {
            recording.add_message(message, StepMark::None, output);
        });
    }

    fn get_or_open_session(&mut self, output: &SessionSink<'_>) -> &mut GeminiCliSession {
        self.open_session.get_or_insert_with(|| GeminiCliSession::new(output.name.to_owned()))
    }

    fn close_session(&mut self, output: &mut SessionSink<'_>) {
        if let Some(recording) = self.open_session.take() {
            output.emit_unless_empty(recording.draft);
        }
    }
}

impl GeminiCliSession {
    fn new(id: String) -> Self {
        let mut draft = ConversationBuilder::new(id);
        draft.agent = Some("Gemini CLI".to_owned());
        Self { draft, messages: TrackedMessages::default(), pending_rewind: None }
    }

    fn set_directory(&mut self, record: &mut JsonObject) {
        if let Some(Value::String(first)) = record.get("directories").and_then(|list| list.get(0)) {
            self.draft.directory.get_or_insert_with(|| first.clone());
        }
    }

    fn rewind_to_message(&mut self, id: &str) {
        let to = self.messages.truncate_at_id(id);
        self.pending_rewind = (to < self.draft.len()).then_some(StepIndex(to));
    }

    /// Replaces all messages by `list`.
    fn replace_messages(&mut self, list: Vec<Value>, output: &mut SessionSink<'_>) {
        let ids = list.iter().map(|one| one.get("id").and_then(Value::as_str).unwrap_or_default());
        let ids: Vec<&str> = ids.collect();
        if let Some(before) = self.messages.fold_repetition(&ids) {
            self.draft.truncate_steps(before);
        }
        let (change, fresh) = self.messages.replace_list(&ids);
        let mark = match change {
            MessageListChange::Append => StepMark::None,
            MessageListChange::Rewind { to } => {
                self.pending_rewind = (to < self.draft.len()).then_some(StepIndex(to));
                StepMark::None
            }
            MessageListChange::Compact { keep_from } => {
                let keep_from = keep_from.filter(|step| *step < self.draft.len()).map(StepIndex);
                self.push_step(
                    StepDraft::new(MessageRole::System)
                        .with_mark(StepMark::CompactBoundary { keep_from }),
                );
                StepMark::CompactSummary
            }
        };
        let kept = self.messages.take_kept_messages();
        let fresh = list.into_iter().skip(fresh.start).take(fresh.len()).collect();
        output.for_each_object("$set.messages[]", fresh, |message, output| {
            self.add_message(message, mark, output);
        });
        self.messages.append_kept_messages(kept);
    }

    /// Appends a step with the pending rewind. A step with another mark cannot carry it, so an
    /// empty step in front carries it.
    fn push_step(&mut self, mut step: StepDraft) -> StepIndex {
        if let Some(to) = self.pending_rewind.take() {
            let mark = StepMark::Rewind { to };
            if step.mark == StepMark::None {
                step.mark = mark;
            } else {
                self.draft.push_step(
                    StepDraft::with_blocks(MessageRole::User, step.time, Vec::new())
                        .with_mark(mark),
                );
            }
        }
        self.draft.push_step(step)
    }

    /// Adds a message, or updates a known one.
    fn add_message(
        &mut self,
        mut record: JsonObject,
        mark: StepMark,
        output: &mut SessionSink<'_>,
    ) {
        let id = json::take_text(&mut record, "id").unwrap_or_default();
        let time = output.parse_time(&record, "timestamp");
        match json::get_text(&record, "type") {
            Some("gemini") => {
                output.mark_recognised();
                let is_new = !self.messages.contains_id(&id);
                if is_new && mark == StepMark::CompactSummary {
                    // The model's words beside a summary are no answer.
                    self.add_user_message(id, record, mark, output);
                } else if is_new && mark == StepMark::None && is_written_by_client(&record) {
                    self.add_client_message(id, record, output);
                } else {
                    self.add_response(id, record, time, output);
                }
            }
            // An `info` is for the user alone, unless it carries a file to the model.
            Some("user" | "info") if !self.messages.contains_id(&id) => {
                output.mark_recognised();
                self.add_user_message(id, record, mark, output);
            }
            Some("user" | "info" | "warning" | "error") => output.mark_recognised(),
            Some(other) => output.report_unknown_type(other.to_owned()),
            None => output.report_bad_field("type", "a string"),
        }
    }

    /// Adds a message in the model's name that answers no request: known calls, or words that the
    /// client put into the prompt.
    fn add_client_message(&mut self, id: String, record: JsonObject, output: &mut SessionSink<'_>) {
        let calls = call_ids(&record);
        let Some(step) = calls.iter().find_map(|call| self.draft.step_of_call(call)) else {
            let mark = StepMark::Injected;
            return self.add_user_message(id, record, mark, output);
        };
        self.messages.add_message(id, self.draft.len(), Some(step), MessageSignature::Model(calls));
    }

    fn add_user_message(
        &mut self,
        id: String,
        mut record: JsonObject,
        mark: StepMark,
        output: &mut SessionSink<'_>,
    ) {
        let signature = message_signature(&record);
        let time = output.parse_time(&record, "timestamp");
        let before = self.draft.len();
        let mut blocks = Vec::new();
        for part in parse_parts(json::take_value(&mut record, "content"), time) {
            match part {
                GooglePart::Block(block) => blocks.push(block),
                // Most results are recorded with their calls as well.
                GooglePart::ToolResult(answer) if self.draft.has_result_of(&answer.call) => {}
                GooglePart::ToolResult(answer) => {
                    output.report_error(self.draft.add_result(answer));
                }
                GooglePart::Call(_) => output.report_bad_field("content[]", "a part of a user's"),
            }
        }
        let is_text = |block: &ContentBlock| matches!(block, ContentBlock::Text(_));
        if json::get_text(&record, "type") == Some("info") && blocks.iter().all(is_text) {
            return;
        }
        if !blocks.is_empty() {
            let mut step = StepDraft::with_blocks(MessageRole::User, time, blocks).with_mark(mark);
            let text = step.joined_text();
            let is_injected =
                INJECTED_PREFIXES.iter().any(|start| text.trim_start().starts_with(start));
            if mark == StepMark::None && is_injected {
                step.mark = StepMark::Injected;
            }
            self.push_step(step);
        }
        self.messages.add_message(id, before, None, signature);
    }

    /// Adds or updates a response. It is written with its first content, again with its calls, and
    /// once more with their results.
    fn add_response(
        &mut self,
        id: String,
        mut record: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let signature = message_signature(&record);
        let thoughts = json::take_list(&mut record, "thoughts").unwrap_or_default();
        let said = parse_parts(json::take_value(&mut record, "content"), time);
        let calls = json::take_list(&mut record, "toolCalls").unwrap_or_default();
        let before = self.draft.len();
        let known = self.messages.response_step(&id);
        if known.is_none() && thoughts.is_empty() && said.is_empty() && calls.is_empty() {
            return;
        }
        let index = if let Some(index) = known {
            self.messages.set_signature(&id, signature);
            index
        } else {
            let index =
                self.push_step(StepDraft::with_blocks(MessageRole::Assistant, time, Vec::new()));
            self.messages.add_message(id, before, Some(index), signature);
            index
        };
        let step = self.draft.step_mut(index);
        step.model = json::get_text(&record, "model").map(Into::into).or(step.model.take());
        step.usage = json::get_object(&record, "tokens").map(parse_usage).or(step.usage);
        let has = |is: fn(&ContentBlock) -> bool| step.blocks.iter().any(is);
        let has_thoughts = has(|block| matches!(block, ContentBlock::Reasoning(_)));
        let has_text =
            has(|block| !matches!(block, ContentBlock::Reasoning(_) | ContentBlock::Call(_)));
        if !has_thoughts {
            step.blocks.extend(thoughts.iter().filter_map(thought_block));
        }
        for part in said {
            match part {
                GooglePart::Block(ContentBlock::Reasoning(_)) if has_thoughts => {}
                GooglePart::Block(_) if has_text => {}
                GooglePart::Block(block) => self.draft.step_mut(index).blocks.push(block),
                GooglePart::Call(call) if self.draft.step_of_call(&call.id) == Some(index) => {}
                GooglePart::Call(call) => output.report_error(self.draft.add_call(index, call)),
                GooglePart::ToolResult(_) => {
                    output.report_bad_field("content[]", "a part of a response");
                }
            }
        }
        output.for_each_object("toolCalls[]", calls, |call, output| {
            self.add_call(index, call, output);
        });
    }

    /// Adds a call, and its result once there is one.
    fn add_call(&mut self, index: StepIndex, mut record: JsonObject, output: &mut SessionSink<'_>) {
        let time = output.parse_time(&record, "timestamp");
        let id = json::take_text(&mut record, "id").unwrap_or_default();
        if self.draft.step_of_call(&id) != Some(index) {
            let call = ToolCall {
                id: id.clone(),
                name: json::take_text(&mut record, "name").unwrap_or_default(),
                arguments: json::parse_arguments(json::take_value(&mut record, "args")),
            };
            output.report_error(self.draft.add_call(index, call));
        }
        let parts = parse_parts(json::take_value(&mut record, "result"), time);
        if parts.is_empty() || self.draft.has_result_of(&id) {
            return;
        }
        let failed = matches!(json::get_text(&record, "status"), Some("error" | "cancelled"));
        let mut answer = result_of_call(&id, parts, time);
        answer.is_error = failed || (answer.is_error && !record.contains_key("status"));
        output.report_error(self.draft.add_result(answer));
    }
}

/// Returns whether the client wrote a message in the model's name. An answer has a model, usage, or
/// its text as one string.
fn is_written_by_client(record: &JsonObject) -> bool {
    let is_told = |key: &str| record.get(key).is_some_and(|value| !value.is_null());
    !is_told("model") && !is_told("tokens") && record.get("content").is_some_and(Value::is_array)
}

/// Returns the ids of the calls in a message of the model.
fn call_ids(record: &JsonObject) -> Vec<String> {
    let list = |key: &str| record.get(key).and_then(Value::as_array).into_iter().flatten();
    let in_parts = list("content").filter_map(|part| part.get("functionCall")?.get("id"));
    let beside = list("toolCalls").filter_map(|call| call.get("id"));
    let ids = in_parts.chain(beside).filter_map(Value::as_str).map(str::to_owned);
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Returns the signature of a message.
fn message_signature(record: &JsonObject) -> MessageSignature {
    if json::get_text(record, "type") == Some("gemini") {
        return MessageSignature::Model(call_ids(record));
    }
    let mut hasher = DefaultHasher::new();
    let mut has_others = false;
    match record.get("content") {
        Some(Value::String(text)) => text.hash(&mut hasher),
        Some(Value::Array(parts)) => {
            for part in parts {
                match (part.get("functionResponse"), part.get("text").and_then(Value::as_str)) {
                    (Some(_), _) => continue,
                    (None, Some(text)) => text.hash(&mut hasher),
                    (None, None) => {}
                }
                has_others = true;
            }
            if !has_others && !parts.is_empty() {
                return MessageSignature::Results;
            }
        }
        _ => {}
    }
    MessageSignature::User(hasher.finish())
}

/// Returns the result of the call `id` among the parts recorded with it.
fn result_of_call(id: &str, parts: Vec<GooglePart>, time: Option<Timestamp>) -> RecordedResult {
    let mut answer: Option<RecordedResult> = None;
    let mut texts = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            GooglePart::ToolResult(one) if one.call == id || answer.is_none() => answer = Some(one),
            GooglePart::Block(ContentBlock::Text(text)) => texts.push(text),
            GooglePart::Block(block) => others.push(block),
            GooglePart::ToolResult(_) | GooglePart::Call(_) => {}
        }
    }
    let mut answer = answer.unwrap_or_else(|| RecordedResult {
        content: texts.join("\n"),
        time,
        ..RecordedResult::default()
    });
    id.clone_into(&mut answer.call);
    answer.other_blocks.extend(others);
    answer
}

fn thought_block(thought: &Value) -> Option<ContentBlock> {
    let text = |key| thought.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let texts: Vec<&str> = [text("subject"), text("description")].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| ContentBlock::Reasoning(texts.join("\n")))
}

/// Parses usage. The input includes cached tokens; the output does not include thoughts.
fn parse_usage(tokens: &JsonObject) -> Usage {
    let cache_read = json::get_count(tokens, "cached");
    Usage {
        input: json::get_count(tokens, "input").saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: json::get_count(tokens, "output") + json::get_count(tokens, "thoughts"),
    }
}
