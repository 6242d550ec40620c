//! A conversation while it is read: steps with their results, in the order ATIF has them.
//!
//! Results are recorded when they arrive, perhaps after other messages; a transcript has
//! them right behind the message that called them. So a draft keeps results with their
//! step, and only the finished conversation is a flat list.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_transcript::{
    Block, Call, Conversation, Entry, EntryIndex, Mark, Role, Source, Timestamp, ToolResult, Usage,
};

use serde_json::Value;

use crate::json;
use crate::problem::ProblemKind;
use crate::requests::wrapped::unwrapped;

/// Position of a step in its draft, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct StepIndex(pub(crate) usize);

/// A [`Mark`] that names steps, since entries have no index yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum StepMark {
    #[default]
    None,
    Injected,
    Demonstration,
    CompactBoundary {
        keep_from: Option<StepIndex>,
    },
    CompactSummary,
    Rewind {
        to: StepIndex,
    },
}

impl StepMark {
    /// The same mark where all steps stand `count` later.
    fn later(self, count: usize) -> Self {
        let later = |step: StepIndex| StepIndex(step.0 + count);
        match self {
            Self::CompactBoundary { keep_from } => {
                Self::CompactBoundary { keep_from: keep_from.map(later) }
            }
            Self::Rewind { to } => Self::Rewind { to: later(to) },
            Self::None | Self::Injected | Self::Demonstration | Self::CompactSummary => self,
        }
    }
}

/// A tool result with what was recorded beside it.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) call: String,
    pub(crate) content: String,
    pub(crate) is_error: bool,
    pub(crate) time: Option<Timestamp>,
    /// Parts of the result that are not text.
    pub(crate) others: Vec<Block>,
    /// Place of its call among the step's calls; unknown calls come last.
    pub(crate) place: usize,
}

impl Answer {
    /// The result of `call` with the recorded content, which is text or a list of parts.
    pub(crate) fn of(call: String, recorded: Option<Value>, time: Option<Timestamp>) -> Self {
        let (content, others) = json::result_content(recorded);
        Self { call, content, time, others, ..Self::default() }
    }

    /// The same with what a document says that the content is.
    pub(crate) fn unwrapped(self) -> Self {
        match unwrapped(&self.content) {
            Some(said) => Self {
                content: said.texts.join("\n"),
                is_error: self.is_error || said.failed,
                ..self
            },
            None => self,
        }
    }
}

/// One message and the results of the calls it makes.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) role: Role,
    /// The recorded step number, where the format has one.
    pub(crate) number: Option<u32>,
    pub(crate) time: Option<Timestamp>,
    pub(crate) mark: StepMark,
    pub(crate) model: Option<Arc<str>>,
    pub(crate) usage: Option<Usage>,
    pub(crate) blocks: Vec<Block>,
    answers: Vec<Answer>,
}

impl Step {
    pub(crate) fn new(role: Role) -> Self {
        Self {
            role,
            number: None,
            time: None,
            mark: StepMark::None,
            model: None,
            usage: None,
            blocks: Vec::new(),
            answers: Vec::new(),
        }
    }

    pub(crate) fn with(role: Role, time: Option<Timestamp>, blocks: Vec<Block>) -> Self {
        Self { time, blocks, ..Self::new(role) }
    }

    /// The same step with a mark.
    pub(crate) fn marked(self, mark: StepMark) -> Self {
        Self { mark, ..self }
    }

    /// Whether the step makes calls.
    pub(crate) fn has_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, Block::Call(_)))
    }

    /// The text blocks, joined by newlines.
    pub(crate) fn text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            Block::Text(text) => Some(text.as_str()),
            Block::Reasoning(_) | Block::Call(_) | Block::Result(_) | Block::Opaque { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// A conversation being read.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) id: String,
    pub(crate) parent: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) directory: Option<String>,
    /// The system prompt, where it is known only after messages; it stands in front of them.
    pub(crate) system: Option<Step>,
    steps: Vec<Step>,
    /// The calls last made with an id; several where one message gives them the same.
    calls: HashMap<String, Vec<Made>>,
}

/// Where a call was made.
#[derive(Debug, Clone, Copy)]
struct Made {
    step: StepIndex,
    /// Its place among the step's calls.
    place: usize,
    answered: bool,
}

impl Draft {
    pub(crate) fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    pub(crate) fn steps(&self) -> &[Step] {
        &self.steps
    }

    pub(crate) fn step_mut(&mut self, index: StepIndex) -> &mut Step {
        &mut self.steps[index.0]
    }

    pub(crate) fn last(&self) -> Option<StepIndex> {
        self.steps.len().checked_sub(1).map(StepIndex)
    }

    /// Appends a step whose calls, if any, are added by [`Draft::call`].
    pub(crate) fn push(&mut self, step: Step) -> StepIndex {
        self.steps.push(step);
        StepIndex(self.steps.len() - 1)
    }

    /// Drops the steps from the `len`th on, with the calls that they made.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.steps.truncate(len);
        self.calls.retain(|_, calls| {
            calls.retain(|made| made.step.0 < len);
            !calls.is_empty()
        });
    }

    /// Appends a compaction: what stands from `keep_from` on stays.
    pub(crate) fn compact(&mut self, keep_from: Option<StepIndex>, time: Option<Timestamp>) {
        let boundary = Step::with(Role::System, time, Vec::new());
        self.push(boundary.marked(StepMark::CompactBoundary { keep_from }));
    }

    /// Appends what a compaction tells of the messages before it.
    pub(crate) fn summary(&mut self, time: Option<Timestamp>, blocks: Vec<Block>) {
        self.push(Step::with(Role::User, time, blocks).marked(StepMark::CompactSummary));
    }

    /// Adds a call to a step.
    pub(crate) fn call(&mut self, step: StepIndex, call: Call) -> Result<(), ProblemKind> {
        let id = call.id.clone();
        let blocks = &mut self.steps[step.0].blocks;
        // The number of blocks orders the calls as well as their own count would.
        let made = Made { step, place: blocks.len(), answered: false };
        blocks.push(Block::Call(call));
        let calls = self.calls.entry(id.clone()).or_default();
        let is_new = calls.is_empty();
        calls.retain(|made| made.step == step);
        calls.push(made);
        if is_new { Ok(()) } else { Err(ProblemKind::DuplicateCall { call: id }) }
    }

    /// The step that made the call `id`.
    pub(crate) fn step_of(&self, id: &str) -> Option<StepIndex> {
        self.last_made(id).map(|made| made.step)
    }

    /// Whether the call `id` was made with none of these arguments.
    pub(crate) fn asks_without(&self, id: &str, names: &[&str]) -> bool {
        let Some(made) = self.last_made(id) else { return false };
        let block = self.steps[made.step.0].blocks.get(made.place);
        let Some(Block::Call(call)) = block else { return false };
        names.iter().all(|name| call.arguments.get(name).is_none_or(Value::is_null))
    }

    /// Whether the call `id` has a result.
    pub(crate) fn is_answered(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|calls| calls.iter().all(|made| made.answered))
    }

    /// The call last made with this id.
    fn last_made(&self, id: &str) -> Option<&Made> {
        self.calls.get(id)?.last()
    }

    /// The call that the next result with this id answers: the first without a result, else the last
    /// one. Where the id is none, but the name of a tool, the first such call of the latest message
    /// that makes calls.
    fn answered_call(&mut self, id: &str) -> Option<&mut Made> {
        let id = match self.calls.contains_key(id) {
            true => id.to_owned(),
            false => self.id_by_name(id)?,
        };
        let calls = self.calls.get_mut(&id)?;
        let open = calls.iter().position(|made| !made.answered);
        let last = calls.len().checked_sub(1)?;
        calls.get_mut(open.unwrap_or(last))
    }

    /// The id of the first call of a tool without a result, in the latest message that makes calls.
    fn id_by_name(&self, name: &str) -> Option<String> {
        let at = self.steps.iter().rposition(Step::has_calls)?;
        let blocks = self.steps[at].blocks.iter().enumerate();
        let mut calls = blocks.filter_map(|(place, block)| match block {
            Block::Call(call) if !name.is_empty() && call.name == name => Some((place, call)),
            _ => None,
        });
        let is_open = |(place, call): &(usize, &Call)| {
            let made = self.calls.get(&call.id).into_iter().flatten();
            let mut open = made.filter(|made| !made.answered);
            open.any(|made| (made.step, made.place) == (StepIndex(at), *place))
        };
        calls.find(is_open).map(|(_, call)| call.id.clone())
    }

    /// Adds a result to the step that made its call, in the order of the calls. A result
    /// without a known call becomes a step of its own.
    pub(crate) fn answer(&mut self, mut answer: Answer) -> Result<(), ProblemKind> {
        let Some(made) = self.answered_call(&answer.call) else {
            let call = answer.call.clone();
            self.answer_alone(answer);
            return Err(ProblemKind::UnknownCall { call });
        };
        let again = std::mem::replace(&mut made.answered, true);
        let call = again.then(|| answer.call.clone());
        let Made { step, place, .. } = *made;
        answer.place = place;
        let answers = &mut self.steps[step.0].answers;
        let at = answers.partition_point(|known| known.place <= answer.place);
        answers.insert(at, answer);
        call.map_or(Ok(()), |call| Err(ProblemKind::DuplicateResult { call }))
    }

    /// Adds a result as a step of its own.
    pub(crate) fn answer_alone(&mut self, answer: Answer) {
        let mut step = Step::new(Role::Tool);
        step.answers.push(answer);
        self.push(step);
    }

    /// Gives the result of the call `id` another content.
    pub(crate) fn amend(&mut self, id: &str, content: &str) {
        let Some(made) = self.last_made(id).copied() else { return };
        let answers = self.steps[made.step.0].answers.iter_mut();
        for answer in answers.filter(|answer| answer.call == id) {
            content.clone_into(&mut answer.content);
        }
    }

    /// Adds a result behind those that a step has already, whichever call it names.
    pub(crate) fn append_answer(
        &mut self,
        step: StepIndex,
        mut answer: Answer,
    ) -> Result<(), ProblemKind> {
        let call = answer.call.clone();
        answer.place = usize::MAX;
        self.steps[step.0].answers.push(answer);
        match self.answered_call(&call) {
            // A result may answer no call at all.
            _ if call.is_empty() => Ok(()),
            Some(made) if made.step == step => {
                if std::mem::replace(&mut made.answered, true) {
                    return Err(ProblemKind::DuplicateResult { call });
                }
                Ok(())
            }
            Some(_) | None => Err(ProblemKind::UnknownCall { call }),
        }
    }

    /// The flat conversation. Entry numbers that do not fit are dropped with their entries:
    /// 4 billion messages are no recording.
    pub(crate) fn finish(mut self) -> Conversation {
        let entries = self.take_entries();
        let mut conversation: Conversation = entries.into_iter().collect();
        conversation.id = self.id;
        conversation.parent = self.parent;
        conversation.agent = self.agent;
        conversation.directory = self.directory;
        conversation
    }

    /// The entries of its steps.
    pub(crate) fn take_entries(&mut self) -> Vec<Entry> {
        if let Some(system) = self.system.take() {
            for step in &mut self.steps {
                step.mark = step.mark.later(1);
            }
            self.steps.insert(0, system);
        }
        let mut starts = Vec::with_capacity(self.steps.len() + 1);
        let mut at = 0u32;
        for step in &self.steps {
            starts.push(EntryIndex(at));
            let message = u32::from(has_message(step));
            at = at.saturating_add(message + u32::try_from(step.answers.len()).unwrap_or(u32::MAX));
        }
        starts.push(EntryIndex(at));
        let mut entries = Vec::with_capacity(at as usize);
        for (position, step) in std::mem::take(&mut self.steps).into_iter().enumerate() {
            let counted = u32::try_from(position + 1).unwrap_or(u32::MAX);
            flatten(step, counted, &starts, &mut entries);
        }
        entries
    }
}

/// A step of role tool is only there for results that have no calling message.
fn has_message(step: &Step) -> bool {
    step.role != Role::Tool
}

fn flatten(step: Step, counted: u32, starts: &[EntryIndex], entries: &mut Vec<Entry>) {
    let number = step.number.unwrap_or(counted);
    let mark = match step.mark {
        StepMark::None => Mark::None,
        StepMark::Injected => Mark::Injected,
        StepMark::Demonstration => Mark::Demonstration,
        StepMark::CompactBoundary { keep_from } => {
            Mark::CompactBoundary { keep_from: keep_from.map(|step| starts[step.0]) }
        }
        StepMark::CompactSummary => Mark::CompactSummary,
        StepMark::Rewind { to } => Mark::Rewind { to: starts[to.0] },
    };
    if has_message(&step) {
        entries.push(Entry {
            source: Source { step: number, result: None },
            role: step.role,
            time: step.time,
            mark,
            model: step.model,
            usage: step.usage,
            blocks: step.blocks,
        });
    }
    for (place, answer) in step.answers.into_iter().enumerate() {
        let result =
            ToolResult { call: answer.call, content: answer.content, is_error: answer.is_error };
        let mut blocks = vec![Block::Result(result)];
        blocks.extend(answer.others);
        entries.push(Entry {
            source: Source { step: number, result: Some(u16::try_from(place).unwrap_or(u16::MAX)) },
            role: Role::Tool,
            time: answer.time,
            mark: Mark::None,
            model: None,
            usage: None,
            blocks,
        });
    }
}
