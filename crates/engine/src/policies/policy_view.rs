//! The prompt as a policy sees it, and the shapes that it makes of results.

use std::sync::Arc;

use foveal_pricing::tokens::Tokens;
use foveal_tool_effects::{EffectKind, ReadTarget};
use foveal_transcript::{EntryIndex, Handle, MessageRole};

use crate::conversation_record::ConversationRecord;
use crate::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use crate::note::{Note, NoteKind};
use crate::plan_step::EntryState;

/// The rule's name in shapes of results that are left out by their age.
pub const RULE_DROPPED: &str = "keep-last";
/// The placeholder of such a result. A result cannot be omitted altogether, since its call must
/// have one.
pub const DROPPED_NOTE: &str = "[dropped]";

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

    /// Returns the results in the prompt but for the last `count`, oldest first.
    pub fn results_before_last(&self, count: usize) -> impl Iterator<Item = EntryIndex> + '_ {
        let older = self.results().count().saturating_sub(count);
        self.results().take(older)
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
pub fn first_chars_len(text: &str, count: usize) -> usize {
    text.char_indices().nth(count).map_or(text.len(), |(at, _)| at)
}

/// Returns the bytes of the last `count` characters of `text`, or of all of it.
pub fn last_chars_len(text: &str, count: usize) -> usize {
    match count.checked_sub(1).map(|back| text.char_indices().nth_back(back)) {
        None => 0,
        Some(place) => place.map_or(text.len(), |(at, _)| text.len() - at),
    }
}

/// Returns the decision for a policy's shape of a result, with its tokens. A shape that does not
/// make its result smaller is ignored.
pub fn decide_by_size(
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
