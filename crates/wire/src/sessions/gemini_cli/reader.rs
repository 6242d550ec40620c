//! The records of Gemini CLI's sessions, each added to its session.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use foveal_transcript::{Block, Call, Role, Timestamp, Usage};
use serde_json::Value;

use super::messages::{Change, Messages, Signature};
use crate::draft::{Answer, Draft, Step, StepIndex, StepMark};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;
use crate::reader::Reader;
use crate::requests::google::{Part, parts};

/// How messages begin that the client wrote in the user's name.
const INJECTED: [&str; 2] = ["<session_context>", "<hook_context>"];

/// Reads one session after another.
#[derive(Default)]
pub(crate) struct GeminiCli {
    open: Option<Recording>,
}

/// Signs of a session's start.
pub(crate) fn is_format(head: &Head) -> bool {
    head.all(&["sessionId", "projectHash"])
}

struct Recording {
    draft: Draft,
    messages: Messages,
    /// Where the next step goes back to.
    rewind: Option<StepIndex>,
}

impl Reader for GeminiCli {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        if let Some(id) = json::take_text(&mut record, "$rewindTo") {
            self.recording(output).back_to(&id);
        } else if let Some(mut set) = json::take_object(&mut record, "$set") {
            let recording = self.recording(output);
            recording.directory(&mut set);
            if let Some(list) = json::take_list(&mut set, "messages") {
                recording.replace(list, output);
            }
        } else if record.contains_key("sessionId") && record.contains_key("projectHash") {
            self.header(record, output);
        } else if record.contains_key("id") && record.contains_key("type") {
            self.recording(output).message(record, StepMark::None, output);
        } else {
            output.problem(ProblemKind::NotARecord);
        }
    }

    fn finish(mut self, output: &mut Output<'_>) {
        self.close(output);
    }
}

impl GeminiCli {
    /// The start of a session, which in older versions holds all of it.
    fn header(&mut self, mut record: Object, output: &mut Output<'_>) {
        output.recognise();
        let id = json::take_text(&mut record, "sessionId");
        let is_open = self.open.as_ref().is_some_and(|open| Some(&open.draft.id) == id.as_ref());
        if !is_open {
            self.close(output);
        }
        let recording = self
            .open
            .get_or_insert_with(|| Recording::new(id.unwrap_or_else(|| output.name.to_owned())));
        recording.directory(&mut record);
        let list = json::take_list(&mut record, "messages").unwrap_or_default();
        output.each_object("messages[]", list, |message, output| {
            recording.message(message, StepMark::None, output);
        });
    }

    fn recording(&mut self, output: &Output<'_>) -> &mut Recording {
        self.open.get_or_insert_with(|| Recording::new(output.name.to_owned()))
    }

    fn close(&mut self, output: &mut Output<'_>) {
        if let Some(recording) = self.open.take() {
            output.conversation_unless_empty(recording.draft);
        }
    }
}

impl Recording {
    fn new(id: String) -> Self {
        let mut draft = Draft::new(id);
        draft.agent = Some("Gemini CLI".to_owned());
        Self { draft, messages: Messages::default(), rewind: None }
    }

    fn directory(&mut self, record: &mut Object) {
        if let Some(Value::String(first)) = record.get("directories").and_then(|list| list.get(0)) {
            self.draft.directory.get_or_insert_with(|| first.clone());
        }
    }

    fn back_to(&mut self, id: &str) {
        let to = self.messages.back_to(id);
        self.rewind = (to < self.draft.len()).then_some(StepIndex(to));
    }

    /// Puts `list` in the place of all messages.
    fn replace(&mut self, list: Vec<Value>, output: &mut Output<'_>) {
        let ids = list.iter().map(|one| one.get("id").and_then(Value::as_str).unwrap_or_default());
        let ids: Vec<&str> = ids.collect();
        if let Some(before) = self.messages.fold_repetition(&ids) {
            self.draft.truncate(before);
        }
        let (change, fresh) = self.messages.change_to(&ids);
        let mark = match change {
            Change::Append => StepMark::None,
            Change::Back { to } => {
                self.rewind = (to < self.draft.len()).then_some(StepIndex(to));
                StepMark::None
            }
            Change::Compact { keep_from } => {
                let keep_from = keep_from.filter(|step| *step < self.draft.len()).map(StepIndex);
                self.push(Step::new(Role::System).marked(StepMark::CompactBoundary { keep_from }));
                StepMark::CompactSummary
            }
        };
        let kept = self.messages.take_kept();
        let fresh = list.into_iter().skip(fresh.start).take(fresh.len()).collect();
        output.each_object("$set.messages[]", fresh, |message, output| {
            self.message(message, mark, output);
        });
        self.messages.keep(kept);
    }

    /// Appends a step. A step that already means something cannot also go back, so an empty
    /// one in front of it does.
    fn push(&mut self, mut step: Step) -> StepIndex {
        if let Some(to) = self.rewind.take() {
            let mark = StepMark::Rewind { to };
            if step.mark == StepMark::None {
                step.mark = mark;
            } else {
                self.draft.push(Step::with(Role::User, step.time, Vec::new()).marked(mark));
            }
        }
        self.draft.push(step)
    }

    /// A message, or one that is there already with what came to it.
    fn message(&mut self, mut record: Object, mark: StepMark, output: &mut Output<'_>) {
        let id = json::take_text(&mut record, "id").unwrap_or_default();
        let time = output.time(&record, "timestamp");
        match json::text(&record, "type") {
            Some("gemini") => {
                output.recognise();
                let is_new = !self.messages.has(&id);
                if is_new && mark == StepMark::CompactSummary {
                    // The words of the model's that go with a summary are no answer of its.
                    self.user(id, record, mark, output);
                } else if is_new && mark == StepMark::None && is_written_by_client(&record) {
                    self.rewritten(id, record, output);
                } else {
                    self.response(id, record, time, output);
                }
            }
            // An `info` is for the user alone, save where it carries a file to the model.
            Some("user" | "info") if !self.messages.has(&id) => {
                output.recognise();
                self.user(id, record, mark, output);
            }
            Some("user" | "info" | "warning" | "error") => output.recognise(),
            Some(other) => output.unknown_type(other.to_owned()),
            None => output.bad_field("type", "a string"),
        }
    }

    /// A message in the model's name that no request was answered with: calls that are known
    /// already, or words that stand in the prompt.
    fn rewritten(&mut self, id: String, record: Object, output: &mut Output<'_>) {
        let calls = call_ids(&record);
        let Some(step) = calls.iter().find_map(|call| self.draft.step_of(call)) else {
            let mark = StepMark::Injected;
            return self.user(id, record, mark, output);
        };
        self.messages.add(id, self.draft.len(), Some(step), Signature::Model(calls));
    }

    fn user(&mut self, id: String, mut record: Object, mark: StepMark, output: &mut Output<'_>) {
        let signature = signature(&record);
        let time = output.time(&record, "timestamp");
        let before = self.draft.len();
        let mut blocks = Vec::new();
        for part in parts(json::take(&mut record, "content"), time) {
            match part {
                Part::Block(block) => blocks.push(block),
                // Most results stand with their calls as well.
                Part::Answer(answer) if self.draft.is_answered(&answer.call) => {}
                Part::Answer(answer) => output.check(self.draft.answer(answer)),
                Part::Call(_) => output.bad_field("content[]", "a part of a user's"),
            }
        }
        let is_text = |block: &Block| matches!(block, Block::Text(_));
        if json::text(&record, "type") == Some("info") && blocks.iter().all(is_text) {
            return;
        }
        if !blocks.is_empty() {
            let mut step = Step::with(Role::User, time, blocks).marked(mark);
            let text = step.text();
            let is_injected = INJECTED.iter().any(|start| text.trim_start().starts_with(start));
            if mark == StepMark::None && is_injected {
                step.mark = StepMark::Injected;
            }
            self.push(step);
        }
        self.messages.add(id, before, None, signature);
    }

    /// A response. It is written once it says something, then again with its calls, and once
    /// more with their results.
    fn response(
        &mut self,
        id: String,
        mut record: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let signature = signature(&record);
        let thoughts = json::take_list(&mut record, "thoughts").unwrap_or_default();
        let said = parts(json::take(&mut record, "content"), time);
        let calls = json::take_list(&mut record, "toolCalls").unwrap_or_default();
        let before = self.draft.len();
        let known = self.messages.step(&id);
        if known.is_none() && thoughts.is_empty() && said.is_empty() && calls.is_empty() {
            return;
        }
        let index = if let Some(index) = known {
            self.messages.sign(&id, signature);
            index
        } else {
            let index = self.push(Step::with(Role::Assistant, time, Vec::new()));
            self.messages.add(id, before, Some(index), signature);
            index
        };
        let step = self.draft.step_mut(index);
        step.model = json::text(&record, "model").map(Into::into).or(step.model.take());
        step.usage = json::object(&record, "tokens").map(usage).or(step.usage);
        let has = |is: fn(&Block) -> bool| step.blocks.iter().any(is);
        let has_thoughts = has(|block| matches!(block, Block::Reasoning(_)));
        let has_text = has(|block| !matches!(block, Block::Reasoning(_) | Block::Call(_)));
        if !has_thoughts {
            step.blocks.extend(thoughts.iter().filter_map(thought));
        }
        for part in said {
            match part {
                Part::Block(Block::Reasoning(_)) if has_thoughts => {}
                Part::Block(_) if has_text => {}
                Part::Block(block) => self.draft.step_mut(index).blocks.push(block),
                Part::Call(call) if self.draft.step_of(&call.id) == Some(index) => {}
                Part::Call(call) => output.check(self.draft.call(index, call)),
                Part::Answer(_) => output.bad_field("content[]", "a part of a response"),
            }
        }
        output.each_object("toolCalls[]", calls, |call, output| self.call(index, call, output));
    }

    /// A call, which has its result once there is one.
    fn call(&mut self, index: StepIndex, mut record: Object, output: &mut Output<'_>) {
        let time = output.time(&record, "timestamp");
        let id = json::take_text(&mut record, "id").unwrap_or_default();
        if self.draft.step_of(&id) != Some(index) {
            let call = Call {
                id: id.clone(),
                name: json::take_text(&mut record, "name").unwrap_or_default(),
                arguments: json::arguments(json::take(&mut record, "args")),
            };
            output.check(self.draft.call(index, call));
        }
        let parts = parts(json::take(&mut record, "result"), time);
        if parts.is_empty() || self.draft.is_answered(&id) {
            return;
        }
        let failed = matches!(json::text(&record, "status"), Some("error" | "cancelled"));
        let mut answer = result(&id, parts, time);
        answer.is_error = failed || (answer.is_error && !record.contains_key("status"));
        output.check(self.draft.answer(answer));
    }
}

/// Whether the client wrote a message in the model's name: of an answer it notes the model, or
/// what it was billed, or the text as one string.
fn is_written_by_client(record: &Object) -> bool {
    let is_told = |key: &str| record.get(key).is_some_and(|value| !value.is_null());
    !is_told("model") && !is_told("tokens") && record.get("content").is_some_and(Value::is_array)
}

/// The ids of the calls that a message of the model makes.
fn call_ids(record: &Object) -> Vec<String> {
    let list = |key: &str| record.get(key).and_then(Value::as_array).into_iter().flatten();
    let in_parts = list("content").filter_map(|part| part.get("functionCall")?.get("id"));
    let beside = list("toolCalls").filter_map(|call| call.get("id"));
    let ids = in_parts.chain(beside).filter_map(Value::as_str).map(str::to_owned);
    let mut ids: Vec<String> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// What tells a message when it is written again under another id.
fn signature(record: &Object) -> Signature {
    if json::text(record, "type") == Some("gemini") {
        return Signature::Model(call_ids(record));
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
                return Signature::Results;
            }
        }
        _ => {}
    }
    Signature::User(hasher.finish())
}

/// The result of the call `id` among the parts recorded with it.
fn result(id: &str, parts: Vec<Part>, time: Option<Timestamp>) -> Answer {
    let mut answer: Option<Answer> = None;
    let mut texts = Vec::new();
    let mut others = Vec::new();
    for part in parts {
        match part {
            Part::Answer(one) if one.call == id || answer.is_none() => answer = Some(one),
            Part::Block(Block::Text(text)) => texts.push(text),
            Part::Block(block) => others.push(block),
            Part::Answer(_) | Part::Call(_) => {}
        }
    }
    let mut answer =
        answer.unwrap_or_else(|| Answer { content: texts.join("\n"), time, ..Answer::default() });
    id.clone_into(&mut answer.call);
    answer.others.extend(others);
    answer
}

fn thought(thought: &Value) -> Option<Block> {
    let text = |key| thought.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let texts: Vec<&str> = [text("subject"), text("description")].into_iter().flatten().collect();
    (!texts.is_empty()).then(|| Block::Reasoning(texts.join("\n")))
}

/// Cached tokens are among the prompt's, thoughts are not among the output's.
fn usage(tokens: &Object) -> Usage {
    let cache_read = json::count(tokens, "cached");
    Usage {
        input: json::count(tokens, "input").saturating_sub(cache_read),
        cache_read,
        cache_write: 0,
        cache_write_hour: 0,
        output: json::count(tokens, "output") + json::count(tokens, "thoughts"),
    }
}
