//! OpenHands' newer events, which name their `kind` and hold the model's own messages.

use foveal_transcript::{Block, Role, Timestamp};
use serde_json::Value;

use super::events::Events;
use crate::draft::Answer;
use crate::json::{self, Object};
use crate::output::Output;
use crate::problem::ProblemKind;

/// Kinds that the model is not sent.
const BOOKKEEPING: [&str; 5] = [
    "ConversationStateUpdateEvent",
    "PauseEvent",
    "CondensationRequest",
    "TokenEvent",
    "LLMCompletionLogEvent",
];

impl Events {
    pub(super) fn kind(
        &mut self,
        kind: &str,
        mut event: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        match kind {
            "SystemPromptEvent" => {
                let prompt = json::take(&mut event, "system_prompt");
                self.push(Role::System, time, json::message_blocks(prompt));
            }
            "MessageEvent" => {
                let mut message = json::take_object(&mut event, "llm_message").unwrap_or_default();
                let role = match json::text(&message, "role") {
                    Some("assistant") => Role::Assistant,
                    Some("system") => Role::System,
                    _ => Role::User,
                };
                let blocks = json::message_blocks(json::take(&mut message, "content"));
                self.push(role, time, blocks);
            }
            "ActionEvent" => self.action_event(event, time, output),
            "ObservationEvent" => {
                let mut observation =
                    json::take_object(&mut event, "observation").unwrap_or_default();
                let exit_code = observation.get("exit_code").and_then(Value::as_i64);
                let is_error = json::is_true(&observation, "is_error")
                    || exit_code.is_some_and(|code| code > 0);
                let content = json::take(&mut observation, "content")
                    .or_else(|| json::take(&mut observation, "output"));
                self.result_event(event, content, is_error, time, output);
            }
            "AgentErrorEvent" | "UserRejectObservation" => {
                let content = json::take(&mut event, "error")
                    .or_else(|| json::take(&mut event, "rejection_reason"));
                self.result_event(event, content, true, time, output);
            }
            "Condensation" | "CondensationEvent" => {
                let forgotten = json::take_list(&mut event, "forgotten_event_ids");
                let last = forgotten.as_ref().and_then(|ids| ids.last()).and_then(Value::as_str);
                let summary = json::take_text(&mut event, "summary");
                self.forget(last, summary, time);
            }
            known if BOOKKEEPING.contains(&known) => {}
            _ => output.problem(ProblemKind::UnknownType { kind: kind.to_owned() }),
        }
    }

    fn action_event(
        &mut self,
        mut event: Object,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let id = json::take_text(&mut event, "id");
        let response = json::take_text(&mut event, "llm_response_id");
        let index = self.response(response, time, |step| {
            if let Some(text) = json::take_text(&mut event, "reasoning_content") {
                step.blocks.push(Block::Reasoning(text));
            }
            step.blocks.extend(json::message_blocks(json::take(&mut event, "thought")));
        });
        let mut call = json::take_object(&mut event, "tool_call").unwrap_or_default();
        let mut function = json::take_object(&mut call, "function").unwrap_or_else(|| call.clone());
        let arguments = json::take(&mut function, "arguments");
        let arguments = json::arguments(arguments.or_else(|| json::take(&mut event, "action")));
        let name = json::take_text(&mut event, "tool_name").unwrap_or_default();
        let call = json::take_text(&mut event, "tool_call_id").unwrap_or_default();
        self.add_call(index, id, call, name, arguments, output);
    }

    fn result_event(
        &mut self,
        mut event: Object,
        content: Option<Value>,
        is_error: bool,
        time: Option<Timestamp>,
        output: &mut Output<'_>,
    ) {
        let call = json::text(&event, "action_id").and_then(|action| self.call_of(action));
        let call = call.or_else(|| json::take_text(&mut event, "tool_call_id"));
        let answer = Answer::of(call.unwrap_or_default(), content, time);
        output.check(self.draft.answer(Answer { is_error, ..answer }));
    }
}
