//! Policies that decide anew for every request: the profiles of the design documents and the
//! baselines.
//!
//! Each file holds one policy: a function from the present prompt to the shapes of its results.
//! [`PolicyProjector`] makes a projector of a policy and declares every change as a rewrite, so
//! that the effect of moving windows on the provider's cache is counted.

pub mod clear_tool_uses;
pub mod content_reset;
pub mod first_last_sampled;
pub mod last_results;
pub mod latest_read;
pub mod opencode_prune;
pub mod output_cap;
pub mod preset_decisions;
pub mod read_once;
pub mod read_tracker;
pub mod strategy;

use std::sync::Arc;

use foveal_transcript::Handle;

use crate::conversation_record::ConversationRecord;
use crate::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use crate::note::{Note, NoteKind};
use crate::plan_step::{EntryState, PlanStep, RewriteReason};
use crate::tokens::Tokens;
use foveal_tool_effects::{EffectKind, ReadTarget};
use foveal_transcript::{ClientPrompt, ClientPromptChange, EntryIndex, MessageRole, Timestamp};

/// The inputs of a policy.
pub struct PolicyView<'a> {
    /// The conversation; policies must only look at entries in `window`.
    pub record: &'a ConversationRecord,
    /// The entries of the prompt, in order.
    pub window: &'a [EntryIndex],
    /// The states of all entries after the last request. Policies whose removals are permanent look
    /// here.
    pub entry_states: &'a [EntryState],
    /// Tokens in front of the entries: system prompt and tools. 0 for recorded conversations, which
    /// hold them as entries or not at all.
    pub prelude: Tokens,
}

impl PolicyView<'_> {
    /// Returns the tool results in the prompt, in order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = EntryIndex> + '_ {
        self.window
            .iter()
            .copied()
            .filter(|index| self.record.entry(*index).role == MessageRole::Tool)
    }

    /// Returns the tokens of the prompt if the last decisions stand and new entries are sent as
    /// recorded.
    pub fn tokens(&self) -> Tokens {
        self.prelude
            + self.window.iter().map(|index| self.entry_states[index.as_usize()].tokens).sum()
    }

    /// Returns the content of a tool result; empty for other entries.
    pub fn content(&self, index: EntryIndex) -> &str {
        self.record.entry(index).tool_result().map_or("", |result| result.content.as_str())
    }

    /// Returns whether a tool result is flagged as an error.
    pub fn is_error(&self, index: EntryIndex) -> bool {
        self.record.entry(index).tool_result().is_some_and(|result| result.is_error)
    }

    /// Returns the name of the tool that gave a result; empty if the call is unknown.
    pub fn tool_name(&self, index: EntryIndex) -> &str {
        let call = self.record.facts(index).call.as_ref();
        call.map_or("", |call| call.tool.as_str())
    }

    /// Returns the file that a result is a successful read of; `None` for all other results, and
    /// for reads of several files at once, which no policy here can divide.
    pub fn single_read(&self, index: EntryIndex) -> Option<&ReadTarget> {
        let call = self.record.facts(index).call.as_ref()?;
        match call.effect.reads.as_slice() {
            [read] if call.effect.kind == EffectKind::Read && !self.is_error(index) => Some(read),
            _ => None,
        }
    }

    /// Returns the shape of a result since an earlier request.
    pub fn current_shape(&self, index: EntryIndex) -> Option<&MessageShape> {
        self.entry_states[index.as_usize()].decision.shape()
    }

    /// Returns all shapes in the prompt since earlier requests.
    pub fn current_shapes(&self) -> Vec<(EntryIndex, MessageShape)> {
        self.results()
            .filter_map(|index| Some((index, self.current_shape(index)?.clone())))
            .collect()
    }

    /// Replaces a whole result by a text of foveal; with a `target` that text is a pointer.
    pub fn placeholder(
        &self,
        index: EntryIndex,
        rule: &str,
        text: String,
        target: Option<EntryIndex>,
    ) -> (EntryIndex, MessageShape) {
        let shape = MessageShape {
            kind: if target.is_some() { ShapeKind::Pointer } else { ShapeKind::Note },
            rule: rule.to_owned(),
            pieces: vec![ShapePiece::Note(
                self.content(index).len() as u32,
                quoted_note(text, target.into_iter().collect()),
            )],
            handle: self.handle(index),
        };
        (index, shape)
    }

    /// Keeps the first `head` and the last `tail` bytes of a result, with `note` between them.
    pub fn head_and_tail(
        &self,
        index: EntryIndex,
        rule: &str,
        head: usize,
        tail: usize,
        note: String,
    ) -> (EntryIndex, MessageShape) {
        let length = self.content(index).len();
        let pieces = vec![
            ShapePiece::Keep(0..head as u32),
            ShapePiece::Note((length - tail) as u32, quoted_note(note, Vec::new())),
            ShapePiece::Keep((length - tail) as u32..length as u32),
        ];
        let kind = ShapeKind::Excerpt;
        let (rule, handle) = (rule.to_owned(), self.handle(index));
        (index, MessageShape { kind, rule, pieces, handle })
    }

    fn handle(&self, index: EntryIndex) -> Handle {
        match self.current_shape(index) {
            Some(shape) => shape.handle,
            None => Handle::from_content(self.content(index).as_bytes()),
        }
    }
}

/// Returns the bytes of the first `count` characters of `text`, or of all of it.
pub(crate) fn first_chars_len(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// Returns the bytes of the last `count` characters of `text`, or of all of it.
pub(crate) fn last_chars_len(text: &str, count: usize) -> usize {
    match count.checked_sub(1).map(|back| text.char_indices().nth_back(back)) {
        None => 0,
        Some(place) => place.map_or(text.len(), |(at, _)| text.len() - at),
    }
}

/// A policy returns the results that are not sent as recorded, with their shapes. A shape that is
/// larger than the original is ignored.
pub type Policy = fn(&PolicyView<'_>) -> Vec<(EntryIndex, MessageShape)>;

/// Applies a [`Policy`] at every request.
#[derive(Debug, Clone)]
pub struct PolicyProjector {
    policy: Policy,
    window: ClientPrompt,
    entry_states: Vec<EntryState>,
    sent_len: usize,
}

impl PolicyProjector {
    /// Creates a projector at the start of a conversation.
    pub fn new(policy: Policy) -> Self {
        Self { policy, window: ClientPrompt::default(), entry_states: Vec::new(), sent_len: 0 }
    }

    /// Plans the request that `answer` answers, as [`crate::planner::Planner::advance`] does.
    pub fn advance(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
    ) -> PlanStep {
        let mut kept = self.sent_len;
        while self.entry_states.len() < answer.as_usize() {
            let index = EntryIndex(self.entry_states.len() as u32);
            self.entry_states
                .push(EntryState { tokens: record.facts(index).tokens, ..EntryState::default() });
            if let ClientPromptChange::Cut { from } = self.window.push(record.conversation()) {
                kept = kept.min(from);
            }
        }
        let window = self.window.entries().to_vec();
        let view = PolicyView {
            record,
            window: &window,
            entry_states: self.entry_states.as_slice(),
            prelude: Tokens(0),
        };
        let mut shapes = (self.policy)(&view);
        shapes.sort_by_key(|(index, _)| *index);
        let mut changed = Vec::new();
        let mut rewritten = false;
        for (at, index) in window.iter().enumerate() {
            let place = shapes.binary_search_by_key(index, |(shaped, _)| *shaped).ok();
            let (decision, tokens) = match place {
                Some(place)
                    if Some(&shapes[place].1)
                        == self.entry_states[index.as_usize()].decision.shape() =>
                {
                    continue;
                }
                Some(place) => decide_by_size(record, *index, &shapes[place].1),
                None => (Decision::Keep, record.facts(*index).tokens),
            };
            let item = &mut self.entry_states[index.as_usize()];
            if item.decision != decision {
                rewritten |= at < self.sent_len;
                kept = kept.min(at);
                changed.push((*index, decision.clone()));
                item.decision = decision;
                item.tokens = tokens;
            }
        }
        self.sent_len = window.len();
        PlanStep {
            answer,
            time: now,
            changed,
            levels: Vec::new(),
            wished: Vec::new(),
            chosen: Vec::new(),
            kept,
            rewrite: rewritten.then_some(RewriteReason::Recomputed),
            keeps_answer: false,
            base: None,
            backlog: None,
        }
    }

    /// Returns the entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    /// Returns the decision on an entry and its state.
    pub fn entry_state(&self, index: EntryIndex) -> &EntryState {
        &self.entry_states[index.as_usize()]
    }
}

pub(crate) fn decide_by_size(
    record: &ConversationRecord,
    index: EntryIndex,
    shape: &MessageShape,
) -> (Decision, Tokens) {
    let raw = record.facts(index).tokens;
    let result = record.entry(index).tool_result().filter(|_| !record.facts(index).is_fixed);
    let Some(result) = result else { return (Decision::Keep, raw) };
    let tokens = record.tokenizer().count(&shape.render(&result.content));
    if tokens < raw {
        (Decision::Replace(Arc::new(shape.clone())), tokens)
    } else {
        (Decision::Keep, raw)
    }
}

/// Returns a note with the words of another tool's rule.
fn quoted_note(text: String, refers_to: Vec<EntryIndex>) -> Arc<Note> {
    Note { refers_to, ..Note::new(NoteKind::Quoted(text.into_boxed_str())) }.into()
}
