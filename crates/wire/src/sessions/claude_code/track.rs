//! One conversation of a recording, line by line.

use std::collections::HashMap;

use foveal_transcript::{Block, PART_OF_FILE, Role};
use serde_json::Value;

use super::envelope::Envelope;
use crate::draft::{Draft, Step, StepIndex, StepMark};
use crate::json::{self, Object};
use crate::output::Output;
use crate::requests::anthropic::{anthropic_usage, response_blocks, user_blocks};

/// The name of the model in messages that the client wrote itself.
const WRITTEN_BY_CLIENT: &str = "<synthetic>";

/// A conversation of a recording.
pub(super) struct Track {
    pub(super) draft: Draft,
    /// Steps of responses by message id.
    responses: HashMap<String, StepIndex>,
    landmarks: Landmarks,
}

impl Track {
    pub(super) fn new(id: String, parent: Option<String>) -> Self {
        let mut draft = Draft::new(id);
        draft.parent = parent;
        draft.agent = Some("Claude Code".to_owned());
        Self { draft, responses: HashMap::new(), landmarks: Landmarks::default() }
    }

    /// A line of a response; lines of one message id make one step. What the client wrote in the
    /// model's name, such as an error of the API, answers no request.
    pub(super) fn response(
        &mut self,
        mut record: Object,
        envelope: &Envelope,
        output: &mut Output<'_>,
    ) -> Option<StepIndex> {
        let Some(mut message) = json::take_object(&mut record, "message") else {
            output.bad_field("message", "an object");
            return None;
        };
        if json::text(&message, "model") == Some(WRITTEN_BY_CLIENT)
            || json::is_true(&record, "isApiErrorMessage")
        {
            return None;
        }
        let id = json::take_text(&mut message, "id");
        let known = id.as_ref().and_then(|id| self.responses.get(id)).copied();
        let index = known.unwrap_or_else(|| {
            let mut step = Step::with(Role::Assistant, envelope.time, Vec::new());
            step.model = json::text(&message, "model").map(Into::into);
            self.draft.push(step)
        });
        if let Some(id) = id {
            self.responses.insert(id, index);
        }
        if let Some(usage) = json::object(&message, "usage") {
            self.draft.step_mut(index).usage = Some(anthropic_usage(usage));
        }
        let content = json::take(&mut message, "content");
        response_blocks(&mut self.draft, index, content, output);
        Some(index)
    }

    /// A user line: results, a message, or both.
    pub(super) fn message(
        &mut self,
        mut record: Object,
        envelope: &Envelope,
        branch: Option<usize>,
        output: &mut Output<'_>,
    ) -> Option<StepIndex> {
        let Some(mut message) = json::take_object(&mut record, "message") else {
            output.bad_field("message", "an object");
            return None;
        };
        let content = json::take(&mut message, "content");
        let (answers, blocks) = user_blocks(content, envelope.time);
        let answered = !answers.is_empty();
        let mut place = None;
        let part = part_of_file(&record).filter(|_| answers.len() == 1);
        for mut answer in answers {
            if part.is_some() && self.draft.asks_without(&answer.call, &["offset", "limit"]) {
                answer.others.extend(part.clone());
            }
            place = self.draft.step_of(&answer.call).or(place);
            output.check(self.draft.answer(answer));
        }
        if blocks.is_empty() {
            return place.or(self.draft.last());
        }
        let mut step = Step::with(Role::User, envelope.time, blocks);
        step.mark = envelope.mark;
        if step.mark == StepMark::None && !answered {
            step.mark = self.rewind(branch);
        }
        Some(self.draft.push(step))
    }

    /// A message whose parent is followed by a message that was answered replaces what came
    /// after the parent. Calls in parallel make results branch too, so that only messages
    /// count here, and one that was never answered was queued rather than replaced.
    fn rewind(&mut self, branch: Option<usize>) -> StepMark {
        let Some(to) = branch else { return StepMark::None };
        self.landmarks.look(self.draft.steps());
        if self.landmarks.is_replaced(to) {
            StepMark::Rewind { to: StepIndex(to) }
        } else {
            StepMark::None
        }
    }

    /// Something the client puts beside a message. What is text is kept as such.
    pub(super) fn attachment(
        &mut self,
        mut record: Object,
        envelope: &Envelope,
    ) -> Option<StepIndex> {
        let attachment = json::take(&mut record, "attachment")?;
        let kind = format!("attachment/{}", json::kind_of(&attachment));
        // What stands in the prompt's own records is no message.
        if kind == "attachment/prompt_snapshot" {
            return None;
        }
        let block = match attachment_text(&record, &attachment) {
            Some(text) if text.is_empty() => return None,
            Some(text) => Block::Text(text),
            None => json::opaque(&kind, &attachment),
        };
        let mut step = Step::with(Role::User, envelope.time, vec![block]);
        if kind != "attachment/queued_command" {
            step.mark = StepMark::Injected;
        }
        Some(self.draft.push(step))
    }
}

/// What tells whether steps were replaced, noted once: any number of lines may name one parent.
#[derive(Debug, Default)]
struct Landmarks {
    /// Steps that were looked at.
    seen: usize,
    /// Those of them that are messages of the user, in order.
    asked: Vec<usize>,
    last_response: Option<usize>,
    last_boundary: Option<usize>,
}

impl Landmarks {
    /// Takes the steps that are new.
    fn look(&mut self, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate().skip(self.seen) {
            match (step.role, step.mark) {
                (_, StepMark::CompactBoundary { .. }) => self.last_boundary = Some(at),
                (Role::User, StepMark::None) => self.asked.push(at),
                (Role::Assistant, _) => self.last_response = Some(at),
                _ => {}
            }
        }
        self.seen = steps.len();
    }

    /// Whether a message at or behind step `to` was answered, and nothing was compacted since.
    fn is_replaced(&self, to: usize) -> bool {
        let asked = self.asked.get(self.asked.partition_point(|at| *at < to));
        asked.is_some_and(|asked| self.last_response > Some(*asked))
            && self.last_boundary.is_none_or(|boundary| boundary < to)
    }
}

/// What the client says of a read that showed a part of its file.
fn part_of_file(record: &Object) -> Option<Block> {
    let file = json::object(json::object(record, "toolUseResult")?, "file")?;
    let number = |key| file.get(key).and_then(Value::as_u64);
    let (first, count) = (number("startLine")?, number("numLines")?);
    let total = number("totalLines")?;
    let raw = format!(r#"{{"startLine":{first},"numLines":{count},"totalLines":{total}}}"#);
    (count < total).then(|| Block::Opaque { kind: PART_OF_FILE.to_owned(), raw })
}

/// The text of an attachment: as the model was sent it, where that is recorded.
fn attachment_text(record: &Object, attachment: &Value) -> Option<String> {
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

    fn is_replaced(steps: &[Step], to: usize) -> bool {
        let later = steps.get(to..).unwrap_or_default();
        let asked = later.iter().position(|s| s.role == Role::User && s.mark == StepMark::None);
        asked.is_some_and(|at| later[at..].iter().any(|s| s.role == Role::Assistant))
            && !later.iter().any(|s| matches!(s.mark, StepMark::CompactBoundary { .. }))
    }

    #[test]
    fn landmarks_say_what_a_look_at_all_steps_says() {
        let kinds = [
            (Role::User, StepMark::None),
            (Role::User, StepMark::Injected),
            (Role::Assistant, StepMark::None),
            (Role::System, StepMark::CompactBoundary { keep_from: None }),
        ];
        for mut number in 0..kinds.len().pow(6) {
            let (mut steps, mut landmarks) = (Vec::new(), Landmarks::default());
            for _ in 0..6 {
                let (role, mark) = kinds[number % kinds.len()];
                number /= kinds.len();
                steps.push(Step::with(role, None, Vec::new()).marked(mark));
                landmarks.look(&steps);
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
