//! Reads pi's session JSONL: a header line, then entries. Newer versions link each entry to its
//! parent, so that a rewind makes a branch; older versions are a plain list.

use foveal_protocols::conversation_builder::{
    ConversationBuilder, RecordedResult, StepDraft, StepIndex, StepMark,
};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall, Usage};
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;
use crate::sessions::model_name::recorded_model;
use crate::sessions::record_chain::RecordChain;

/// Entry types that are never part of a prompt.
const BOOKKEEPING: [&str; 5] =
    ["thinking_level_change", "model_change", "custom", "label", "session_info"];

/// Reads lines of one session after another.
#[derive(Default)]
pub(crate) struct PiReader {
    open_session: Option<PiSession>,
}

/// Detects a session by the keys of its lines.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    // A whole session in one document is another program's.
    let is_header = head.is_complete
        && !head.has_object_list()
        && head.has_text("type", &["session"])
        && head.has_any_key(&["cwd", "timestamp", "version"]);
    let is_message = head.has_text("type", &["message"]) && head.has_key("message.role");
    is_header || (is_message && head.is_complete)
}

struct PiSession {
    draft: ConversationBuilder,
    /// The number of steps before each line of the session, with the header as line 0.
    steps_before_line: Vec<usize>,
    chain: RecordChain,
    known_records: usize,
    /// The number of records that pi does not write.
    foreign_records: usize,
}

impl RecordReader for PiReader {
    fn read_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        let kind = json::take_text(&mut record, "type").unwrap_or_default();
        if kind == "session" {
            self.close_session(output);
            let id = json::take_text(&mut record, "id").unwrap_or_else(|| output.name.to_owned());
            let mut recording = PiSession::new(id);
            recording.draft.directory = json::take_text(&mut record, "cwd");
            self.open_session = Some(recording);
            return;
        }
        let recording =
            self.open_session.get_or_insert_with(|| PiSession::new(output.name.to_owned()));
        let before = recording.draft.len();
        recording.steps_before_line.push(before);
        if record.contains_key("parentId") {
            recording.chain.note_branch(json::get_text(&record, "parentId"), before, output);
        }
        let is_known = recording.add_record(&kind, &mut record, output);
        recording.known_records += usize::from(is_known);
        recording.foreign_records += usize::from(!is_known);
        if let Some(id) = json::take_text(&mut record, "id") {
            recording.chain.add_record(id, before, recording.draft.len());
        }
    }

    fn finish(mut self, output: &mut SessionSink<'_>) {
        self.close_session(output);
    }
}

impl PiReader {
    /// Emits the open session. A session with mostly unknown records is another program's that
    /// only starts like pi's.
    fn close_session(&mut self, output: &mut SessionSink<'_>) {
        let own = |recording: &PiSession| recording.foreign_records <= recording.known_records;
        if let Some(recording) = self.open_session.take().filter(own) {
            output.mark_recognised();
            output.emit_unless_empty(recording.draft);
        }
    }
}

impl PiSession {
    fn new(id: String) -> Self {
        let mut draft = ConversationBuilder::new(id);
        draft.agent = Some("pi".to_owned());
        Self {
            draft,
            steps_before_line: vec![0],
            chain: RecordChain::default(),
            known_records: 0,
            foreign_records: 0,
        }
    }

    /// Adds a record of the type `kind`. Returns whether pi writes such records.
    fn add_record(
        &mut self,
        kind: &str,
        record: &mut JsonObject,
        output: &mut SessionSink<'_>,
    ) -> bool {
        let time = output.parse_time(record, "timestamp");
        match kind {
            "message" => match json::take_object(record, "message") {
                Some(message) => return self.add_message(message, time, output),
                None => output.report_bad_field("message", "an object"),
            },
            "compaction" => self.add_compaction(record, time, output),
            "branch_summary" => {
                let summary = json::take_text(record, "summary").unwrap_or_default();
                let blocks = vec![ContentBlock::Text(summary)];
                self.push_step(MessageRole::User, time, blocks, StepMark::Injected);
            }
            "custom_message" => {
                let blocks = json::message_blocks(json::take_value(record, "content"));
                self.push_step(MessageRole::User, time, blocks, StepMark::Injected);
            }
            "" => {
                output.report_problem(ProblemKind::NotARecord);
                return false;
            }
            known if BOOKKEEPING.contains(&known) => {}
            _ => {
                output.report_unknown_type(kind.to_owned());
                return false;
            }
        }
        true
    }

    fn push_step(
        &mut self,
        role: MessageRole,
        time: Option<Timestamp>,
        blocks: Vec<ContentBlock>,
        mark: StepMark,
    ) {
        self.chain
            .push_step(&mut self.draft, StepDraft::with_blocks(role, time, blocks).with_mark(mark));
    }

    /// Adds a message. Returns whether pi writes messages of its role.
    fn add_message(
        &mut self,
        mut message: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) -> bool {
        match json::get_text(&message, "role") {
            Some("assistant") => self.add_response(message, time, output),
            Some("toolResult") => {
                let call = json::take_text(&mut message, "toolCallId").unwrap_or_default();
                let is_error = json::is_true(&message, "isError");
                let content = json::take_value(&mut message, "content");
                let answer = RecordedResult {
                    is_error,
                    ..RecordedResult::from_recorded(call, content, time)
                };
                output.report_error(self.draft.add_result(answer));
            }
            Some("user") => {
                let blocks = json::message_blocks(json::take_value(&mut message, "content"));
                self.push_step(MessageRole::User, time, blocks, StepMark::None);
            }
            Some("custom" | "hookMessage") => {
                let blocks = json::message_blocks(json::take_value(&mut message, "content"));
                self.push_step(MessageRole::User, time, blocks, StepMark::Injected);
            }
            Some("bashExecution") => {
                if !json::is_true(&message, "excludeFromContext") {
                    let text = ContentBlock::Text(shell_command_text(&message));
                    self.push_step(MessageRole::User, time, vec![text], StepMark::Injected);
                }
            }
            Some(other) => {
                output.report_unknown_type(format!("message/{other}"));
                return false;
            }
            None => {
                output.report_bad_field("message.role", "a string");
                return false;
            }
        }
        true
    }

    /// Adds a response. A response that was aborted before its first content is no message.
    fn add_response(
        &mut self,
        mut message: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let parts = json::take_list(&mut message, "content").unwrap_or_default();
        if parts.is_empty() {
            return;
        }
        let mut step = StepDraft::with_blocks(MessageRole::Assistant, time, Vec::new());
        step.model = recorded_model(&message, "provider", "model");
        step.usage = json::get_object(&message, "usage").map(parse_usage);
        let index = self.chain.push_step(&mut self.draft, step);
        for part in parts {
            let Value::Object(mut part) = part else {
                self.draft.step_mut(index).blocks.extend(json::message_blocks(Some(part)));
                continue;
            };
            match json::get_text(&part, "type") {
                Some("thinking") => {
                    let text = json::take_text(&mut part, "thinking").unwrap_or_default();
                    let block = json::reasoning_block(text, "thinking", &Value::Object(part));
                    self.draft.step_mut(index).blocks.push(block);
                }
                Some("toolCall") => {
                    let call = ToolCall {
                        id: json::take_text(&mut part, "id").unwrap_or_default(),
                        name: json::take_text(&mut part, "name").unwrap_or_default(),
                        arguments: json::parse_arguments(json::take_value(&mut part, "arguments")),
                    };
                    output.report_error(self.draft.add_call(index, call));
                }
                _ => {
                    let blocks = json::message_blocks(Some(Value::Object(part)));
                    self.draft.step_mut(index).blocks.extend(blocks);
                }
            }
        }
    }

    /// Adds a compaction: the boundary, then the summary. The kept part starts at a line of the
    /// file in older versions and at an entry's id in newer ones.
    fn add_compaction(
        &mut self,
        record: &mut JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let by_line = record.get("firstKeptEntryIndex").and_then(Value::as_u64);
        let by_line = by_line
            .and_then(|line| self.steps_before_line.get(usize::try_from(line).ok()?))
            .copied();
        let kept = match json::get_text(record, "firstKeptEntryId") {
            Some(id) => {
                let before = self.chain.steps_before_record(id);
                if before.is_none() {
                    output.report_problem(ProblemKind::UnknownRecord { id: id.to_owned() });
                }
                before
            }
            None => by_line,
        };
        let keep_from = kept.filter(|step| *step < self.draft.len()).map(StepIndex);
        let boundary = StepMark::CompactBoundary { keep_from };
        self.push_step(MessageRole::System, time, Vec::new(), boundary);
        let summary = json::take_text(record, "summary").unwrap_or_default();
        self.push_step(
            MessageRole::User,
            time,
            vec![ContentBlock::Text(summary)],
            StepMark::CompactSummary,
        );
    }
}

/// Returns a command that the user ran in the conversation, in the form that pi sends to the model.
fn shell_command_text(message: &JsonObject) -> String {
    let command = json::get_text(message, "command").unwrap_or_default();
    let mut text = format!("Ran `{command}`\n");
    match json::get_text(message, "output") {
        Some(printed) if !printed.is_empty() => text.push_str(&format!("```\n{printed}\n```")),
        _ => text.push_str("(no output)"),
    }
    let exit_code = message.get("exitCode").and_then(Value::as_i64).filter(|code| *code != 0);
    if json::is_true(message, "cancelled") {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = exit_code {
        text.push_str(&format!("\n\nCommand exited with code {code}"));
    }
    if let Some(path) = json::get_text(message, "fullOutputPath") {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    text
}

fn parse_usage(usage: &JsonObject) -> Usage {
    Usage {
        input: json::get_count(usage, "input"),
        cache_read: json::get_count(usage, "cacheRead"),
        cache_write: json::get_count(usage, "cacheWrite"),
        cache_write_hour: 0,
        output: json::get_count(usage, "output"),
    }
}
