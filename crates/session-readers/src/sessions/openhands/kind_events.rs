//! Reads OpenHands' newer events, which name their `kind` and hold the model's own messages.

use foveal_protocols::conversation_builder::RecordedResult;
use foveal_protocols::json::{self, JsonObject};
use foveal_protocols::problem::ProblemKind;
use foveal_transcript::{ContentBlock, MessageRole, Timestamp};
use serde_json::Value;

use super::event_session::OpenHandsSession;
use crate::session_sink::SessionSink;

/// Kinds that the model does not receive.
const BOOKKEEPING: [&str; 5] = [
    "ConversationStateUpdateEvent",
    "PauseEvent",
    "CondensationRequest",
    "TokenEvent",
    "LLMCompletionLogEvent",
];

impl OpenHandsSession {
    pub(super) fn read_event_of_kind(
        &mut self,
        kind: &str,
        mut event: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        match kind {
            "SystemPromptEvent" => {
                let prompt = json::take_value(&mut event, "system_prompt");
                self.push_step(MessageRole::System, time, json::message_blocks(prompt));
            }
            "MessageEvent" => {
                let mut message = json::take_object(&mut event, "llm_message").unwrap_or_default();
                let role = match json::get_text(&message, "role") {
                    Some("assistant") => MessageRole::Assistant,
                    Some("system") => MessageRole::System,
                    _ => MessageRole::User,
                };
                let blocks = json::message_blocks(json::take_value(&mut message, "content"));
                self.push_step(role, time, blocks);
            }
            "ActionEvent" => self.read_action_event(event, time, output),
            "ObservationEvent" => {
                let mut observation =
                    json::take_object(&mut event, "observation").unwrap_or_default();
                let exit_code = observation.get("exit_code").and_then(Value::as_i64);
                let is_error = json::is_true(&observation, "is_error")
                    || exit_code.is_some_and(|code| code > 0);
                let content = json::take_value(&mut observation, "content")
                    .or_else(|| json::take_value(&mut observation, "output"));
                self.read_result_event(event, content, is_error, time, output);
            }
            "AgentErrorEvent" | "UserRejectObservation" => {
                let content = json::take_value(&mut event, "error")
                    .or_else(|| json::take_value(&mut event, "rejection_reason"));
                self.read_result_event(event, content, true, time, output);
            }
            "Condensation" | "CondensationEvent" => {
                let forgotten = json::take_list(&mut event, "forgotten_event_ids");
                let last = forgotten.as_ref().and_then(|ids| ids.last()).and_then(Value::as_str);
                let summary = json::take_text(&mut event, "summary");
                self.compact_through_event(last, summary, time);
            }
            known if BOOKKEEPING.contains(&known) => {}
            _ => output.report_problem(ProblemKind::UnknownType { kind: kind.to_owned() }),
        }
    }

    fn read_action_event(
        &mut self,
        mut event: JsonObject,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let id = json::take_text(&mut event, "id");
        let response = json::take_text(&mut event, "llm_response_id");
        let index = self.response_step(response, time, |step| {
            if let Some(text) = json::take_text(&mut event, "reasoning_content") {
                step.blocks.push(ContentBlock::Reasoning(text));
            }
            step.blocks.extend(json::message_blocks(json::take_value(&mut event, "thought")));
        });
        let mut call = json::take_object(&mut event, "tool_call").unwrap_or_default();
        let mut function = json::take_object(&mut call, "function").unwrap_or_else(|| call.clone());
        let arguments = json::take_value(&mut function, "arguments");
        let arguments =
            json::parse_arguments(arguments.or_else(|| json::take_value(&mut event, "action")));
        let name = json::take_text(&mut event, "tool_name").unwrap_or_default();
        let call = json::take_text(&mut event, "tool_call_id").unwrap_or_default();
        self.add_call(index, id, call, name, arguments, output);
    }

    fn read_result_event(
        &mut self,
        mut event: JsonObject,
        content: Option<Value>,
        is_error: bool,
        time: Option<Timestamp>,
        output: &mut SessionSink<'_>,
    ) {
        let call =
            json::get_text(&event, "action_id").and_then(|action| self.call_of_event(action));
        let call = call.or_else(|| json::take_text(&mut event, "tool_call_id"));
        let answer = RecordedResult::from_recorded(call.unwrap_or_default(), content, time);
        output.report_error(self.draft.add_result(RecordedResult { is_error, ..answer }));
    }
}
