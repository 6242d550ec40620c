//! Qwen Code's session JSONL. Each line names the line before it, so that going back in the
//! conversation is a branch; messages are made of Google's parts, whichever provider answers.

use foveal_transcript::{Block, Role, Timestamp, Usage};
use serde_json::Value;

use super::chain::Chain;
use crate::draft::{Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::requests::google::{Part, parts};

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

/// Subtypes of user lines that the client wrote itself.
const INJECTED: [&str; 3] = ["cron", "goal_runtime", "notification"];

/// Reads lines of one session after another.
#[derive(Default)]
pub(crate) struct QwenCode {
    open: Option<Recording>,
}

/// Signs of a session's lines.
pub(crate) fn is_format(head: &Head) -> bool {
    const SIGNS: [&str; 4] = ["message.parts", "provenance", "systemPayload", "toolCallResult"];
    head.all(&["sessionId", "parentUuid"]) && head.any(&SIGNS)
}

struct Recording {
    draft: Draft,
    chain: Chain,
}

impl Reader for QwenCode {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        let kind = json::take_text(&mut record, "type").unwrap_or_default();
        if !matches!(kind.as_str(), "user" | "assistant" | "tool_result" | "system") {
            match kind.as_str() {
                "" => output.problem(ProblemKind::NotARecord),
                _ => output.unknown_type(kind),
            }
            return;
        }
        let is_known = kind == "system" || json::object(&record, "message").is_some();
        if is_known && is_of_this_format(&record) {
            output.recognise();
        }
        let recording = self.recording(&mut record, output);
        let before = recording.draft.len();
        if record.contains_key("parentUuid") {
            recording.chain.follow(json::text(&record, "parentUuid"), before, output);
        }
        let time = output.time(&record, "timestamp");
        match kind.as_str() {
            "system" => recording.system(&mut record, time, output),
            "assistant" => recording.response(&mut record, time, output),
            _ => recording.message(&mut record, time, output),
        }
        if let Some(uuid) = json::take_text(&mut record, "uuid") {
            recording.chain.add(uuid, before, recording.draft.len());
        }
    }

    fn finish(mut self, output: &mut Output<'_>) {
        self.close(output);
    }
}

/// Whether a line has what other agents' lines with the same types do not have.
fn is_of_this_format(record: &Object) -> bool {
    let has_parts = json::object(record, "message").is_some_and(|one| one.contains_key("parts"));
    has_parts || record.contains_key("provenance") || record.contains_key("systemPayload")
}

impl QwenCode {
    /// The recording that a line belongs to: a sub-agent's lines name it beside the session.
    fn recording(&mut self, record: &mut Object, output: &mut Output<'_>) -> &mut Recording {
        let session = json::take_text(record, "sessionId");
        let agent = json::take_text(record, "agentId");
        let (id, parent) = match (agent, session) {
            (Some(agent), session) => (Some(agent), session),
            (None, session) => (session, None),
        };
        let is_open = self
            .open
            .as_ref()
            .is_some_and(|open| id.as_ref().is_none_or(|id| *id == open.draft.id));
        if !is_open {
            self.close(output);
        }
        self.open.get_or_insert_with(|| {
            let mut draft = Draft::new(id.unwrap_or_else(|| output.name.to_owned()));
            draft.agent = Some("Qwen Code".to_owned());
            draft.parent = parent;
            draft.directory = json::take_text(record, "cwd");
            Recording { draft, chain: Chain::default() }
        })
    }

    fn close(&mut self, output: &mut Output<'_>) {
        if let Some(recording) = self.open.take() {
            output.conversation_unless_empty(recording.draft);
        }
    }
}

impl Recording {
    /// A user's message, or the results of calls.
    fn message(&mut self, record: &mut Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        let Some(mut message) = json::take_object(record, "message") else {
            output.bad_field("message", "an object");
            return;
        };
        let told = json::take_object(record, "toolCallResult").unwrap_or_default();
        let failed = matches!(json::text(&told, "status"), Some("error" | "cancelled"));
        let mut blocks = Vec::new();
        for part in parts(json::take(&mut message, "parts"), time) {
            match part {
                Part::Block(block) => blocks.push(block),
                Part::Answer(mut answer) => {
                    answer.is_error |= failed;
                    output.check(self.draft.answer(answer));
                }
                Part::Call(_) => output.bad_field("message.parts[]", "a part of a user's"),
            }
        }
        if blocks.is_empty() {
            return;
        }
        let is_injected =
            json::text(record, "subtype").is_some_and(|kind| INJECTED.contains(&kind));
        let mark = if is_injected { StepMark::Injected } else { StepMark::None };
        let step = Step::with(Role::User, time, blocks).marked(mark);
        self.chain.push(&mut self.draft, step);
    }

    fn response(&mut self, record: &mut Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        let message = json::take_object(record, "message");
        let parts = parts(message.and_then(|mut one| json::take(&mut one, "parts")), time);
        if parts.is_empty() {
            // It was aborted before it said anything.
            return;
        }
        let mut step = Step::with(Role::Assistant, time, Vec::new());
        step.model = json::text(record, "model").map(Into::into);
        step.usage = json::object(record, "usageMetadata").map(usage);
        let index = self.chain.push(&mut self.draft, step);
        self.say(index, parts, output);
    }

    /// Adds the parts of a response to its step.
    fn say(&mut self, index: StepIndex, parts: Vec<Part>, output: &mut Output<'_>) {
        for part in parts {
            match part {
                Part::Block(block) => self.draft.step_mut(index).blocks.push(block),
                Part::Call(call) => output.check(self.draft.call(index, call)),
                Part::Answer(answer) => output.check(self.draft.answer(answer)),
            }
        }
    }

    fn system(&mut self, record: &mut Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        match json::text(record, "subtype") {
            Some("chat_compression") => {
                let payload = json::take_object(record, "systemPayload");
                let history =
                    payload.and_then(|mut p| json::take_list(&mut p, "compressedHistory"));
                match history {
                    Some(history) => self.compaction(history, time),
                    None => output.bad_field("systemPayload.compressedHistory", "a list"),
                }
            }
            Some(known) if BOOKKEEPING.contains(&known) => {}
            Some(other) => output.unknown_type(format!("system/{other}")),
            None => output.problem(ProblemKind::NotARecord),
        }
    }

    /// A compaction with the messages that are sent from then on: a summary, and behind it
    /// those that stayed, which start at the first call or result that is known.
    fn compaction(&mut self, history: Vec<Value>, time: Option<Timestamp>) {
        let mut summary = Vec::new();
        let mut keep_from = None;
        for message in history {
            let Value::Object(mut message) = message else { continue };
            let parts = parts(json::take(&mut message, "parts"), time);
            keep_from = parts.iter().find_map(|part| match part {
                Part::Call(call) => self.draft.step_of(&call.id),
                Part::Answer(answer) => self.draft.step_of(&answer.call),
                Part::Block(_) => None,
            });
            if keep_from.is_some() {
                break;
            }
            let texts = parts.into_iter().filter_map(|part| match part {
                Part::Block(block @ Block::Text(_)) => Some(block),
                _ => None,
            });
            summary.push(texts.collect());
        }
        let boundary = Step::with(Role::System, time, Vec::new());
        let boundary = boundary.marked(StepMark::CompactBoundary { keep_from });
        self.chain.push(&mut self.draft, boundary);
        for blocks in summary {
            self.draft.summary(time, blocks);
        }
    }
}

/// Cached tokens are among the prompt's. What is not of the prompt was answered: of thoughts,
/// providers say in two ways whether they are counted among the candidates.
fn usage(usage: &Object) -> Usage {
    let prompt = json::count(usage, "promptTokenCount");
    let cache_read = json::count(usage, "cachedContentTokenCount");
    let said = json::count(usage, "candidatesTokenCount");
    let total = json::count(usage, "totalTokenCount");
    Usage {
        input: prompt.saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: total.checked_sub(prompt).filter(|output| *output > 0).unwrap_or(said),
    }
}
