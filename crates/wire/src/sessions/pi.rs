//! pi's session JSONL: a header line, then entries. Newer versions link every entry to its
//! parent, so that going back in the conversation is a branch; older ones are a plain list.

use foveal_transcript::{Block, Call, Role, Timestamp, Usage};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::sessions::chain::Chain;

/// Entry types that are never part of a prompt.
const BOOKKEEPING: [&str; 5] =
    ["thinking_level_change", "model_change", "custom", "label", "session_info"];

/// Reads lines of one session after another.
#[derive(Default)]
pub(crate) struct Pi {
    open: Option<Recording>,
}

/// Signs of a session's lines.
pub(crate) fn is_format(head: &Head) -> bool {
    let is_header = head.is("type", &["session"]) && head.any(&["cwd", "timestamp", "version"]);
    let is_message = head.is("type", &["message"]) && head.has("message.role");
    is_header || (is_message && head.complete)
}

struct Recording {
    draft: Draft,
    /// Number of steps before each line of the session, the header being line 0.
    lines: Vec<usize>,
    chain: Chain,
}

impl Reader for Pi {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        let kind = json::take_text(&mut record, "type").unwrap_or_default();
        if kind == "session" {
            self.close(output);
            output.recognise();
            let id = json::take_text(&mut record, "id").unwrap_or_else(|| output.name.to_owned());
            let mut recording = Recording::new(id);
            recording.draft.directory = json::take_text(&mut record, "cwd");
            self.open = Some(recording);
            return;
        }
        let recording = self.open.get_or_insert_with(|| Recording::new(output.name.to_owned()));
        let before = recording.draft.len();
        recording.lines.push(before);
        if record.contains_key("parentId") {
            recording.chain.follow(json::text(&record, "parentId"), before, output);
        }
        let time = output.time(&record, "timestamp");
        match kind.as_str() {
            "message" => match json::take_object(&mut record, "message") {
                Some(message) => {
                    output.recognise();
                    recording.message(message, time, output);
                }
                None => output.bad_field("message", "an object"),
            },
            "compaction" => recording.compaction(&mut record, time, output),
            "branch_summary" => {
                let summary = json::take_text(&mut record, "summary").unwrap_or_default();
                recording.push(Role::User, time, vec![Block::Text(summary)], StepMark::Injected);
            }
            "custom_message" => {
                let blocks = json::message_blocks(json::take(&mut record, "content"));
                recording.push(Role::User, time, blocks, StepMark::Injected);
            }
            "" => output.problem(ProblemKind::NotARecord),
            known if BOOKKEEPING.contains(&known) => {}
            _ => output.unknown_type(kind),
        }
        if let (Some(recording), Some(id)) = (&mut self.open, json::take_text(&mut record, "id")) {
            recording.chain.add(id, before, recording.draft.len());
        }
    }

    fn finish(mut self, output: &mut Output<'_>) {
        self.close(output);
    }
}

impl Pi {
    fn close(&mut self, output: &mut Output<'_>) {
        if let Some(recording) = self.open.take() {
            output.conversation_unless_empty(recording.draft);
        }
    }
}

impl Recording {
    fn new(id: String) -> Self {
        let mut draft = Draft::new(id);
        draft.agent = Some("pi".to_owned());
        Self { draft, lines: vec![0], chain: Chain::default() }
    }

    fn push(&mut self, role: Role, time: Option<Timestamp>, blocks: Vec<Block>, mark: StepMark) {
        self.chain.push(&mut self.draft, Step::with(role, time, blocks).marked(mark));
    }

    fn message(&mut self, mut message: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        match json::text(&message, "role") {
            Some("assistant") => self.response(message, time, output),
            Some("toolResult") => {
                let call = json::take_text(&mut message, "toolCallId").unwrap_or_default();
                let is_error = json::is_true(&message, "isError");
                let content = json::take(&mut message, "content");
                let answer = Answer { is_error, ..Answer::of(call, content, time) };
                output.check(self.draft.answer(answer));
            }
            Some("user") => {
                let blocks = json::message_blocks(json::take(&mut message, "content"));
                self.push(Role::User, time, blocks, StepMark::None);
            }
            Some("custom" | "hookMessage") => {
                let blocks = json::message_blocks(json::take(&mut message, "content"));
                self.push(Role::User, time, blocks, StepMark::Injected);
            }
            Some("bashExecution") => {
                if !json::is_true(&message, "excludeFromContext") {
                    let text = Block::Text(shell_text(&message));
                    self.push(Role::User, time, vec![text], StepMark::Injected);
                }
            }
            Some(other) => output.unknown_type(format!("message/{other}")),
            None => output.bad_field("message.role", "a string"),
        }
    }

    /// A response. One that was aborted before it said anything is no message.
    fn response(&mut self, mut message: Object, time: Option<Timestamp>, output: &mut Output<'_>) {
        let parts = json::take_list(&mut message, "content").unwrap_or_default();
        if parts.is_empty() {
            return;
        }
        let mut step = Step::with(Role::Assistant, time, Vec::new());
        step.model = json::text(&message, "model").map(Into::into);
        step.usage = json::object(&message, "usage").map(usage);
        let index = self.chain.push(&mut self.draft, step);
        for part in parts {
            let Value::Object(mut part) = part else {
                self.draft.step_mut(index).blocks.extend(json::message_blocks(Some(part)));
                continue;
            };
            match json::text(&part, "type") {
                Some("thinking") => {
                    let text = json::take_text(&mut part, "thinking").unwrap_or_default();
                    let block = json::reasoning(text, "thinking", &Value::Object(part));
                    self.draft.step_mut(index).blocks.push(block);
                }
                Some("toolCall") => {
                    let call = Call {
                        id: json::take_text(&mut part, "id").unwrap_or_default(),
                        name: json::take_text(&mut part, "name").unwrap_or_default(),
                        arguments: json::arguments(json::take(&mut part, "arguments")),
                    };
                    output.check(self.draft.call(index, call));
                }
                _ => {
                    let blocks = json::message_blocks(Some(Value::Object(part)));
                    self.draft.step_mut(index).blocks.extend(blocks);
                }
            }
        }
    }

    /// A compaction: the boundary, then the summary. What is kept starts at a line of the
    /// file in older versions and at an entry's id in newer ones.
    fn compaction(
        &mut self,
        record: &mut Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let by_line = record.get("firstKeptEntryIndex").and_then(Value::as_u64);
        let by_line = by_line.and_then(|line| self.lines.get(usize::try_from(line).ok()?)).copied();
        let kept = match json::text(record, "firstKeptEntryId") {
            Some(id) => {
                let before = self.chain.before(id);
                if before.is_none() {
                    output.problem(ProblemKind::UnknownRecord { id: id.to_owned() });
                }
                before
            }
            None => by_line,
        };
        let keep_from = kept.filter(|step| *step < self.draft.len()).map(StepIndex);
        let boundary = StepMark::CompactBoundary { keep_from };
        self.push(Role::System, time, Vec::new(), boundary);
        let summary = json::take_text(record, "summary").unwrap_or_default();
        self.push(Role::User, time, vec![Block::Text(summary)], StepMark::CompactSummary);
    }
}

/// A command the user ran in the conversation, worded as pi sends it to the model.
fn shell_text(message: &Object) -> String {
    let command = json::text(message, "command").unwrap_or_default();
    let mut text = format!("Ran `{command}`\n");
    match json::text(message, "output") {
        Some(printed) if !printed.is_empty() => text.push_str(&format!("```\n{printed}\n```")),
        _ => text.push_str("(no output)"),
    }
    let exit_code = message.get("exitCode").and_then(Value::as_i64).filter(|code| *code != 0);
    if json::is_true(message, "cancelled") {
        text.push_str("\n\n(command cancelled)");
    } else if let Some(code) = exit_code {
        text.push_str(&format!("\n\nCommand exited with code {code}"));
    }
    if let Some(path) = json::text(message, "fullOutputPath") {
        text.push_str(&format!("\n\n[Output truncated. Full output: {path}]"));
    }
    text
}

fn usage(usage: &Object) -> Usage {
    Usage {
        input: json::count(usage, "input"),
        cache_read: json::count(usage, "cacheRead"),
        cache_write: json::count(usage, "cacheWrite"),
        cache_write_hour: 0,
        output: json::count(usage, "output"),
    }
}
