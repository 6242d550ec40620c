//! The messages of a conversation by position: which entry each begins with, and the texts in it
//! that may be replaced.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use foveal_engine::message_shape::Decision;
use foveal_protocols::request_body::{BodyError, RequestBody};
use foveal_transcript::{ContentHash, EntryIndex};

use crate::body_replacements::{BodyReplacements, MessageReplacements};
use crate::decoded_messages::{self, ReplaceableText, decode_messages};
use crate::handle_style::HandleStyle;
use crate::request_context::RequestContext;

/// The messages that were decoded, and their replaced texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct MessageTexts {
    messages: Vec<KnownMessage>,
    /// The indices of messages with replaced texts: a few of many.
    replaced_messages: BTreeSet<usize>,
    /// The replacement texts, collected on first use and valid until one changes.
    replacements: OnceCell<MessageReplacements>,
    /// Bytes of all messages, from which the memory use is estimated.
    bytes: usize,
    handle_style: HandleStyle,
}

/// A message that was decoded.
#[derive(Debug, Clone)]
pub(crate) struct KnownMessage {
    /// The fingerprint of the prefix that ends with it.
    pub(crate) fingerprint: ContentHash,
    /// Its length. If length and breakpoints are unchanged, so are the positions of its texts.
    pub(crate) length: usize,
    pub(crate) has_breakpoint: bool,
    /// Its first entry.
    pub(crate) entry: EntryIndex,
    pub(crate) texts: Vec<ReplaceableText>,
}

impl KnownMessage {
    /// Returns the position of an entry of the conversation in the message.
    fn entry_position(&self, index: EntryIndex) -> usize {
        (index.0 - self.entry.0) as usize
    }
}

impl MessageTexts {
    /// Creates it without messages. `handle_style` is the way that notes offer to the omitted
    /// content.
    pub(crate) fn new(handle_style: HandleStyle) -> Self {
        Self { handle_style, ..Self::default() }
    }

    /// Returns the number of messages.
    pub(crate) fn message_count(&self) -> usize {
        self.messages.len()
    }

    /// Returns the bytes of all messages.
    pub(crate) fn byte_count(&self) -> usize {
        self.bytes
    }

    /// Adds the next message.
    pub(crate) fn push(&mut self, message: KnownMessage) {
        self.bytes += message.length;
        self.messages.push(message);
    }

    /// Returns the fingerprint behind the last message.
    pub(crate) fn last_fingerprint(&self) -> Option<ContentHash> {
        self.messages.last().map(|known| known.fingerprint)
    }

    /// Returns the first entry of a message.
    pub(crate) fn first_entry(&self, message: usize) -> Option<EntryIndex> {
        self.messages.get(message).map(|known| known.entry)
    }

    /// Returns the number of the message of an entry, from 1; 0 if there is no message.
    pub(crate) fn message_number(&self, index: EntryIndex) -> usize {
        self.messages.partition_point(|known| known.entry <= index)
    }

    /// Returns the fingerprint behind the message of an entry.
    pub(crate) fn entry_fingerprint(&self, index: EntryIndex) -> Option<ContentHash> {
        self.message_of_entry(index).map(|known| known.fingerprint)
    }

    /// Returns whether any text could be replaced.
    pub(crate) fn has_replaceable_texts(&self) -> bool {
        self.messages.iter().any(|message| !message.texts.is_empty())
    }

    /// Returns whether an entry has texts that can be replaced.
    pub(crate) fn is_replaceable(&self, index: EntryIndex) -> bool {
        self.entry_texts(index).next().is_some()
    }

    /// Returns whether any text of an entry is replaced.
    pub(crate) fn is_replaced(&self, index: EntryIndex) -> bool {
        self.entry_texts(index).any(|text| text.replacement.is_some())
    }

    /// Updates the positions of the texts for a request that continues the conversation.
    ///
    /// # Errors
    /// If a message cannot be decoded.
    pub(crate) fn relocate(&mut self, request: &RequestContext<'_>) -> Result<(), BodyError> {
        let body = &request.body;
        for (at, known) in self.messages.iter_mut().enumerate() {
            let (length, is_marked) = (body.messages[at].len(), request.has_breakpoint(at));
            let is_same = (known.length, known.has_breakpoint) == (length, is_marked) && !is_marked;
            // The compress API does not track breakpoints, so positions are always updated there.
            if is_same && self.handle_style != HandleStyle::Hash {
                continue;
            }
            (known.length, known.has_breakpoint) = (length, is_marked);
            if known.texts.is_empty() {
                continue;
            }
            let decoded = &decode_messages(body, request.bytes(), at..at + 1, &[])?;
            let slots = decoded.iter().flat_map(|message| &message.slots);
            for (text, slot) in known.texts.iter_mut().zip(slots) {
                if text.replacement.is_some() && text.slot != *slot {
                    self.replacements.take();
                }
                text.slot = slot.clone();
            }
        }
        Ok(())
    }

    /// Replaces the texts of an entry with this content as a decision says.
    pub(crate) fn apply_decision(&mut self, index: EntryIndex, content: &str, decision: &Decision) {
        let Some(at) = self.message_number(index).checked_sub(1) else { return };
        let known = &mut self.messages[at];
        let entry = known.entry_position(index);
        decoded_messages::apply_decision(
            &mut known.texts,
            entry,
            content,
            self.handle_style,
            decision,
        );
        let has_changed = if known.texts.iter().any(|text| text.replacement.is_some()) {
            self.replaced_messages.insert(at);
            true
        } else {
            self.replaced_messages.remove(&at)
        };
        if has_changed {
            self.replacements.take();
        }
    }

    /// Removes all replacements.
    pub(crate) fn clear_replacements(&mut self) {
        self.replacements.take();
        for at in std::mem::take(&mut self.replaced_messages) {
            self.messages[at].texts.iter_mut().for_each(|text| text.replacement = None);
        }
    }

    /// Returns the replacement texts with their positions in a body with the same messages.
    pub(crate) fn replacements(&self, body: &RequestBody) -> BodyReplacements {
        let collect = || {
            let messages = self.replaced_messages.iter().map(|at| (*at, &self.messages[*at].texts));
            let texts = messages.flat_map(|(at, texts)| {
                let replacement = move |text: &ReplaceableText| {
                    Some((at, text.slot.string.clone(), text.replacement.clone()?))
                };
                texts.iter().filter_map(replacement)
            });
            texts.collect()
        };
        self.replacements.get_or_init(collect).locate_in(body)
    }

    /// Returns the texts of all messages with replacements, each with the index of its entry.
    pub(crate) fn texts_of_replaced_messages(
        &self,
    ) -> impl Iterator<Item = (EntryIndex, &ReplaceableText)> {
        self.replaced_messages.iter().map(|at| &self.messages[*at]).flat_map(|known| {
            let index = |text: &ReplaceableText| EntryIndex(known.entry.0 + text.slot.entry as u32);
            known.texts.iter().map(move |text| (index(text), text))
        })
    }

    fn message_of_entry(&self, index: EntryIndex) -> Option<&KnownMessage> {
        self.message_number(index).checked_sub(1).map(|at| &self.messages[at])
    }

    fn entry_texts(&self, index: EntryIndex) -> impl Iterator<Item = &ReplaceableText> {
        self.message_of_entry(index).into_iter().flat_map(move |known| {
            let entry = known.entry_position(index);
            known.texts.iter().filter(move |text| text.belongs_to_entry(entry))
        })
    }
}
