//! Reads Qwen Code's session JSONL. Each line names the line before it, so that a rewind makes a
//! branch. Messages consist of Google's parts, whichever provider answers.

use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft, StepIndex, StepMark};
use foveal_protocols::gemini::{GooglePart, parse_parts};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp, Usage};
use serde_json::Value;

use super::record_chain::RecordChain;
use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;

/// Subtypes of system lines that are never part of a prompt.
const BOOKKEEPING: [&str; 22] = [
    "at_command",
    "attribution_snapshot",
    "background_task_completed",
    "branch_checkpoint",
    "custom_title",
    "file_history_snapshot",
    "goal_runtime",
    "goal_state",
    "goal_turn_end",
    "omni_recall",
    "parent_session",
    "rewind",
    "session_artifact_event",
    "session_artifact_snapshot",
    "session_model",
    "session_source",
    "session_sources_snapshot",
    "slash_command",
    "status",
    "turn_result",
    "ui_telemetry",
    "user_text_elements",
];

/// Subtypes of user lines that the client writes itself.
const INJECTED_SUBTYPES: [&str; 3] = ["cron", "goal_runtime", "notification"];

/// Reads lines of one session after another.
#[derive(Default)]
pub(crate) struct QwenCodeReader {
    open_session: Option<QwenCodeSession>,
}

/// Detects a session by the keys of its lines.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    const SIGNS: [&str; 4] = ["message.parts", "provenance", "systemPayload", "toolCallResult"];
    head.has_all_keys(&["sessionId", "parentUuid"]) && head.has_any_key(&SIGNS)
}

struct QwenCodeSession {
    draft: ConversationBuilder,
    chain: RecordChain,
}

impl RecordReader for QwenCodeReader {
    fn read_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        let kind = json::take_text(&mut record, "type").unwrap_or_default();
        if !matches!(kind.as_str(), "user" | "assistant" | "tool_result" | "system") {
            match kind.as_str() {
                "" => output.report_problem(ProblemKind::NotARecord),
                _ => output.report_unknown_type(kind),
            }
            return;
        }
        let is_known = kind == "system" || json::get_object(&record, "message").is_some();
        if is_known && has_qwen_fields(&record) {
            output.mark_recognised();
        }
        let recording = self.session_of_line(&mut record, output);
        let before = recording.draft.len();
        if record.contains_key("parentUuid") {
            recording.chain.note_branch(json::get_text(&record, "parentUuid"), before, output);
        }
        let time = output.parse_time(&record, "timestamp");
        match kind.as_str() {
            "system" => recording.read_system_line(&mut record, time, output),
            "assistant" => recording.add_response(&mut record, time, output),
            _ => recording.add_message(&mut record, time, output),
        }
        if let Some(uuid) = json::take_text(&mut record, "uuid") {
            recording.chain.add_record(uuid, before, recording.draft.len());
        }
    }

    fn finish(mut self, output: &mut SessionSink<'_>) {
        self.close_session(output);
    }
}

/// Returns whether a line has fields that other agents' lines of the same types do not have.
fn has_qwen_fields(record: &JsonObject) -> bool {
    let has_parts =
        json::get_object(record, "message").is_some_and(|one| one.contains_key("parts"));
    has_parts || record.contains_key("provenance") || record.contains_key("systemPayload")
}

impl QwenCodeReader {
    /// Returns the session of a line, opened if necessary. Lines of a sub-agent name it beside the
    /// session.
    fn session_of_line(
        &mut self,
        record: &mut JsonObject,
        output: &mut SessionSink<'_>,
    ) -> &mut QwenCodeSession {
        let session = json::take_text(record, "sessionId");
        let agent = json::take_text(record, "agentId");
        let (id, parent) = match (agent, session) {
            (Some(agent), session) => (Some(agent), session),
            (None, session) => (session, None),
        };
        let is_open = self
            .open_session
            .as_ref()
            .is_some_and(|open| id.as_ref().is_none_or(|id| *id == open.draft.id));
        if !is_open {
            self.close_session(output);
        }
        self.open_session.get_or_insert_with(|| {
            let mut draft = ConversationBuilder::new(id.unwrap_or_else(|| output.name.to_owned()));
            draft.agent = Some("Qwen Code".to_owned());
            draft.parent = parent;
            draft.directory = json::take_text(record, "cwd");
            QwenCodeSession { draft, chain: RecordChain::default() }
        })
    }

    fn close_session(&mut self, output: &mut SessionSink<'_>) {
        if let Some(recording) = self.open_session.take() {
            output.emit_unless_empty(recording.draft);
        }
    }
}

impl QwenCodeSession {
    /// Adds a user message or the results of calls.
    fn add_message(
        &mut self,
        record: &mut JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let Some(mut message) = json::take_object(record, "message") else {
            output.report_bad_field("message", "an object");
            return;
        };
        let told = json::take_object(record, "toolCallResult").unwrap_or_default();
        let failed = matches!(json::get_text(&told, "status"), Some("error" | "cancelled"));
        let mut blocks = Vec::new();
        for part in parse_parts(json::take_value(&mut message, "parts"), time) {
            match part {
                GooglePart::Block(block) => blocks.push(block),
                GooglePart::ToolResult(mut answer) => {
                    answer.is_error |= failed;
                    output.report_error(self.draft.add_result(answer));
                }
                GooglePart::Call(_) => {
                    output.report_bad_field("message.parts[]", "a part of a user's");
                }
            }
        }
        if blocks.is_empty() {
            return;
        }
        let is_injected =
            json::get_text(record, "subtype").is_some_and(|kind| INJECTED_SUBTYPES.contains(&kind));
        let mark = if is_injected { StepMark::Injected } else { StepMark::None };
        let step = StepDraft::with_blocks(MessageRole::User, time, blocks).with_mark(mark);
        self.chain.push_step(&mut self.draft, step);
    }

    fn add_response(
        &mut self,
        record: &mut JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let message = json::take_object(record, "message");
        let parts =
            parse_parts(message.and_then(|mut one| json::take_value(&mut one, "parts")), time);
        if parts.is_empty() {
            // The response was aborted before its first content.
            return;
        }
        let mut step = StepDraft::with_blocks(MessageRole::Assistant, time, Vec::new());
        step.model = json::get_text(record, "model").map(Into::into);
        step.usage = json::get_object(record, "usageMetadata").map(parse_usage);
        let index = self.chain.push_step(&mut self.draft, step);
        self.add_response_parts(index, parts, output);
    }

    /// Adds the parts of a response to its step.
    fn add_response_parts(
        &mut self,
        index: StepIndex,
        parts: Vec<GooglePart>,
        output: &mut SessionSink<'_>,
    ) {
        for part in parts {
            match part {
                GooglePart::Block(block) => self.draft.step_mut(index).blocks.push(block),
                GooglePart::Call(call) => output.report_error(self.draft.add_call(index, call)),
                GooglePart::ToolResult(answer) => {
                    output.report_error(self.draft.add_result(answer));
                }
            }
        }
    }

    fn read_system_line(
        &mut self,
        record: &mut JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        match json::get_text(record, "subtype") {
            Some("chat_compression") => {
                let payload = json::take_object(record, "systemPayload");
                let history =
                    payload.and_then(|mut p| json::take_list(&mut p, "compressedHistory"));
                match history {
                    Some(history) => self.add_compaction(history, time),
                    None => output.report_bad_field("systemPayload.compressedHistory", "a list"),
                }
            }
            Some(known) if BOOKKEEPING.contains(&known) => {}
            Some(other) => output.report_unknown_type(format!("system/{other}")),
            None => output.report_problem(ProblemKind::NotARecord),
        }
    }

    /// Adds a compaction with the messages that are sent from then on: the summary, then the kept
    /// ones, which start at the first call or result with a known id.
    fn add_compaction(&mut self, history: Vec<Value>, time: Option<Timestamp>) {
        let mut summary = Vec::new();
        let mut keep_from = None;
        for message in history {
            let Value::Object(mut message) = message else { continue };
            let parts = parse_parts(json::take_value(&mut message, "parts"), time);
            keep_from = parts.iter().find_map(|part| match part {
                GooglePart::Call(call) => self.draft.step_of_call(&call.id),
                GooglePart::ToolResult(answer) => self.draft.step_of_call(&answer.call),
                GooglePart::Block(_) => None,
            });
            if keep_from.is_some() {
                break;
            }
            let texts = parts.into_iter().filter_map(|part| match part {
                GooglePart::Block(block @ ContentBlock::Text(_)) => Some(block),
                _ => None,
            });
            summary.push(texts.collect());
        }
        let boundary = StepDraft::with_blocks(MessageRole::System, time, Vec::new());
        let boundary = boundary.with_mark(StepMark::CompactBoundary { keep_from });
        self.chain.push_step(&mut self.draft, boundary);
        for blocks in summary {
            self.draft.push_summary(time, blocks);
        }
    }
}

/// Parses usage. The prompt includes cached tokens. The output is the total without the prompt,
/// since providers differ in whether the candidates' count includes thoughts.
fn parse_usage(usage: &JsonObject) -> Usage {
    let prompt = json::get_count(usage, "promptTokenCount");
    let cache_read = json::get_count(usage, "cachedContentTokenCount");
    let said = json::get_count(usage, "candidatesTokenCount");
    let total = json::get_count(usage, "totalTokenCount");
    Usage {
        input: prompt.saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: total.checked_sub(prompt).filter(|output| *output > 0).unwrap_or(said),
    }
}
