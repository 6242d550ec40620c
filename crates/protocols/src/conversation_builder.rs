//! Builds a conversation from steps and their results, in the order of ATIF.
//!
//! A recording has results where they arrived, perhaps after other messages; a transcript has them
//! directly behind the message that called them. The builder therefore keeps results with their
//! step, and flattens the list when the conversation is complete.

use std::collections::HashMap;
use std::sync::Arc;

use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, RecordingPosition, Timestamp,
    ToolCall, ToolResult, TranscriptEntry, Usage,
};

use serde_json::Value;

use crate::json;
use crate::problem::ProblemKind;
use crate::wrapped_results::parse_wrapped_result;

/// Position of a step in its builder, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct StepIndex(pub usize);

/// A [`EntryMark`] that names steps instead of entries, which have no index yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StepMark {
    /// An ordinary message.
    #[default]
    None,
    /// As [`EntryMark::Injected`].
    Injected,
    /// As [`EntryMark::Demonstration`].
    Demonstration,
    /// As [`EntryMark::CompactBoundary`].
    CompactBoundary {
        /// The first step that stays in the prompt, if any.
        keep_from: Option<StepIndex>,
    },
    /// As [`EntryMark::CompactSummary`].
    CompactSummary,
    /// As [`EntryMark::Rewind`].
    Rewind {
        /// The first step that is dropped.
        to: StepIndex,
    },
}

impl StepMark {
    /// Returns the mark after `count` steps were inserted at the front.
    fn shift_steps(self, count: usize) -> Self {
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

/// A tool result and the fields recorded with it.
#[derive(Debug, Default)]
pub struct RecordedResult {
    /// The id of the call that it answers.
    pub call: String,
    /// Its text.
    pub content: String,
    /// Whether the call failed.
    pub is_error: bool,
    /// The time at which it arrived.
    pub time: Option<Timestamp>,
    /// Parts of the result that are not text.
    pub other_blocks: Vec<ContentBlock>,
    /// Position of the call among the step's calls; unknown calls come last.
    pub call_position: usize,
}

impl RecordedResult {
    /// Creates the result of `call` from the recorded content, which is text or a list of parts.
    pub fn from_recorded(call: String, recorded: Option<Value>, time: Option<Timestamp>) -> Self {
        let (content, other_blocks) = json::result_content(recorded);
        Self { call, content, time, other_blocks, ..Self::default() }
    }

    /// Replaces a content that is a wrapped result document by the texts in the document.
    pub(crate) fn unwrap_content(self) -> Self {
        match parse_wrapped_result(&self.content) {
            Some(said) => Self {
                content: said.texts.join("\n"),
                is_error: self.is_error || said.is_failed,
                ..self
            },
            None => self,
        }
    }
}

/// A message and the results of its calls.
#[derive(Debug)]
pub struct StepDraft {
    /// The author.
    pub role: MessageRole,
    /// The recorded step number, in formats that have one.
    pub number: Option<u32>,
    /// The time of the message.
    pub time: Option<Timestamp>,
    /// Its mark.
    pub mark: StepMark,
    /// The model that responded.
    pub model: Option<Arc<str>>,
    /// The usage of the response.
    pub usage: Option<Usage>,
    /// The content.
    pub blocks: Vec<ContentBlock>,
    results: Vec<RecordedResult>,
}

impl StepDraft {
    /// Creates an empty message.
    pub fn new(role: MessageRole) -> Self {
        Self {
            role,
            number: None,
            time: None,
            mark: StepMark::None,
            model: None,
            usage: None,
            blocks: Vec::new(),
            results: Vec::new(),
        }
    }

    /// Creates a message with the given content.
    pub fn with_blocks(
        role: MessageRole,
        time: Option<Timestamp>,
        blocks: Vec<ContentBlock>,
    ) -> Self {
        Self { time, blocks, ..Self::new(role) }
    }

    /// Creates a message of one text.
    pub fn with_text(role: MessageRole, time: Option<Timestamp>, text: String) -> Self {
        Self::with_blocks(role, time, vec![ContentBlock::Text(text)])
    }

    /// Returns the step with the given mark.
    pub fn with_mark(self, mark: StepMark) -> Self {
        Self { mark, ..self }
    }

    /// Returns whether the step makes tool calls.
    pub fn has_tool_calls(&self) -> bool {
        self.blocks.iter().any(|block| matches!(block, ContentBlock::Call(_)))
    }

    /// Returns the text blocks, joined by newlines.
    pub fn joined_text(&self) -> String {
        let texts = self.blocks.iter().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text.as_str()),
            ContentBlock::Reasoning(_)
            | ContentBlock::Call(_)
            | ContentBlock::Result(_)
            | ContentBlock::Opaque { .. } => None,
        });
        texts.collect::<Vec<_>>().join("\n")
    }
}

/// Builds a [`Conversation`] from recorded steps.
#[derive(Debug, Default)]
pub struct ConversationBuilder {
    /// The id of the conversation.
    pub id: String,
    /// The id of the conversation that started it.
    pub parent: Option<String>,
    /// The name of the agent.
    pub agent: Option<String>,
    /// The working directory.
    pub directory: Option<String>,
    /// The system prompt, in formats that record it after messages; it is placed in front of them.
    pub system: Option<StepDraft>,
    steps: Vec<StepDraft>,
    /// The latest calls by id; several calls of one message may share an id.
    calls: HashMap<String, Vec<CallPosition>>,
}

/// Position of a call in the conversation.
#[derive(Debug, Clone, Copy)]
struct CallPosition {
    step: StepIndex,
    /// Index among the step's blocks.
    block: usize,
    has_result: bool,
}

impl ConversationBuilder {
    /// Creates the builder of an empty conversation.
    pub fn new(id: impl Into<String>) -> Self {
        Self { id: id.into(), ..Self::default() }
    }

    /// Returns the number of steps.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns whether there are no steps.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Returns the steps so far.
    pub fn steps(&self) -> &[StepDraft] {
        &self.steps
    }

    /// Returns a step.
    pub fn step_mut(&mut self, index: StepIndex) -> &mut StepDraft {
        &mut self.steps[index.0]
    }

    /// Returns the index of the last step.
    pub fn last_step(&self) -> Option<StepIndex> {
        self.steps.len().checked_sub(1).map(StepIndex)
    }

    /// Appends a step. Calls are added with [`ConversationBuilder::add_call`].
    pub fn push_step(&mut self, step: StepDraft) -> StepIndex {
        self.steps.push(step);
        StepIndex(self.steps.len() - 1)
    }

    /// Drops the steps from index `len` on, and their calls.
    pub fn truncate_steps(&mut self, len: usize) {
        self.steps.truncate(len);
        self.calls.retain(|_, calls| {
            calls.retain(|made| made.step.0 < len);
            !calls.is_empty()
        });
    }

    /// Appends a compaction boundary; the steps from `keep_from` on stay in the prompt.
    pub fn push_compaction(&mut self, keep_from: Option<StepIndex>, time: Option<Timestamp>) {
        let boundary = StepDraft::with_blocks(MessageRole::System, time, Vec::new());
        self.push_step(boundary.with_mark(StepMark::CompactBoundary { keep_from }));
    }

    /// Appends the summary that a compaction made of the messages before it.
    pub fn push_summary(&mut self, time: Option<Timestamp>, blocks: Vec<ContentBlock>) {
        self.push_step(
            StepDraft::with_blocks(MessageRole::User, time, blocks)
                .with_mark(StepMark::CompactSummary),
        );
    }

    /// Adds a call to a step.
    pub fn add_call(&mut self, step: StepIndex, call: ToolCall) -> Result<(), ProblemKind> {
        let id = call.id.clone();
        let blocks = &mut self.steps[step.0].blocks;
        // The block index orders the calls as well as a count of calls would.
        let made = CallPosition { step, block: blocks.len(), has_result: false };
        blocks.push(ContentBlock::Call(call));
        let calls = self.calls.entry(id.clone()).or_default();
        let is_new = calls.is_empty();
        calls.retain(|made| made.step == step);
        calls.push(made);
        if is_new { Ok(()) } else { Err(ProblemKind::DuplicateCall { call: id }) }
    }

    /// Returns the step that made the call `id`.
    pub fn step_of_call(&self, id: &str) -> Option<StepIndex> {
        self.latest_call(id).map(|made| made.step)
    }

    /// Returns whether the call `id` exists and has none of these arguments.
    pub fn call_lacks_arguments(&self, id: &str, names: &[&str]) -> bool {
        let Some(made) = self.latest_call(id) else { return false };
        let block = self.steps[made.step.0].blocks.get(made.block);
        let Some(ContentBlock::Call(call)) = block else { return false };
        names.iter().all(|name| call.arguments.get(name).is_none_or(Value::is_null))
    }

    /// Returns whether the call `id` has a result.
    pub fn has_result_of(&self, id: &str) -> bool {
        self.calls.get(id).is_some_and(|calls| calls.iter().all(|made| made.has_result))
    }

    /// Returns the latest call with this id.
    fn latest_call(&self, id: &str) -> Option<&CallPosition> {
        self.calls.get(id)?.last()
    }

    /// Returns the call that the next result with this id answers: the first call without a result,
    /// otherwise the last call. If `id` is no call id but the name of a tool, this is the first
    /// open call of that tool in the latest message with calls.
    fn call_for_result(&mut self, id: &str) -> Option<&mut CallPosition> {
        let id = match self.calls.contains_key(id) {
            true => id.to_owned(),
            false => self.open_call_of_tool(id)?,
        };
        let calls = self.calls.get_mut(&id)?;
        let open = calls.iter().position(|made| !made.has_result);
        let last = calls.len().checked_sub(1)?;
        calls.get_mut(open.unwrap_or(last))
    }

    /// Returns the id of the first open call of a tool in the latest message with calls.
    fn open_call_of_tool(&self, name: &str) -> Option<String> {
        let at = self.steps.iter().rposition(StepDraft::has_tool_calls)?;
        let blocks = self.steps[at].blocks.iter().enumerate();
        let mut calls = blocks.filter_map(|(place, block)| match block {
            ContentBlock::Call(call) if !name.is_empty() && call.name == name => {
                Some((place, call))
            }
            _ => None,
        });
        let is_open = |(place, call): &(usize, &ToolCall)| {
            let made = self.calls.get(&call.id).into_iter().flatten();
            let mut open = made.filter(|made| !made.has_result);
            open.any(|made| (made.step, made.block) == (StepIndex(at), *place))
        };
        calls.find(is_open).map(|(_, call)| call.id.clone())
    }

    /// Adds a result to the step that made its call, in the order of the calls. A result without a
    /// known call becomes a step of its own.
    pub fn add_result(&mut self, mut answer: RecordedResult) -> Result<(), ProblemKind> {
        let Some(made) = self.call_for_result(&answer.call) else {
            let call = answer.call.clone();
            self.add_unpaired_result(answer);
            return Err(ProblemKind::UnknownCall { call });
        };
        let again = std::mem::replace(&mut made.has_result, true);
        let call = again.then(|| answer.call.clone());
        let CallPosition { step, block: place, .. } = *made;
        answer.call_position = place;
        let answers = &mut self.steps[step.0].results;
        let at = answers.partition_point(|known| known.call_position <= answer.call_position);
        answers.insert(at, answer);
        call.map_or(Ok(()), |call| Err(ProblemKind::DuplicateResult { call }))
    }

    /// Adds a result as a step of its own.
    pub(crate) fn add_unpaired_result(&mut self, answer: RecordedResult) {
        let mut step = StepDraft::new(MessageRole::Tool);
        step.results.push(answer);
        self.push_step(step);
    }

    /// Replaces the content of the result of the call `id`.
    pub fn replace_result_content(&mut self, id: &str, content: &str) {
        let Some(made) = self.latest_call(id).copied() else { return };
        let answers = self.steps[made.step.0].results.iter_mut();
        for answer in answers.filter(|answer| answer.call == id) {
            content.clone_into(&mut answer.content);
        }
    }

    /// Appends a result to a step's results, whatever call it names.
    pub fn append_result(
        &mut self,
        step: StepIndex,
        mut answer: RecordedResult,
    ) -> Result<(), ProblemKind> {
        let call = answer.call.clone();
        answer.call_position = usize::MAX;
        self.steps[step.0].results.push(answer);
        match self.call_for_result(&call) {
            // A result may name no call.
            _ if call.is_empty() => Ok(()),
            Some(made) if made.step == step => {
                if std::mem::replace(&mut made.has_result, true) {
                    return Err(ProblemKind::DuplicateResult { call });
                }
                Ok(())
            }
            Some(_) | None => Err(ProblemKind::UnknownCall { call }),
        }
    }

    /// Returns the flat conversation. Drops entries whose numbers exceed `u32`.
    pub fn finish(mut self) -> Conversation {
        let entries = self.take_entries();
        let mut conversation: Conversation = entries.into_iter().collect();
        conversation.id = self.id;
        conversation.parent = self.parent;
        conversation.agent = self.agent;
        conversation.directory = self.directory;
        conversation
    }

    /// Takes the entries of all steps.
    pub(crate) fn take_entries(&mut self) -> Vec<TranscriptEntry> {
        if let Some(system) = self.system.take() {
            for step in &mut self.steps {
                step.mark = step.mark.shift_steps(1);
            }
            self.steps.insert(0, system);
        }
        let mut starts = Vec::with_capacity(self.steps.len() + 1);
        let mut at = 0u32;
        for step in &self.steps {
            starts.push(EntryIndex(at));
            let message = u32::from(has_message(step));
            at = at.saturating_add(message + u32::try_from(step.results.len()).unwrap_or(u32::MAX));
        }
        starts.push(EntryIndex(at));
        let mut entries = Vec::with_capacity(at as usize);
        for (position, step) in std::mem::take(&mut self.steps).into_iter().enumerate() {
            let counted = u32::try_from(position + 1).unwrap_or(u32::MAX);
            push_entries(step, counted, &starts, &mut entries);
        }
        entries
    }
}

/// Returns whether a step has a message. Steps of role tool hold only results without a call.
fn has_message(step: &StepDraft) -> bool {
    step.role != MessageRole::Tool
}

fn push_entries(
    step: StepDraft,
    counted: u32,
    starts: &[EntryIndex],
    entries: &mut Vec<TranscriptEntry>,
) {
    let number = step.number.unwrap_or(counted);
    let mark = match step.mark {
        StepMark::None => EntryMark::None,
        StepMark::Injected => EntryMark::Injected,
        StepMark::Demonstration => EntryMark::Demonstration,
        StepMark::CompactBoundary { keep_from } => {
            EntryMark::CompactBoundary { keep_from: keep_from.map(|step| starts[step.0]) }
        }
        StepMark::CompactSummary => EntryMark::CompactSummary,
        StepMark::Rewind { to } => EntryMark::Rewind { to: starts[to.0] },
    };
    if has_message(&step) {
        entries.push(TranscriptEntry {
            source: RecordingPosition { step: number, result: None },
            role: step.role,
            time: step.time,
            mark,
            model: step.model,
            usage: step.usage,
            blocks: step.blocks,
        });
    }
    for (place, answer) in step.results.into_iter().enumerate() {
        let result =
            ToolResult { call: answer.call, content: answer.content, is_error: answer.is_error };
        let mut blocks = vec![ContentBlock::Result(result)];
        blocks.extend(answer.other_blocks);
        entries.push(TranscriptEntry {
            source: RecordingPosition {
                step: number,
                result: Some(u16::try_from(place).unwrap_or(u16::MAX)),
            },
            role: MessageRole::Tool,
            time: answer.time,
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks,
        });
    }
}
