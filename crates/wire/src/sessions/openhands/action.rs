//! OpenHands' older events: actions, and observations that name the action as their cause.

use foveal_transcript::{Block, Role, Timestamp};
use serde_json::Value;

use super::events::{Events, event_id};
use crate::draft::Answer;
use crate::json::{self, Object};
use crate::output::Output;
use crate::requests::openai_chat;

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

impl Events {
    pub(super) fn action(
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

    pub(super) fn observation(
        &mut self,
        kind: &str,
        mut event: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        if BOOKKEEPING.contains(&kind) {
            return;
        }
        let exit_code = event
            .get("extras")
            .and_then(|extras| extras.pointer("/metadata/exit_code").or(extras.get("exit_code")))
            .and_then(Value::as_i64);
        let cause = event.get("cause").and_then(event_id);
        let call = cause.and_then(|cause| self.call_of(&cause)).or_else(|| self.take_open_call());
        let Some(call) = call else {
            // What was observed without a call, such as the answer to a plain message.
            let content = json::take(&mut event, "content");
            self.push(Role::User, time, json::message_blocks(content));
            return;
        };
        let is_error = kind == "error" || exit_code.is_some_and(|code| code > 0);
        let content = json::take(&mut event, "content");
        let answer = Answer { is_error, ..Answer::of(call, content, time) };
        output.check(self.draft.answer(answer));
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
