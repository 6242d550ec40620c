//! The output of `opencode export`: `{info, messages: [{info, parts}]}`. A message of the
//! model may hold several responses, each between `step-start` and `step-finish`. In opencode 2
//! messages are [`records`].

mod fields;
mod records;

use foveal_transcript::{Block, Call, Role, Timestamp};
use serde_json::Value;

use self::fields::{time_at, usage};
use crate::draft::{Answer, Draft, Step, StepIndex};
use crate::head::Head;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Part types that the model is not sent.
const BOOKKEEPING: [&str; 7] =
    ["snapshot", "patch", "agent", "retry", "subtask", "compaction", "step-start"];

/// Reads one exported session.
pub(crate) fn read(mut root: Object, output: &mut Output<'_>) {
    let info = json::take_object(&mut root, "info");
    let messages = json::take_list(&mut root, "messages");
    let (Some(mut info), Some(messages)) = (info, messages) else {
        output.problem(ProblemKind::NotARecord);
        return;
    };
    let is_message =
        |message: &Value| message.get("info").is_some() || message.get("type").is_some();
    if messages.first().is_some_and(|message| !is_message(message)) {
        output.problem(ProblemKind::NotARecord);
        return;
    }
    let id = json::take_text(&mut info, "id").unwrap_or_else(|| output.name.to_owned());
    let mut draft = Draft::new(id);
    draft.agent = Some("OpenCode".to_owned());
    draft.parent = json::take_text(&mut info, "parentID");
    draft.directory = json::take_text(&mut info, "directory");
    output.each_object("messages[]", messages, |message, output| {
        if records::is_record(&message) {
            records::add(&mut draft, message, output);
        } else {
            self::message(&mut draft, message, output);
        }
    });
    output.conversation(draft);
}

/// Signs of an exported session.
pub(crate) fn is_format(head: &Head) -> bool {
    head.has("messages[].parts") || head.all(&["info.id", "info.time"])
}

fn message(draft: &mut Draft, mut message: Object, output: &mut Output<'_>) {
    let info = json::take_object(&mut message, "info").unwrap_or_default();
    let parts = json::take_list(&mut message, "parts").unwrap_or_default();
    let time = time_at(&info, "created");
    match json::text(&info, "role") {
        Some("user") => {
            let blocks: Vec<_> = parts.into_iter().filter_map(message_block).collect();
            if !blocks.is_empty() {
                draft.push(Step::with(Role::User, time, blocks));
            }
        }
        Some("assistant") if is_summary(&info) => {
            draft.compact(None, time);
            draft.summary(time, parts.into_iter().filter_map(message_block).collect());
        }
        Some("assistant") => Response { draft, info, time, open: None }.read(parts, output),
        _ => output.bad_field("messages[].info.role", "`user` or `assistant`"),
    }
}

/// The field was a flag, and holds a diff summary in other messages.
fn is_summary(info: &Object) -> bool {
    json::is_true(info, "summary") || json::text(info, "mode") == Some("compaction")
}

/// A part of a message as the model is sent it.
fn message_block(part: Value) -> Option<Block> {
    let Value::Object(mut part) = part else { return None };
    match json::text(&part, "type")? {
        "text" if json::is_true(&part, "ignored") => None,
        "text" => {
            json::take_text(&mut part, "text").filter(|text| !text.is_empty()).map(Block::Text)
        }
        known if BOOKKEEPING.contains(&known) || known == "step-finish" => None,
        "reasoning" => json::take_text(&mut part, "text").map(Block::Reasoning),
        other => {
            let kind = other.to_owned();
            Some(json::opaque(&kind, &Value::Object(part)))
        }
    }
}

struct Response<'a> {
    draft: &'a mut Draft,
    info: Object,
    time: Option<Timestamp>,
    open: Option<StepIndex>,
}

impl Response<'_> {
    fn read(mut self, parts: Vec<Value>, output: &mut Output<'_>) {
        let first = self.draft.len();
        for part in parts {
            let kind = json::kind_of(&part).to_owned();
            match (kind.as_str(), part) {
                ("step-start", _) => self.open = None,
                ("step-finish", Value::Object(part)) => {
                    if let (Some(index), Some(tokens)) = (self.open, json::object(&part, "tokens"))
                    {
                        self.draft.step_mut(index).usage = Some(usage(tokens));
                    }
                }
                ("tool", Value::Object(part)) => self.tool(part, output),
                (_, part) => {
                    if let Some(block) = message_block(part) {
                        let index = self.step();
                        self.draft.step_mut(index).blocks.push(block);
                    }
                }
            }
        }
        // Without marks between responses, the message's own counts are of its only one.
        if self.draft.len() == first + 1
            && let Some(tokens) = json::object(&self.info, "tokens")
        {
            self.draft.step_mut(StepIndex(first)).usage.get_or_insert(usage(tokens));
        }
    }

    /// The open response, or a new one.
    fn step(&mut self) -> StepIndex {
        if let Some(index) = self.open {
            return index;
        }
        let mut step = Step::with(Role::Assistant, self.time, Vec::new());
        step.model = json::text(&self.info, "modelID").map(Into::into);
        let index = self.draft.push(step);
        self.open = Some(index);
        index
    }

    /// A call with its state: pending and running ones have no result.
    fn tool(&mut self, mut part: Object, output: &mut Output<'_>) {
        let index = self.step();
        let mut state = json::take_object(&mut part, "state").unwrap_or_default();
        let id = json::take_text(&mut part, "callID").unwrap_or_default();
        let call = Call {
            id: id.clone(),
            name: json::take_text(&mut part, "tool").unwrap_or_default(),
            arguments: json::arguments(json::take(&mut state, "input")),
        };
        output.check(self.draft.call(index, call));
        let is_error = json::text(&state, "status") == Some("error");
        let recorded = match json::text(&state, "status") {
            Some("completed") => json::take(&mut state, "output"),
            Some("error") => json::take(&mut state, "error"),
            _ => return,
        };
        let mut answer = Answer::of(id, recorded, time_at(&state, "end"));
        answer.is_error = is_error;
        for file in json::take_list(&mut state, "attachments").unwrap_or_default() {
            answer.others.push(json::opaque("attachment", &file));
        }
        output.check(self.draft.answer(answer));
    }
}
