//! The prompt as the model sees it: its visible lines, and the calls that were answered in part.

use crate::conversation_record::ConversationRecord;
use crate::entry_facts::{LineHash, LineHashMap};
use crate::ledger::Ledger;
use crate::message_shape::{Decision, ShapeKind};
use foveal_transcript::{ClientPrompt, EntryIndex, MessageRole};

/// The prompt as the model sees it, message by message.
#[derive(Debug, Clone, Default)]
pub struct VisiblePrompt {
    ledger: Ledger,
    /// The latest answer to each call, by the call's key.
    answers: LineHashMap<LatestCallResult>,
    /// Results that are not visible in full, in order.
    reduced: Vec<EntryIndex>,
    /// Messages that are not part of the prompt, in order.
    hidden: Vec<EntryIndex>,
}

/// The answer to a call.
#[derive(Debug, Clone, Copy)]
struct LatestCallResult {
    result: EntryIndex,
    /// Whether a part of it is omitted. A shorter spelling alone does not count.
    is_reduced: bool,
}

impl VisiblePrompt {
    /// Returns the prompt that `record` ends with, as recorded.
    pub fn from_record(record: &ConversationRecord) -> Self {
        let mut window = ClientPrompt::default();
        for _ in record.entries() {
            window.push(record.conversation());
        }
        let mut visible = Self::default();
        window
            .entries()
            .iter()
            .for_each(|index| visible.push_message(record, *index, &Decision::Keep));
        visible
    }

    /// Appends a message that is sent under `decision`. Messages come in order.
    pub fn push_message(
        &mut self,
        record: &ConversationRecord,
        index: EntryIndex,
        decision: &Decision,
    ) {
        let (entry, facts) = (record.entry(index), record.facts(index));
        let shape = decision.shape();
        let is_reduced = shape.is_some_and(|shape| shape.kind != ShapeKind::Compacted);
        for key in call_keys(record, index) {
            self.answers.insert(key, LatestCallResult { result: index, is_reduced });
        }
        if is_reduced {
            self.reduced.push(index);
        }
        let Some(shape) = shape else {
            let whole = entry.tool_result().and(facts.whole_hash);
            let lines = (0u32..).zip(facts.line_ids.iter().copied());
            return self.ledger.push_entry(index, lines, whole);
        };
        let kept = shape.kept_lines(&facts.printed);
        let lines = kept.iter().map(|at| (*at, facts.line_ids[*at as usize]));
        // A shorter spelling keeps all lines visible.
        let is_whole = kept.len() == facts.line_ids.len();
        self.ledger.push_entry(index, lines, facts.whole_hash.filter(|_| is_whole));
        if !is_whole {
            self.ledger.mark_last_entry(shape.reduced_lines(&facts.printed, &kept));
        }
    }

    /// Removes all messages but the longest start that equals the start of `stay` (ascending).
    pub fn retain_prefix(&mut self, stay: &[EntryIndex]) {
        self.ledger.retain_prefix(stay);
        self.answers.retain(|_, answered| stay.binary_search(&answered.result).is_ok());
        self.reduced.retain(|result| stay.binary_search(result).is_ok());
    }

    /// Returns the prompt of a reader that was never sent the messages of `hidden` (ascending).
    #[must_use]
    pub fn without_messages(&self, record: &ConversationRecord, hidden: &[EntryIndex]) -> Self {
        let ledger = self.ledger.without_entries(hidden);
        let mut answers = LineHashMap::default();
        for result in ledger.entries() {
            let is_reduced = self.reduced.binary_search(&result).is_ok();
            for key in call_keys(record, result) {
                answers.insert(key, LatestCallResult { result, is_reduced });
            }
        }
        let is_there = |entry: &EntryIndex| hidden.binary_search(entry).is_err();
        let reduced = self.reduced.iter().copied().filter(is_there).collect();
        let mut all_hidden = [&*self.hidden, hidden].concat();
        all_hidden.sort_unstable();
        Self { ledger, answers, reduced, hidden: all_hidden }
    }

    /// Returns the ledger of visible lines.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Returns whether the call of a result asks for the whole content: by its argument, or because
    /// the response before made the same call and was answered in part. A verbatim read of a whole
    /// file counts as a repeat of any other read of that file.
    pub fn wants_full_result(&self, record: &ConversationRecord, result: EntryIndex) -> bool {
        let Some(call) = record.facts(result).call.as_ref() else { return false };
        let file = call.file_key.filter(|_| call.effect.verbatim);
        let keys = std::iter::once(call.key).chain(file);
        call.wants_full_result
            || keys.into_iter().any(|key| self.was_answered_partially(record, key, result))
    }

    /// Returns whether the latest answer to such a call came with the previous response and was
    /// partial.
    fn was_answered_partially(
        &self,
        record: &ConversationRecord,
        key: LineHash,
        result: EntryIndex,
    ) -> bool {
        let Some(earlier) = self.answers.get(&key) else { return false };
        let between = (earlier.result.0..result.0).map(EntryIndex);
        let is_there = |entry: &EntryIndex| self.hidden.binary_search(entry).is_err();
        let between = between.filter(is_there).map(|entry| record.entry(entry));
        let responses = between.filter(|entry| entry.role == MessageRole::Assistant).count();
        let step = |index| record.entry(index).source.step;
        earlier.is_reduced && responses <= 1 && step(earlier.result) != step(result)
    }
}

/// Returns the keys of the call that a result answers: of the call itself, and of a read of the
/// whole file.
fn call_keys(record: &ConversationRecord, index: EntryIndex) -> impl Iterator<Item = LineHash> {
    let call = record.facts(index).call.as_ref();
    let file = call.and_then(|call| call.file_key);
    call.map(|call| call.key).into_iter().chain(file)
}
