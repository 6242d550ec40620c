//! Policies that decide anew for every request: the seed profiles and the baselines.
//!
//! One policy a file: a function from the present prompt to what stands in results' places.
//! [`Recomputed`] turns one into a projector and declares every change as a rewrite, so
//! that what moving windows do to the provider's cache is counted.

pub mod cap;
pub mod clear_tool_uses;
pub mod content_reset;
pub mod first_last_sampled;
pub mod fixed;
pub mod keep_last;
pub mod latest_read;
pub mod prune;
pub mod read_once;
pub mod read_tracker;
pub mod strategy;

use std::sync::Arc;

use foveal_transcript::Handle;

use crate::note::{Note, NoteKind};
use crate::record::Record;
use crate::shape::{Decision, Piece, Shape, ShapeKind};
use crate::step::{Item, RewriteReason, Step};
use crate::tokens::Tokens;
use foveal_effects::{EffectKind, ReadTarget};
use foveal_transcript::{EntryIndex, Role, Timestamp, Window, WindowChange};

/// What a policy decides from.
pub struct PolicyView<'a> {
    /// The conversation; only entries in `window` are to be looked at.
    pub record: &'a Record,
    /// The entries of the prompt, in order.
    pub window: &'a [EntryIndex],
    /// What was decided for the last request, by entry; policies that only ever add to what
    /// they removed before look here.
    pub before: &'a [Item],
    /// Tokens of what stands in front of the entries: system prompt and tools. None are counted
    /// for recorded conversations, which have them as entries or not at all.
    pub prelude: Tokens,
}

impl PolicyView<'_> {
    /// The tool results in the prompt, in order.
    pub fn results(&self) -> impl DoubleEndedIterator<Item = EntryIndex> + '_ {
        self.window.iter().copied().filter(|index| self.record.entry(*index).role == Role::Tool)
    }

    /// Tokens of the prompt if the last decisions stand and what is new is sent as recorded.
    pub fn tokens(&self) -> Tokens {
        self.prelude + self.window.iter().map(|index| self.before[index.at()].tokens).sum()
    }

    /// The content of a tool result; empty for other entries.
    pub fn content(&self, index: EntryIndex) -> &str {
        self.record.entry(index).result().map_or("", |result| result.content.as_str())
    }

    /// Whether a tool result is flagged as an error.
    pub fn is_error(&self, index: EntryIndex) -> bool {
        self.record.entry(index).result().is_some_and(|result| result.is_error)
    }

    /// The name of the tool that gave a result; empty where the call is unknown.
    pub fn tool(&self, index: EntryIndex) -> &str {
        let call = self.record.facts(index).call.as_ref();
        call.map_or("", |call| call.tool.as_str())
    }

    /// The one file that a result is a successful read of; `None` for results of anything
    /// else, and for reads of several files at once, which no rule here can take apart.
    pub fn read(&self, index: EntryIndex) -> Option<&ReadTarget> {
        let call = self.record.facts(index).call.as_ref()?;
        match call.effect.reads.as_slice() {
            [read] if call.effect.kind == EffectKind::Read && !self.is_error(index) => Some(read),
            _ => None,
        }
    }

    /// What stands in a result's place since an earlier request.
    pub fn replaced(&self, index: EntryIndex) -> Option<&Shape> {
        self.before[index.at()].decision.shape()
    }

    /// Everything in the prompt that is replaced since an earlier request.
    pub fn all_replaced(&self) -> Vec<(EntryIndex, Shape)> {
        self.results().filter_map(|index| Some((index, self.replaced(index)?.clone()))).collect()
    }

    /// A text of ours in place of the whole result; `target` is what it points at.
    pub fn stand_in(
        &self,
        index: EntryIndex,
        rule: &str,
        text: String,
        target: Option<EntryIndex>,
    ) -> (EntryIndex, Shape) {
        let shape = Shape {
            kind: if target.is_some() { ShapeKind::Pointer } else { ShapeKind::Note },
            rule: rule.to_owned(),
            pieces: vec![Piece::Note(
                self.content(index).len() as u32,
                quoted(text, target.into_iter().collect()),
            )],
            handle: self.handle(index),
        };
        (index, shape)
    }

    /// The first `head` and the last `tail` bytes of a result, with `note` between them.
    pub fn head_and_tail(
        &self,
        index: EntryIndex,
        rule: &str,
        (head, tail): (usize, usize),
        note: String,
    ) -> (EntryIndex, Shape) {
        let length = self.content(index).len();
        let pieces = vec![
            Piece::Keep(0..head as u32),
            Piece::Note((length - tail) as u32, quoted(note, Vec::new())),
            Piece::Keep((length - tail) as u32..length as u32),
        ];
        let kind = ShapeKind::Excerpt;
        let (rule, handle) = (rule.to_owned(), self.handle(index));
        (index, Shape { kind, rule, pieces, handle })
    }

    fn handle(&self, index: EntryIndex) -> Handle {
        match self.replaced(index) {
            Some(shape) => shape.handle,
            None => Handle::of(self.content(index).as_bytes()),
        }
    }
}

/// Bytes of the first `count` characters of `text`; of all of it if it has fewer.
pub(crate) fn bytes_of_first(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// Bytes of the last `count` characters of `text`; of all of it if it has fewer.
pub(crate) fn bytes_of_last(text: &str, count: usize) -> usize {
    match count.checked_sub(1).map(|back| text.char_indices().nth_back(back)) {
        None => 0,
        Some(place) => place.map_or(text.len(), |(at, _)| text.len() - at),
    }
}

/// A policy: the results that are not sent as recorded, with what stands in their place.
/// A shape that is larger than the original is ignored.
pub type Policy = fn(&PolicyView<'_>) -> Vec<(EntryIndex, Shape)>;

/// Applies a [`Policy`] at every request.
#[derive(Debug, Clone)]
pub struct Recomputed {
    policy: Policy,
    window: Window,
    items: Vec<Item>,
    sent: usize,
}

impl Recomputed {
    /// A projector at the start of a conversation.
    pub fn new(policy: Policy) -> Self {
        Self { policy, window: Window::default(), items: Vec::new(), sent: 0 }
    }

    /// Plans the request that `answer` answers, as [`crate::planner::Planner::advance`] does.
    pub fn advance(&mut self, record: &Record, answer: EntryIndex, now: Option<Timestamp>) -> Step {
        let mut kept = self.sent;
        while self.items.len() < answer.at() {
            let index = EntryIndex(self.items.len() as u32);
            self.items.push(Item { tokens: record.facts(index).tokens, ..Item::default() });
            if let WindowChange::Cut { from } = self.window.push(record.conversation()) {
                kept = kept.min(from);
            }
        }
        let window = self.window.entries().to_vec();
        let view = PolicyView {
            record,
            window: &window,
            before: self.items.as_slice(),
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
                    if Some(&shapes[place].1) == self.items[index.at()].decision.shape() =>
                {
                    continue;
                }
                Some(place) => weigh(record, *index, &shapes[place].1),
                None => (Decision::Keep, record.facts(*index).tokens),
            };
            let item = &mut self.items[index.at()];
            if item.decision != decision {
                rewritten |= at < self.sent;
                kept = kept.min(at);
                changed.push((*index, decision.clone()));
                item.decision = decision;
                item.tokens = tokens;
            }
        }
        self.sent = window.len();
        Step {
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

    /// The entries of the prompt, in order.
    pub fn window(&self) -> &[EntryIndex] {
        self.window.entries()
    }

    /// What was decided about an entry.
    pub fn item(&self, index: EntryIndex) -> &Item {
        &self.items[index.at()]
    }
}

pub(crate) fn weigh(record: &Record, index: EntryIndex, shape: &Shape) -> (Decision, Tokens) {
    let raw = record.facts(index).tokens;
    let result = record.entry(index).result().filter(|_| !record.facts(index).is_fixed);
    let Some(result) = result else { return (Decision::Keep, raw) };
    let tokens = record.tokenizer().count(&shape.render(&result.content));
    if tokens < raw {
        (Decision::Replace(Arc::new(shape.clone())), tokens)
    } else {
        (Decision::Keep, raw)
    }
}

/// The words of another tool's rule as a note.
fn quoted(text: String, refers_to: Vec<EntryIndex>) -> Arc<Note> {
    Note { refers_to, ..Note::new(NoteKind::Quoted(text.into_boxed_str())) }.into()
}
