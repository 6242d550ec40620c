//! OpenHands' events: actions, and observations that name the action as their cause. They
//! come as `output.jsonl` of a benchmark (a `history` per line, in old versions of pairs),
//! as an array of events, or one event per line. Newer events say their `kind` instead;
//! see [`crate::openhands_kinds`].

use std::collections::HashMap;

use foveal_transcript::{Block, Call, Role, Session, Timestamp};
use serde_json::Value;

use crate::draft::{Answer, Draft, Step, StepIndex, StepMark};
use crate::json::{self, Object};
use crate::openai_chat;
use crate::problem::ProblemKind;
use crate::read::{Output, Reader};

/// Actions and observations that the model is not sent.
const BOOKKEEPING: [&str; 9] = [
    "recall",
    "change_agent_state",
    "agent_state_changed",
    "null",
    "condensation_request",
    "loop_detection",
    "task_tracking_state",
    "user_rejected_state",
    "initialize",
];

/// Arguments that are the agent's own, not the model's, where no call is recorded.
const OWN_ARGUMENTS: [&str; 8] = [
    "thought",
    "blocking",
    "is_static",
    "hidden",
    "confirmation_state",
    "is_input",
    "cwd",
    "security_risk",
];

/// Reads sessions that hold their events, and events that make up one session.
#[derive(Default)]
pub(crate) struct OpenHands {
    events: Option<Events>,
}

impl Reader for OpenHands {
    fn record(&mut self, mut record: Object, output: &mut Output<'_>) {
        if let Some(history) = json::take_list(&mut record, "history") {
            let id = json::take_text(&mut record, "instance_id");
            let mut events = Events::new(id.unwrap_or_else(|| output.name.to_owned()));
            for event in history {
                events.value(event, output);
            }
            events.finish(output);
        } else if is_event(&record) {
            output.recognise();
            let events = self.events.get_or_insert_with(|| Events::new(output.name.to_owned()));
            events.event(record, output);
        } else {
            output.problem(ProblemKind::NotARecord);
        }
    }

    fn finish(self, output: &mut Output<'_>) {
        if let Some(events) = self.events {
            events.finish(output);
        }
    }
}

fn is_event(record: &Object) -> bool {
    ["action", "observation", "kind"].iter().any(|key| json::text(record, key).is_some())
}

/// A session while its events are read.
pub(crate) struct Events {
    pub(crate) draft: Draft,
    /// The model's response that the last assistant step is.
    response: Option<(String, StepIndex)>,
    /// Calls by the id of the event that made them.
    calls: HashMap<String, String>,
    /// The steps there were after each event.
    places: HashMap<String, usize>,
    last_call: Option<String>,
}

impl Events {
    fn new(id: String) -> Self {
        let mut draft = Draft::new(id);
        draft.agent = Some("OpenHands".to_owned());
        Self {
            draft,
            response: None,
            calls: HashMap::new(),
            places: HashMap::new(),
            last_call: None,
        }
    }

    fn finish(self, output: &mut Output<'_>) {
        let id = self.draft.id.clone();
        output.session(Session { id, conversations: vec![self.draft.finish()] });
    }

    fn value(&mut self, event: Value, output: &mut Output<'_>) {
        match event {
            Value::Object(event) => self.event(event, output),
            // Old recordings pair an action with its observation.
            Value::Array(pair) => {
                for event in pair {
                    if let Value::Object(event) = event {
                        self.event(event, output);
                    }
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                output.problem(ProblemKind::BadField { field: "history[]", expected: "an event" });
            }
        }
    }

    fn event(&mut self, mut event: Object, output: &mut Output<'_>) {
        let time = output.time(&event, "timestamp");
        let id = event.get("id").and_then(event_id);
        let known = id.clone();
        if let Some(kind) = json::take_text(&mut event, "kind") {
            self.kind(&kind, event, time, output);
        } else if let Some(action) = json::take_text(&mut event, "action") {
            self.action(&action, id, event, time, output);
        } else if let Some(observation) = json::take_text(&mut event, "observation") {
            if !BOOKKEEPING.contains(&observation.as_str()) {
                self.observation(&observation, event, time, output);
            }
        } else {
            output.problem(ProblemKind::BadField { field: "action", expected: "a string" });
        }
        if let Some(id) = known {
            self.places.insert(id, self.draft.len());
        }
    }

    fn action(
        &mut self,
        action: &str,
        id: Option<String>,
        mut event: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let mut arguments = json::take_object(&mut event, "args").unwrap_or_default();
        let metadata = json::take_object(&mut event, "tool_call_metadata");
        let from_user = json::text(&event, "source") == Some("user");
        match (action, metadata) {
            (known, _) if BOOKKEEPING.contains(&known) => {}
            ("system", _) => {
                self.push(Role::System, time, json::message_blocks(arguments.remove("content")));
            }
            ("condensation", _) => self.condensation(&mut arguments, time),
            (_, Some(metadata)) if !from_user => self.call(metadata, id, &arguments, time, output),
            ("message", _) => {
                let role = if from_user { Role::User } else { Role::Assistant };
                let content = json::take(&mut arguments, "content");
                self.push(role, time, json::message_blocks(content));
            }
            _ => {
                // Without the model's own words, the action stands for the call. Commands
                // of the user run the same way.
                let thought = json::take(&mut arguments, "thought");
                let index = self.push(Role::Assistant, time, json::message_blocks(thought));
                let name = match action {
                    "run" => "execute_bash",
                    "run_ipython" => "execute_ipython_cell",
                    other => other,
                };
                arguments.retain(|key, _| !OWN_ARGUMENTS.contains(&key.as_str()));
                let call = id.as_ref().map_or_else(
                    || format!("action-{}", index.0),
                    |event| format!("event-{event}"),
                );
                self.add_call(index, id, call, name.to_owned(), Value::Object(arguments), output);
            }
        }
    }

    /// A call with the model's response that made it; its other calls are events as well.
    fn call(
        &mut self,
        mut metadata: Object,
        id: Option<String>,
        arguments: &Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let mut response = json::take_object(&mut metadata, "model_response").unwrap_or_default();
        let mut message = first_choice(&mut response);
        let call = json::take_text(&mut metadata, "tool_call_id").unwrap_or_default();
        let recorded = json::take_list(&mut message, "tool_calls")
            .unwrap_or_default()
            .into_iter()
            .filter_map(openai_chat::call)
            .find(|recorded| recorded.id == call);
        let name = json::take_text(&mut metadata, "function_name").unwrap_or_default();
        let (name, arguments) = match recorded {
            Some(recorded) => (recorded.name, recorded.arguments),
            None => (name, Value::Object(arguments.clone())),
        };
        let index = self.response(json::take_text(&mut response, "id"), time, |step| {
            if let Some(text) = json::take_text(&mut message, "reasoning_content") {
                step.blocks.push(Block::Reasoning(text));
            }
            step.blocks.extend(json::message_blocks(json::take(&mut message, "content")));
            step.model = json::text(&response, "model").map(Into::into);
            step.usage = json::object(&response, "usage").map(openai_chat::chat_usage);
        });
        self.add_call(index, id, call, name, arguments, output);
    }

    /// The step of a response: the last one if it has this id, or else a new one.
    pub(crate) fn response(
        &mut self,
        id: Option<String>,
        time: Option<Timestamp>,
        fill: impl FnOnce(&mut Step),
    ) -> StepIndex {
        if let (Some(id), Some((known, index))) = (&id, &self.response)
            && id == known
        {
            return *index;
        }
        let mut step = Step::with(Role::Assistant, time, Vec::new());
        fill(&mut step);
        let index = self.draft.push(step);
        self.response = id.map(|id| (id, index));
        index
    }

    /// Adds a call. Some models number their calls from one in every response; such an id
    /// gets the event's behind it.
    pub(crate) fn add_call(
        &mut self,
        index: StepIndex,
        event: Option<String>,
        call: String,
        name: String,
        arguments: Value,
        output: &mut Output<'_>,
    ) {
        let id = match &event {
            Some(event) if self.draft.step_of(&call).is_some() => format!("{call}#{event}"),
            _ => call,
        };
        if let Some(event) = event {
            self.calls.insert(event, id.clone());
        }
        self.last_call = Some(id.clone());
        output.check(self.draft.call(index, Call { id, name, arguments }));
    }

    /// The call that an event made.
    pub(crate) fn call_of(&self, event: &str) -> Option<String> {
        self.calls.get(event).cloned()
    }

    fn observation(
        &mut self,
        kind: &str,
        mut event: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let exit_code = event
            .get("extras")
            .and_then(|extras| extras.pointer("/metadata/exit_code").or(extras.get("exit_code")))
            .and_then(Value::as_i64);
        let cause = event.get("cause").and_then(event_id);
        let call = match cause.and_then(|cause| self.calls.get(&cause)) {
            Some(call) => call.clone(),
            None => match self.last_call.take() {
                Some(call) if !self.draft.is_answered(&call) => call,
                // What was observed without a call, such as the answer to a plain message.
                Some(_) | None => {
                    let content = json::take(&mut event, "content");
                    self.push(Role::User, time, json::message_blocks(content));
                    return;
                }
            },
        };
        let (content, others) = json::result_content(json::take(&mut event, "content"));
        output.check(self.draft.answer(Answer {
            call,
            content,
            is_error: kind == "error" || exit_code.is_some_and(|code| code > 0),
            time,
            others,
            ..Answer::default()
        }));
    }

    /// Events were forgotten for a summary. What came after the last of them stays.
    fn condensation(&mut self, arguments: &mut Object, time: Option<Timestamp>) {
        let last = match arguments.get("forgotten_events_end_id") {
            Some(id) => event_id(id),
            None => arguments
                .get("forgotten_event_ids")
                .and_then(Value::as_array)
                .and_then(|ids| ids.last())
                .and_then(event_id),
        };
        self.forget(last.as_deref(), json::take_text(arguments, "summary"), time);
    }

    /// Compacts up to and with the event `last`.
    pub(crate) fn forget(
        &mut self,
        last: Option<&str>,
        summary: Option<String>,
        time: Option<Timestamp>,
    ) {
        let after = last.and_then(|last| self.places.get(last)).copied();
        let keep_from = after.filter(|step| *step < self.draft.len()).map(StepIndex);
        let mut boundary = Step::with(Role::System, time, Vec::new());
        boundary.mark = StepMark::CompactBoundary { keep_from };
        self.draft.push(boundary);
        if let Some(summary) = summary {
            let mut step = Step::with(Role::User, time, vec![Block::Text(summary)]);
            step.mark = StepMark::CompactSummary;
            self.draft.push(step);
        }
    }

    pub(crate) fn push(
        &mut self,
        role: Role,
        time: Option<Timestamp>,
        blocks: Vec<Block>,
    ) -> StepIndex {
        self.draft.push(Step::with(role, time, blocks))
    }
}

/// The message of a chat completion's first choice.
fn first_choice(response: &mut Object) -> Object {
    let choice = json::take_list(response, "choices").unwrap_or_default().into_iter().next();
    match choice {
        Some(Value::Object(mut choice)) => {
            json::take_object(&mut choice, "message").unwrap_or_default()
        }
        _ => Object::new(),
    }
}

/// Event ids are numbers in older recordings and text in newer ones.
fn event_id(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
