//! A session of OpenHands while its events are read.

use std::collections::HashMap;

use foveal_transcript::{Block, Call, Role, Timestamp};
use serde_json::Value;

use crate::draft::{Draft, Step, StepIndex};
use crate::output::Output;

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
    pub(crate) fn new(id: String) -> Self {
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

    /// The last call, if it has no result yet.
    pub(crate) fn take_open_call(&mut self) -> Option<String> {
        self.last_call.take().filter(|call| !self.draft.is_answered(call))
    }

    /// Remembers that the steps until now are those up to and with an event.
    pub(crate) fn mark_place(&mut self, event: String) {
        self.places.insert(event, self.draft.len());
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
        self.draft.compact(keep_from, time);
        if let Some(summary) = summary {
            self.draft.summary(time, vec![Block::Text(summary)]);
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

/// Event ids are numbers in older recordings and text in newer ones.
pub(crate) fn event_id(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
