//! One conversation of a Claude Code session, built line by line.

use std::collections::HashMap;

use foveal_protocols::anthropic::{add_response_blocks, parse_anthropic_usage, split_user_content};
use foveal_protocols::conversation_builder::{ConversationBuilder, StepDraft, StepIndex, StepMark};
use foveal_protocols::json::{self, JsonObject};
use foveal_transcript::{ContentBlock, MessageRole, PARTIAL_READ_KIND};
use serde_json::Value;

use super::line_envelope::LineEnvelope;
use crate::session_sink::SessionSink;

/// The model name of messages that the client writes itself.
const CLIENT_MODEL_NAME: &str = "<synthetic>";

/// The main conversation of a session or one of its side-chains.
pub(super) struct SessionConversation {
    pub(super) draft: ConversationBuilder,
    /// Steps of responses by message id.
    responses: HashMap<String, StepIndex>,
    rewind_landmarks: RewindLandmarks,
}

impl SessionConversation {
    pub(super) fn new(id: String, parent: Option<String>) -> Self {
        let mut draft = ConversationBuilder::new(id);
        draft.parent = parent;
        draft.agent = Some("Claude Code".to_owned());
        Self { draft, responses: HashMap::new(), rewind_landmarks: RewindLandmarks::default() }
    }

    /// Adds a line of a response; lines with one message id make one step. Lines that the client
    /// wrote in the model's name, such as API errors, answer no request and are skipped.
    pub(super) fn add_response_line(
        &mut self,
        mut record: JsonObject,
        envelope: &LineEnvelope,
        output: &mut SessionSink<'_>,
    ) -> Option<StepIndex> {
        let Some(mut message) = json::take_object(&mut record, "message") else {
            output.report_bad_field("message", "an object");
            return None;
        };
        if json::get_text(&message, "model") == Some(CLIENT_MODEL_NAME)
            || json::is_true(&record, "isApiErrorMessage")
        {
            return None;
        }
        let id = json::take_text(&mut message, "id");
        let known = id.as_ref().and_then(|id| self.responses.get(id)).copied();
        let index = known.unwrap_or_else(|| {
            let mut step =
                StepDraft::with_blocks(MessageRole::Assistant, envelope.time, Vec::new());
            step.model = json::get_text(&message, "model").map(Into::into);
            self.draft.push_step(step)
        });
        if let Some(id) = id {
            self.responses.insert(id, index);
        }
        if let Some(usage) = json::get_object(&message, "usage") {
            self.draft.step_mut(index).usage = Some(parse_anthropic_usage(usage));
        }
        let content = json::take_value(&mut message, "content");
        add_response_blocks(&mut self.draft, index, content, &mut output.problems);
        Some(index)
    }

    /// Adds a user line: results, a message, or both.
    pub(super) fn add_user_line(
        &mut self,
        mut record: JsonObject,
        envelope: &LineEnvelope,
        branch: Option<usize>,
        output: &mut SessionSink<'_>,
    ) -> Option<StepIndex> {
        let Some(mut message) = json::take_object(&mut record, "message") else {
            output.report_bad_field("message", "an object");
            return None;
        };
        let content = json::take_value(&mut message, "content");
        let (answers, blocks) = split_user_content(content, envelope.time);
        let answered = !answers.is_empty();
        let mut place = None;
        let part = partial_read_block(&record).filter(|_| answers.len() == 1);
        for mut answer in answers {
            if part.is_some() && self.draft.call_lacks_arguments(&answer.call, &["offset", "limit"])
            {
                answer.other_blocks.extend(part.clone());
            }
            place = self.draft.step_of_call(&answer.call).or(place);
            output.report_error(self.draft.add_result(answer));
        }
        if blocks.is_empty() {
            return place.or(self.draft.last_step());
        }
        let mut step = StepDraft::with_blocks(MessageRole::User, envelope.time, blocks);
        step.mark = envelope.mark;
        if step.mark == StepMark::None && !answered {
            step.mark = self.rewind_mark(branch);
        }
        Some(self.draft.push_step(step))
    }

    /// Returns the rewind mark of a message. If the message after its parent was answered, the new
    /// message replaces everything behind the parent. Results of parallel calls branch, too, so
    /// only messages count; a message without an answer was queued and not replaced.
    fn rewind_mark(&mut self, branch: Option<usize>) -> StepMark {
        let Some(to) = branch else { return StepMark::None };
        self.rewind_landmarks.scan_new_steps(self.draft.steps());
        if self.rewind_landmarks.is_replaced(to) {
            StepMark::Rewind { to: StepIndex(to) }
        } else {
            StepMark::None
        }
    }

    /// Adds content that the client attaches to a message. Text is kept as text.
    pub(super) fn add_attachment(
        &mut self,
        mut record: JsonObject,
        envelope: &LineEnvelope,
    ) -> Option<StepIndex> {
        let attachment = json::take_value(&mut record, "attachment")?;
        let kind = format!("attachment/{}", json::part_type(&attachment));
        // The prompt snapshot is no message.
        if kind == "attachment/prompt_snapshot" {
            return None;
        }
        let block = match attachment_text(&record, &attachment) {
            Some(text) if text.is_empty() => return None,
            Some(text) => ContentBlock::Text(text),
            None => json::opaque_block(&kind, &attachment),
        };
        let mut step = StepDraft::with_blocks(MessageRole::User, envelope.time, vec![block]);
        if kind != "attachment/queued_command" {
            step.mark = StepMark::Injected;
        }
        Some(self.draft.push_step(step))
    }
}

/// The positions that tell whether steps were replaced. They are collected once, since any number
/// of lines may name one parent.
#[derive(Debug, Default)]
struct RewindLandmarks {
    /// The number of scanned steps.
    scanned_steps: usize,
    /// The scanned steps that are user messages, in order.
    user_messages: Vec<usize>,
    last_response: Option<usize>,
    last_boundary: Option<usize>,
}

impl RewindLandmarks {
    /// Scans the new steps.
    fn scan_new_steps(&mut self, steps: &[StepDraft]) {
        for (at, step) in steps.iter().enumerate().skip(self.scanned_steps) {
            match (step.role, step.mark) {
                (_, StepMark::CompactBoundary { .. }) => self.last_boundary = Some(at),
                (MessageRole::User, StepMark::None) => self.user_messages.push(at),
                (MessageRole::Assistant, _) => self.last_response = Some(at),
                _ => {}
            }
        }
        self.scanned_steps = steps.len();
    }

    /// Returns whether a message at or behind step `to` was answered without a compaction since.
    fn is_replaced(&self, to: usize) -> bool {
        let asked = self.user_messages.get(self.user_messages.partition_point(|at| *at < to));
        asked.is_some_and(|asked| self.last_response > Some(*asked))
            && self.last_boundary.is_none_or(|boundary| boundary < to)
    }
}

/// Returns the line range of a read that showed a part of its file.
fn partial_read_block(record: &JsonObject) -> Option<ContentBlock> {
    let file = json::get_object(json::get_object(record, "toolUseResult")?, "file")?;
    let number = |key| file.get(key).and_then(Value::as_u64);
    let (first, count) = (number("startLine")?, number("numLines")?);
    let total = number("totalLines")?;
    let raw = format!(r#"{{"startLine":{first},"numLines":{count},"totalLines":{total}}}"#);
    (count < total).then(|| ContentBlock::Opaque { kind: PARTIAL_READ_KIND.to_owned(), raw })
}

/// Returns the text of an attachment, as sent to the model if that is recorded.
fn attachment_text(record: &JsonObject, attachment: &Value) -> Option<String> {
    let joined = |list: &Value, text: fn(&Value) -> Option<&str>| {
        let texts: Option<Vec<&str>> = list.as_array()?.iter().map(text).collect();
        texts.map(|texts| texts.join("\n"))
    };
    let rendered = record.get("rendered");
    let rendered = rendered.and_then(|list| joined(list, |one| one.get("content")?.as_str()));
    let fields = ["prompt", "content", "snippet"];
    let own = || {
        fields.iter().filter_map(|field| attachment.get(field)).find_map(|value| {
            value.as_str().map(str::to_owned).or_else(|| joined(value, Value::as_str))
        })
    };
    rendered.or_else(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_replaced(steps: &[StepDraft], to: usize) -> bool {
        let later = steps.get(to..).unwrap_or_default();
        let asked =
            later.iter().position(|s| s.role == MessageRole::User && s.mark == StepMark::None);
        asked.is_some_and(|at| later[at..].iter().any(|s| s.role == MessageRole::Assistant))
            && !later.iter().any(|s| matches!(s.mark, StepMark::CompactBoundary { .. }))
    }

    #[test]
    fn landmarks_say_what_a_look_at_all_steps_says() {
        let kinds = [
            (MessageRole::User, StepMark::None),
            (MessageRole::User, StepMark::Injected),
            (MessageRole::Assistant, StepMark::None),
            (MessageRole::System, StepMark::CompactBoundary { keep_from: None }),
        ];
        for mut number in 0..kinds.len().pow(6) {
            let (mut steps, mut landmarks) = (Vec::new(), RewindLandmarks::default());
            for _ in 0..6 {
                let (role, mark) = kinds[number % kinds.len()];
                number /= kinds.len();
                steps.push(StepDraft::with_blocks(role, None, Vec::new()).with_mark(mark));
                landmarks.scan_new_steps(&steps);
                for to in 0..8 {
                    assert_eq!(
                        landmarks.is_replaced(to),
                        is_replaced(&steps, to),
                        "{steps:?} {to}"
                    );
                }
            }
        }
    }
}
