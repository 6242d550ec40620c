//! Reads OpenHands' older events: actions, and observations that name the action as their cause.

use foveal_protocols::conversation_builder::RecordedResult;
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::openai_chat;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp};
use serde_json::Value;

use super::event_session::{OpenHandsSession, parse_event_id};
use crate::session_sink::SessionSink;

/// Actions and observations that the model does not receive.
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

/// Arguments that the agent adds to an action; used where no call is recorded.
const AGENT_ARGUMENTS: [&str; 8] = [
    "thought",
    "blocking",
    "is_static",
    "hidden",
    "confirmation_state",
    "is_input",
    "cwd",
    "security_risk",
];

impl OpenHandsSession {
    pub(super) fn read_action(
        &mut self,
        action: &str,
        id: Option<String>,
        mut event: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let mut arguments = json::take_object(&mut event, "args").unwrap_or_default();
        let metadata = json::take_object(&mut event, "tool_call_metadata");
        let from_user = json::get_text(&event, "source") == Some("user");
        match (action, metadata) {
            (known, _) if BOOKKEEPING.contains(&known) => {}
            ("system", _) => {
                self.push_step(
                    MessageRole::System,
                    time,
                    json::message_blocks(arguments.remove("content")),
                );
            }
            ("condensation", _) => self.read_condensation(&mut arguments, time),
            (_, Some(metadata)) if !from_user => {
                self.add_recorded_call(metadata, id, &arguments, time, output);
            }
            ("message", _) => {
                let role = if from_user { MessageRole::User } else { MessageRole::Assistant };
                let content = json::take_value(&mut arguments, "content");
                self.push_step(role, time, json::message_blocks(content));
            }
            _ => {
                // Without a recorded response, the action stands for the call. Commands of the user
                // run the same way.
                let thought = json::take_value(&mut arguments, "thought");
                let index =
                    self.push_step(MessageRole::Assistant, time, json::message_blocks(thought));
                let name = match action {
                    "run" => "execute_bash",
                    "run_ipython" => "execute_ipython_cell",
                    other => other,
                };
                arguments.retain(|key, _| !AGENT_ARGUMENTS.contains(&key.as_str()));
                let call = id.as_ref().map_or_else(
                    || format!("action-{}", index.0),
                    |event| format!("event-{event}"),
                );
                self.add_call(index, id, call, name.to_owned(), Value::Object(arguments), output);
            }
        }
    }

    /// Adds a call with the response that made it; the other calls of the response have own events.
    fn add_recorded_call(
        &mut self,
        mut metadata: JsonObject,
        id: Option<String>,
        arguments: &JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let mut response = json::take_object(&mut metadata, "model_response").unwrap_or_default();
        let mut message = take_first_choice(&mut response);
        let call = json::take_text(&mut metadata, "tool_call_id").unwrap_or_default();
        let recorded = json::take_list(&mut message, "tool_calls")
            .unwrap_or_default()
            .into_iter()
            .filter_map(openai_chat::parse_call)
            .find(|recorded| recorded.id == call);
        let name = json::take_text(&mut metadata, "function_name").unwrap_or_default();
        let (name, arguments) = match recorded {
            Some(recorded) => (recorded.name, recorded.arguments),
            None => (name, Value::Object(arguments.clone())),
        };
        let index = self.response_step(json::take_text(&mut response, "id"), time, |step| {
            if let Some(text) = json::take_text(&mut message, "reasoning_content") {
                step.blocks.push(ContentBlock::Reasoning(text));
            }
            step.blocks.extend(json::message_blocks(json::take_value(&mut message, "content")));
            step.model = json::get_text(&response, "model").map(Into::into);
            step.usage = json::get_object(&response, "usage").map(openai_chat::parse_chat_usage);
        });
        self.add_call(index, id, call, name, arguments, output);
    }

    pub(super) fn read_observation(
        &mut self,
        kind: &str,
        mut event: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        if BOOKKEEPING.contains(&kind) {
            return;
        }
        let exit_code = event
            .get("extras")
            .and_then(|extras| extras.pointer("/metadata/exit_code").or(extras.get("exit_code")))
            .and_then(Value::as_i64);
        let cause = event.get("cause").and_then(parse_event_id);
        let call =
            cause.and_then(|cause| self.call_of_event(&cause)).or_else(|| self.take_open_call());
        let Some(call) = call else {
            // An observation without a call, such as the answer to a plain message.
            let content = json::take_value(&mut event, "content");
            self.push_step(MessageRole::User, time, json::message_blocks(content));
            return;
        };
        let is_error = kind == "error" || exit_code.is_some_and(|code| code > 0);
        let content = json::take_value(&mut event, "content");
        let answer =
            RecordedResult { is_error, ..RecordedResult::from_recorded(call, content, time) };
        output.report_error(self.draft.add_result(answer));
    }

    /// Adds a compaction that replaced events by a summary. Events behind the last of them stay.
    fn read_condensation(&mut self, arguments: &mut JsonObject, time: Option<Timestamp>) {
        let last = match arguments.get("forgotten_events_end_id") {
            Some(id) => parse_event_id(id),
            None => arguments
                .get("forgotten_event_ids")
                .and_then(Value::as_array)
                .and_then(|ids| ids.last())
                .and_then(parse_event_id),
        };
        self.compact_through_event(last.as_deref(), json::take_text(arguments, "summary"), time);
    }
}

/// Takes the message of a chat completion's first choice.
fn take_first_choice(response: &mut JsonObject) -> JsonObject {
    let choice = json::take_list(response, "choices").unwrap_or_default().into_iter().next();
    match choice {
        Some(Value::Object(mut choice)) => {
            json::take_object(&mut choice, "message").unwrap_or_default()
        }
        _ => JsonObject::new(),
    }
}
