//! Codex's rollout JSONL: `{timestamp, type, payload}` lines; in older versions the bare
//! items. Items of one response stand in a row, and are one message here.

use std::collections::HashSet;
use std::sync::Arc;

use foveal_transcript::{Block, Role, Timestamp, Usage};
use serde_json::Value;

use crate::draft::{Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::requests::openai_responses::{self, Items};

/// Line types that are never part of a prompt.
const BOOKKEEPING: [&str; 3] =
    ["world_state", "inter_agent_communication_metadata", "session_state"];

/// What user messages start with that Codex writes on its own.
const INJECTED: [&str; 7] = [
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
pub(crate) struct Codex {
    open: Option<Recording>,
}

/// Signs of a rollout's lines.
pub(crate) fn is_format(head: &Head) -> bool {
    const ENVELOPES: [&str; 5] =
        ["session_meta", "response_item", "turn_context", "event_msg", "compacted"];
    let is_header = head.complete && head.all(&["id", "timestamp"]) && !head.has("type");
    let is_item = head.complete
        && head.text("type").is_some_and(openai_responses::is_item)
        && head.any(&["role", "call_id", "summary", "action"]);
    (head.has("payload") && head.is("type", &ENVELOPES))
        || (is_header && head.any(&["instructions", "git"]))
        || head.is("record_type", &["state"])
        || is_item
}

struct Recording {
    items: Items,
    /// Ids of the rollouts this one was forked from; their headers are copied into it.
    forked_from: HashSet<String>,
    model: Option<Arc<str>>,
}

impl Reader for Codex {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        let time = output.time(&record, "timestamp");
        let kind = json::text(&record, "type").unwrap_or_default().to_owned();
        if kind == "session_meta" {
            match json::take_object(&mut record, "payload") {
                Some(meta) => self.start(meta, time, output),
                None => output.bad_field("payload", "an object"),
            }
            return;
        }
        if kind.is_empty() {
            // Older rollouts: the header has an id, state lines say what they are.
            if record.contains_key("id") {
                self.start(record, time, output);
            } else if !record.contains_key("record_type") {
                output.problem(ProblemKind::NotARecord);
            }
            return;
        }
        let recording = self.open.get_or_insert_with(|| Recording::new(output.name.to_owned()));
        if openai_responses::is_item(&kind) {
            output.recognise();
            recording.item(record, time, output);
            return;
        }
        let Some(payload) = json::take_object(&mut record, "payload") else {
            output.unknown_type(kind);
            return;
        };
        match kind.as_str() {
            "response_item" => {
                output.recognise();
                recording.item(payload, time, output);
            }
            "compacted" => recording.compacted(payload, time, output),
            "turn_context" => recording.turn(&payload),
            "event_msg" => recording.event(&payload, time),
            "token_usage_record" => recording.usage_record(&payload),
            known if BOOKKEEPING.contains(&known) => {}
            _ => output.unknown_type(kind),
        }
    }

    fn finish(mut self, output: &mut Output<'_>) {
        self.close(output);
    }
}

impl Codex {
    /// A header starts a rollout, unless it is the copied one of what this was forked from.
    fn start(&mut self, mut meta: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        output.recognise();
        let id = json::take_text(&mut meta, "id").unwrap_or_else(|| output.name.to_owned());
        let forked_from = json::take_text(&mut meta, "forked_from_id");
        if let Some(open) = &mut self.open
            && (open.forked_from.contains(&id) || open.items.draft.id == id)
        {
            open.forked_from.extend(forked_from);
            return;
        }
        self.close(output);
        let mut recording = Recording::new(id);
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
            draft.push(Step::with(Role::System, time, vec![Block::Text(text)]));
        }
        self.open = Some(recording);
    }

    fn close(&mut self, output: &mut Output<'_>) {
        if let Some(recording) = self.open.take() {
            let draft = recording.items.draft;
            // Instructions alone are no conversation.
            if draft.steps().iter().any(|step| step.role != Role::System) {
                output.conversation(draft);
            }
        }
    }
}

impl Recording {
    fn new(id: String) -> Self {
        let mut draft = Draft::new(id);
        draft.agent = Some("Codex".to_owned());
        Self { items: Items::new(draft, failed), forked_from: HashSet::new(), model: None }
    }

    fn item(&mut self, item: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        if json::text(&item, "type") == Some("ghost_snapshot") {
            return;
        }
        let before = self.items.draft.len();
        self.items.item(item, time, output);
        let draft = &mut self.items.draft;
        if draft.len() == before {
            return;
        }
        let step = draft.step_mut(StepIndex(before));
        match step.role {
            Role::Assistant => step.model.clone_from(&self.model),
            Role::User if is_injected(step) => step.mark = StepMark::Injected,
            Role::User | Role::System | Role::Tool => {}
        }
    }

    /// The history was replaced: by the recorded one, or else by the summary alone.
    fn compacted(&mut self, mut payload: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        output.recognise();
        self.items.close();
        let draft = &mut self.items.draft;
        draft.compact(None, time);
        let summary = json::take_text(&mut payload, "message").unwrap_or_default();
        let Some(history) = json::take_list(&mut payload, "replacement_history") else {
            draft.summary(time, vec![Block::Text(summary)]);
            return;
        };
        let first = draft.len();
        for item in history {
            if let Value::Object(item) = item {
                self.items.item(item, time, output);
            }
        }
        self.items.close();
        let draft = &mut self.items.draft;
        for at in first..draft.len() {
            draft.step_mut(StepIndex(at)).mark = StepMark::CompactSummary;
        }
    }

    fn turn(&mut self, payload: &Object) {
        self.items.close();
        self.model = json::text(payload, "model").map(Into::into);
        let draft = &mut self.items.draft;
        if draft.directory.is_none() {
            draft.directory = json::text(payload, "cwd").map(str::to_owned);
        }
    }

    fn event(&mut self, payload: &Object, time: Option<Timestamp>) {
        match json::text(payload, "type") {
            Some("token_count") => {
                let info = json::object(payload, "info");
                let usage = info.and_then(|info| json::object(info, "last_token_usage"));
                let draft = &mut self.items.draft;
                let response = draft.steps().iter().rposition(|s| s.role == Role::Assistant);
                if let (Some(usage), Some(at)) = (usage, response) {
                    draft.step_mut(StepIndex(at)).usage = Some(token_usage(usage));
                }
            }
            Some("thread_rolled_back") => {
                self.roll_back(json::count(payload, "num_turns"), time);
            }
            _ => {}
        }
    }

    /// What one response was billed. Of a compaction on the server there is no response, and the
    /// last one has its usage already.
    fn usage_record(&mut self, payload: &Object) {
        let draft = &mut self.items.draft;
        let response = draft.steps().iter().rposition(|s| s.role == Role::Assistant);
        if let (Some(usage), Some(at)) = (json::object(payload, "usage"), response) {
            draft.step_mut(StepIndex(at)).usage.get_or_insert_with(|| token_usage(usage));
        }
    }

    /// The last `turns` of the user's messages, with all that followed, were dropped.
    fn roll_back(&mut self, turns: u64, time: Option<Timestamp>) {
        self.items.close();
        let draft = &mut self.items.draft;
        let asked = (0..draft.len()).rev().filter(|at| {
            let step = &draft.steps()[*at];
            step.role == Role::User && step.mark == StepMark::None && !step.blocks.is_empty()
        });
        let Some(turns) = usize::try_from(turns).ok().and_then(|turns| turns.checked_sub(1)) else {
            return;
        };
        if let Some(to) = asked.take(turns.saturating_add(1)).last() {
            let step = Step::with(Role::User, time, Vec::new());
            draft.push(step.marked(StepMark::Rewind { to: StepIndex(to) }));
        }
    }
}

fn is_injected(step: &Step) -> bool {
    match step.blocks.first() {
        Some(Block::Text(text)) => INJECTED.iter().any(|start| text.starts_with(start)),
        _ => false,
    }
}

/// OpenAI counts cached tokens among the input's and reports no writes.
fn token_usage(usage: &Object) -> Usage {
    let cache_read = json::count(usage, "cached_input_tokens");
    Usage {
        input: json::count(usage, "input_tokens").saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: json::count(usage, "output_tokens"),
    }
}

/// Whether a command's recorded output names an exit code other than 0, in one of the
/// wordings that Codex sends: a JSON object with metadata, or lines before the output.
fn failed(output: &str) -> bool {
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
