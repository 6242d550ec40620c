//! One conversation of a recording, line by line.

use std::collections::HashMap;

use foveal_transcript::{Block, Role};
use serde_json::Value;

use super::envelope::Envelope;
use crate::draft::{Draft, Step, StepIndex, StepMark};
use crate::json::{self, Object};
use crate::output::Output;
use crate::requests::anthropic::{anthropic_usage, response_blocks, user_blocks};

/// A conversation of a recording.
pub(super) struct Track {
    pub(super) draft: Draft,
    /// Steps of responses by message id.
    responses: HashMap<String, StepIndex>,
}

impl Track {
    pub(super) fn new(id: String, parent: Option<String>) -> Self {
        let mut draft = Draft::new(id);
        draft.parent = parent;
        draft.agent = Some("Claude Code".to_owned());
        Self { draft, responses: HashMap::new() }
    }

    /// A line of a response; lines of one message id make one step.
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
        for answer in answers {
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
    fn rewind(&self, branch: Option<usize>) -> StepMark {
        let Some(to) = branch else { return StepMark::None };
        let later = self.draft.steps().get(to..).unwrap_or_default();
        let asked = later.iter().position(|s| s.role == Role::User && s.mark == StepMark::None);
        let replaced =
            asked.is_some_and(|at| later[at..].iter().any(|s| s.role == Role::Assistant));
        let compacted = || later.iter().any(|s| matches!(s.mark, StepMark::CompactBoundary { .. }));
        if replaced && !compacted() {
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
        let fields = ["prompt", "content", "snippet"];
        let text = fields.iter().find_map(|field| attachment.get(field).and_then(Value::as_str));
        let block = match text {
            Some(text) => Block::Text(text.to_owned()),
            None => json::opaque(&kind, &attachment),
        };
        let mut step = Step::with(Role::User, envelope.time, vec![block]);
        if kind != "attachment/queued_command" {
            step.mark = StepMark::Injected;
        }
        Some(self.draft.push(step))
    }
}
