//! An OpenHands session while its events are read.

use std::collections::HashMap;

use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft, StepIndex};
use foveal_transcript::{ContentBlock, MessageRole, Timestamp, ToolCall};
use serde_json::Value;

use crate::session_sink::SessionSink;

/// An OpenHands session while its events are read.
pub(crate) struct OpenHandsSession {
    pub(crate) draft: ConversationBuilder,
    /// The id of the last response and its step.
    last_response: Option<(String, StepIndex)>,
    /// Call ids by the ids of the events that made them.
    calls_by_event: HashMap<String, String>,
    /// The number of steps after each event.
    steps_after_event: HashMap<String, usize>,
    last_call: Option<String>,
}

impl OpenHandsSession {
    pub(crate) fn new(id: String) -> Self {
        let mut draft = ConversationBuilder::new(id);
        draft.agent = Some("OpenHands".to_owned());
        Self {
            draft,
            last_response: None,
            calls_by_event: HashMap::new(),
            steps_after_event: HashMap::new(),
            last_call: None,
        }
    }

    /// Returns the step of a response: the last one if it has this id, otherwise a new one.
    pub(crate) fn response_step(
        &mut self,
        id: Option<String>,
        time: Option<Timestamp>,
        fill: impl FnOnce(&mut StepDraft),
    ) -> StepIndex {
        if let (Some(id), Some((known, index))) = (&id, &self.last_response)
            && id == known
        {
            return *index;
        }
        let mut step = StepDraft::with_blocks(MessageRole::Assistant, time, Vec::new());
        fill(&mut step);
        let index = self.draft.push_step(step);
        self.last_response = id.map(|id| (id, index));
        index
    }

    /// Adds a call. Some models number their calls from one in every response; the event's id is
    /// appended to such an id.
    pub(crate) fn add_call(
        &mut self,
        index: StepIndex,
        event: Option<String>,
        call: String,
        name: String,
        arguments: Value,
        output: &mut SessionSink<'_>,
    ) {
        let id = match &event {
            Some(event) if self.draft.step_of_call(&call).is_some() => format!("{call}#{event}"),
            _ => call,
        };
        if let Some(event) = event {
            self.calls_by_event.insert(event, id.clone());
        }
        self.last_call = Some(id.clone());
        output.report_error(self.draft.add_call(index, ToolCall { id, name, arguments }));
    }

    /// Returns the id of the call that an event made.
    pub(crate) fn call_of_event(&self, event: &str) -> Option<String> {
        self.calls_by_event.get(event).cloned()
    }

    /// Takes the id of the last call if it has no result yet.
    pub(crate) fn take_open_call(&mut self) -> Option<String> {
        self.last_call.take().filter(|call| !self.draft.has_result_of(call))
    }

    /// Notes that the steps so far are those up to and including an event.
    pub(crate) fn note_event_position(&mut self, event: String) {
        self.steps_after_event.insert(event, self.draft.len());
    }

    /// Compacts the conversation up to and including the event `last`.
    pub(crate) fn compact_through_event(
        &mut self,
        last: Option<&str>,
        summary: Option<String>,
        time: Option<Timestamp>,
    ) {
        let after = last.and_then(|last| self.steps_after_event.get(last)).copied();
        let keep_from = after.filter(|step| *step < self.draft.len()).map(StepIndex);
        self.draft.push_compaction(keep_from, time);
        if let Some(summary) = summary {
            self.draft.push_summary(time, vec![ContentBlock::Text(summary)]);
        }
    }

    pub(crate) fn push_step(
        &mut self,
        role: MessageRole,
        time: Option<Timestamp>,
        blocks: Vec<ContentBlock>,
    ) -> StepIndex {
        self.draft.push_step(StepDraft::with_blocks(role, time, blocks))
    }
}

/// Returns an event's id, which is a number in older recordings and text in newer ones.
pub(crate) fn parse_event_id(id: &Value) -> Option<String> {
    match id {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
