//! Reads Codex's rollout JSONL: `{timestamp, type, payload}` lines, in older versions the bare
//! items. Consecutive items of one response become one message.

use std::collections::HashSet;
use std::sync::Arc;

use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft, StepIndex, StepMark};
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::openai_responses::{self, ResponseItemReader};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp, Usage};
use serde_json::Value;

use crate::key_paths::KeyPaths;
use crate::record_reader::RecordReader;
use crate::session_sink::SessionSink;
use crate::sessions::request_bodies::is_responses_item;

/// Line types that are never part of a prompt.
const BOOKKEEPING: [&str; 3] =
    ["world_state", "inter_agent_communication_metadata", "session_state"];

/// Prefixes of user messages that Codex writes itself.
const INJECTED_PREFIXES: [&str; 7] = [
    "<environment_context>",
    "<user_instructions>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<skill>",
    "<user_shell_command>",
    "<subagent_notification>",
];

/// Reads lines of one rollout after another.
#[derive(Default)]
pub(crate) struct CodexReader {
    open_rollout: Option<CodexRollout>,
}

/// Detects a rollout by the keys of its lines.
pub(crate) fn is_format(head: &KeyPaths) -> bool {
    const ENVELOPES: [&str; 5] =
        ["session_meta", "response_item", "turn_context", "event_msg", "compacted"];
    let is_header =
        head.is_complete && head.has_all_keys(&["id", "timestamp"]) && !head.has_key("type");
    // A list of items is the input of a request; rollouts have one item a line.
    let is_item = !head.is_listed && is_responses_item(head);
    (head.has_key("payload") && head.has_text("type", &ENVELOPES))
        || (is_header && head.has_any_key(&["instructions", "git"]))
        || head.has_text("record_type", &["state"])
        || is_item
}

struct CodexRollout {
    items: ResponseItemReader,
    /// Ids of the rollouts from which this one was forked; it has copies of their headers.
    forked_from: HashSet<String>,
    model: Option<Arc<str>>,
}

impl RecordReader for CodexReader {
    fn read_record(&mut self, mut record: JsonObject, output: &mut SessionSink<'_>) {
        let time = output.parse_time(&record, "timestamp");
        let kind = json::get_text(&record, "type").unwrap_or_default().to_owned();
        if kind == "session_meta" {
            match json::take_object(&mut record, "payload") {
                Some(meta) => self.start_rollout(meta, time, output),
                None => output.report_bad_field("payload", "an object"),
            }
            return;
        }
        if kind.is_empty() {
            // Older rollouts: the header has an id, and state lines have a record type.
            if record.contains_key("id") {
                self.start_rollout(record, time, output);
            } else if !record.contains_key("record_type") {
                output.report_problem(ProblemKind::NotARecord);
            }
            return;
        }
        let recording =
            self.open_rollout.get_or_insert_with(|| CodexRollout::new(output.name.to_owned()));
        if openai_responses::is_item_type(&kind) {
            output.mark_recognised();
            recording.add_item(record, time, output);
            return;
        }
        let Some(payload) = json::take_object(&mut record, "payload") else {
            output.report_unknown_type(kind);
            return;
        };
        match kind.as_str() {
            "response_item" => {
                output.mark_recognised();
                recording.add_item(payload, time, output);
            }
            "compacted" => recording.add_compaction(payload, time, output),
            "turn_context" => recording.start_turn(&payload),
            "event_msg" => recording.read_event(&payload, time),
            "token_usage_record" => recording.read_usage_record(&payload),
            known if BOOKKEEPING.contains(&known) => {}
            _ => output.report_unknown_type(kind),
        }
    }

    fn finish(mut self, output: &mut SessionSink<'_>) {
        self.close_rollout(output);
    }
}

impl CodexReader {
    /// Starts a rollout with its header. A copied header of the rollout's origin starts none.
    fn start_rollout(
        &mut self,
        mut meta: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        output.mark_recognised();
        let id = json::take_text(&mut meta, "id").unwrap_or_else(|| output.name.to_owned());
        let forked_from = json::take_text(&mut meta, "forked_from_id");
        if let Some(open) = &mut self.open_rollout
            && (open.forked_from.contains(&id) || open.items.draft.id == id)
        {
            open.forked_from.extend(forked_from);
            return;
        }
        self.close_rollout(output);
        let mut recording = CodexRollout::new(id);
        recording.forked_from.extend(forked_from);
        let draft = &mut recording.items.draft;
        draft.directory = json::take_text(&mut meta, "cwd");
        draft.parent = meta
            .get("source")
            .and_then(|source| source.pointer("/subagent/thread_spawn/parent_thread_id"))
            .and_then(Value::as_str)
            .map(str::to_owned);
        let instructions = json::take_object(&mut meta, "base_instructions");
        if let Some(text) = instructions.and_then(|mut base| json::take_text(&mut base, "text")) {
            draft.push_step(StepDraft::with_text(MessageRole::System, time, text));
        }
        self.open_rollout = Some(recording);
    }

    fn close_rollout(&mut self, output: &mut SessionSink<'_>) {
        if let Some(recording) = self.open_rollout.take() {
            let draft = recording.items.draft;
            // A rollout with instructions only is no conversation.
            if draft.steps().iter().any(|step| step.role != MessageRole::System) {
                output.emit_conversation(draft);
            }
        }
    }
}

impl CodexRollout {
    fn new(id: String) -> Self {
        let mut draft = ConversationBuilder::new(id);
        draft.agent = Some("Codex".to_owned());
        Self {
            items: ResponseItemReader::new(draft, is_failed_output),
            forked_from: HashSet::new(),
            model: None,
        }
    }

    fn add_item(
        &mut self,
        item: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        if json::get_text(&item, "type") == Some("ghost_snapshot") {
            return;
        }
        let before = self.items.draft.len();
        self.items.read_item(item, time, &mut output.problems);
        let draft = &mut self.items.draft;
        if draft.len() == before {
            return;
        }
        let step = draft.step_mut(StepIndex(before));
        match step.role {
            MessageRole::Assistant => step.model.clone_from(&self.model),
            MessageRole::User if is_injected(step) => step.mark = StepMark::Injected,
            MessageRole::User | MessageRole::System | MessageRole::Tool => {}
        }
    }

    /// Replaces the history by the recorded one, or else by the summary alone.
    fn add_compaction(
        &mut self,
        mut payload: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        output.mark_recognised();
        self.items.close_response();
        let draft = &mut self.items.draft;
        draft.push_compaction(None, time);
        let summary = json::take_text(&mut payload, "message").unwrap_or_default();
        let Some(history) = json::take_list(&mut payload, "replacement_history") else {
            draft.push_summary(time, vec![ContentBlock::Text(summary)]);
            return;
        };
        let first = draft.len();
        for item in history {
            if let Value::Object(item) = item {
                self.items.read_item(item, time, &mut output.problems);
            }
        }
        self.items.close_response();
        let draft = &mut self.items.draft;
        for at in first..draft.len() {
            draft.step_mut(StepIndex(at)).mark = StepMark::CompactSummary;
        }
    }

    fn start_turn(&mut self, payload: &JsonObject) {
        self.items.close_response();
        self.model = json::get_text(payload, "model").map(Into::into);
        let draft = &mut self.items.draft;
        if draft.directory.is_none() {
            draft.directory = json::get_text(payload, "cwd").map(str::to_owned);
        }
    }

    fn read_event(&mut self, payload: &JsonObject, time: Option<Timestamp>) {
        match json::get_text(payload, "type") {
            Some("token_count") => {
                let info = json::get_object(payload, "info");
                let usage = info.and_then(|info| json::get_object(info, "last_token_usage"));
                let draft = &mut self.items.draft;
                let response = draft.steps().iter().rposition(|s| s.role == MessageRole::Assistant);
                if let (Some(usage), Some(at)) = (usage, response) {
                    draft.step_mut(StepIndex(at)).usage = Some(parse_usage(usage));
                }
            }
            Some("thread_rolled_back") => {
                self.roll_back(json::get_count(payload, "num_turns"), time);
            }
            _ => {}
        }
    }

    /// Sets the usage of the last response. A compaction on the server has no response, and the
    /// last one then has its usage already.
    fn read_usage_record(&mut self, payload: &JsonObject) {
        let draft = &mut self.items.draft;
        let response = draft.steps().iter().rposition(|s| s.role == MessageRole::Assistant);
        if let (Some(usage), Some(at)) = (json::get_object(payload, "usage"), response) {
            draft.step_mut(StepIndex(at)).usage.get_or_insert_with(|| parse_usage(usage));
        }
    }

    /// Drops the last `turns` user messages with all that followed.
    fn roll_back(&mut self, turns: u64, time: Option<Timestamp>) {
        self.items.close_response();
        let draft = &mut self.items.draft;
        let asked = (0..draft.len()).rev().filter(|at| {
            let step = &draft.steps()[*at];
            step.role == MessageRole::User && step.mark == StepMark::None && !step.blocks.is_empty()
        });
        let Some(turns) = usize::try_from(turns).ok().and_then(|turns| turns.checked_sub(1)) else {
            return;
        };
        if let Some(to) = asked.take(turns.saturating_add(1)).last() {
            let step = StepDraft::with_blocks(MessageRole::User, time, Vec::new());
            draft.push_step(step.with_mark(StepMark::Rewind { to: StepIndex(to) }));
        }
    }
}

fn is_injected(step: &StepDraft) -> bool {
    match step.blocks.first() {
        Some(ContentBlock::Text(text)) => {
            INJECTED_PREFIXES.iter().any(|start| text.starts_with(start))
        }
        _ => false,
    }
}

/// Parses usage. OpenAI includes cached tokens in the input and reports no writes.
fn parse_usage(usage: &JsonObject) -> Usage {
    let cache_read = json::get_count(usage, "cached_input_tokens");
    Usage {
        input: json::get_count(usage, "input_tokens").saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: json::get_count(usage, "output_tokens"),
    }
}

/// Returns whether a command's recorded output has an exit code other than 0, in one of Codex's
/// forms: a JSON object with metadata, or lines before the output.
fn is_failed_output(output: &str) -> bool {
    let code = if output.starts_with("{\"output\":") {
        output.rsplit_once("\"exit_code\":").map(|(_, code)| code)
    } else {
        let mut head = output.lines().take(5);
        head.find_map(|line| {
            line.strip_prefix("Exit code: ").or(line.strip_prefix("Process exited with code "))
        })
    };
    let digits = |code: &str| code.bytes().take_while(u8::is_ascii_digit).any(|b| b != b'0');
    code.is_some_and(|code| digits(code.trim_start().trim_start_matches('-')))
}
