//! What the model can see: the lines of its prompt, and which calls it got less than all of.

use crate::facts::{HashMapOfLines, LineHash};
use crate::ledger::Ledger;
use crate::record::Record;
use crate::shape::{Decision, ShapeKind};
use crate::shaping::edits;
use foveal_transcript::{EntryIndex, Role, Window};

/// The prompt as the model sees it, message by message.
#[derive(Debug, Clone, Default)]
pub struct Visible {
    ledger: Ledger,
    /// By call, its latest answer.
    answers: HashMapOfLines<Answered>,
    /// Results of which something is not there, in order.
    reduced: Vec<EntryIndex>,
    /// Messages that are not part of the prompt, in order.
    hidden: Vec<EntryIndex>,
}

/// The answer to a call.
#[derive(Debug, Clone, Copy)]
struct Answered {
    result: EntryIndex,
    /// Whether something of it is not there. What is only spelled shorter left nothing to ask
    /// for.
    is_reduced: bool,
}

impl Visible {
    /// The prompt that `record` ends with, as it was recorded.
    pub fn as_recorded(record: &Record) -> Self {
        let mut window = Window::default();
        for _ in record.entries() {
            window.push(record.conversation());
        }
        let mut visible = Self::default();
        window.entries().iter().for_each(|index| visible.show(record, *index, &Decision::Keep));
        visible
    }

    /// Appends a message of which `decision` is sent. Messages come in order.
    pub fn show(&mut self, record: &Record, index: EntryIndex, decision: &Decision) {
        let (entry, facts) = (record.entry(index), record.facts(index));
        let shape = decision.shape();
        let is_reduced = shape.is_some_and(|shape| shape.kind != ShapeKind::Compacted);
        for key in call_keys(record, index) {
            self.answers.insert(key, Answered { result: index, is_reduced });
        }
        if is_reduced && entry.result().is_some() {
            self.reduced.push(index);
        }
        let kept = match (shape, entry.result()) {
            (Some(shape), Some(_)) => shape.lines_kept(&facts.printed),
            (Some(shape), None) => edits::lines_kept(entry, facts, shape),
            (None, result) => {
                let whole = result.and(facts.whole);
                let lines = (0u32..).zip(facts.ids.iter().copied());
                return self.ledger.show(index, lines, whole);
            }
        };
        let lines = kept.iter().map(|at| (*at, facts.ids[*at as usize]));
        // Where only the spelling is shorter, all of it stands there.
        let is_whole = kept.len() == facts.ids.len() && entry.result().is_some();
        self.ledger.show(index, lines, facts.whole.filter(|_| is_whole));
        if let Some(shape) = shape.filter(|_| !is_whole && entry.result().is_some()) {
            self.ledger.mark(shape.line_marks(&facts.printed, &kept));
        }
    }

    /// Forgets all messages but the first ones, as far as they are those of `stay` (ascending).
    pub fn forget_all_but(&mut self, stay: &[EntryIndex]) {
        self.ledger.forget_all_but(stay);
        self.answers.retain(|_, answered| stay.binary_search(&answered.result).is_ok());
        self.reduced.retain(|result| stay.binary_search(result).is_ok());
    }

    /// The prompt of a reader who was never sent the messages of `hidden` (ascending).
    #[must_use]
    pub fn without(&self, record: &Record, hidden: &[EntryIndex]) -> Self {
        let ledger = self.ledger.without(hidden);
        let mut answers = HashMapOfLines::default();
        for result in ledger.entries() {
            let is_reduced = self.reduced.binary_search(&result).is_ok();
            for key in call_keys(record, result) {
                answers.insert(key, Answered { result, is_reduced });
            }
        }
        let is_there = |entry: &EntryIndex| hidden.binary_search(entry).is_err();
        let reduced = self.reduced.iter().copied().filter(is_there).collect();
        let mut all_hidden = [&*self.hidden, hidden].concat();
        all_hidden.sort_unstable();
        Self { ledger, answers, reduced, hidden: all_hidden }
    }

    /// Which lines can be seen.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Whether the call of a result wants its content whole: it says so, or the response before the
    /// one that made it had made the same and got less than all. A call for all of a file as it is
    /// asks for more than any other read of that file.
    pub fn asked_again(&self, record: &Record, result: EntryIndex) -> bool {
        let Some(call) = record.facts(result).call.as_ref() else { return false };
        let file = call.file_key.filter(|_| call.effect.verbatim);
        let keys = std::iter::once(call.key).chain(file);
        call.wants_whole || keys.into_iter().any(|key| self.is_answered_short(record, key, result))
    }

    /// Whether the latest answer to such a call is one of the response before, and less than all.
    fn is_answered_short(&self, record: &Record, key: LineHash, result: EntryIndex) -> bool {
        let Some(earlier) = self.answers.get(&key) else { return false };
        let between = (earlier.result.0..result.0).map(EntryIndex);
        let is_there = |entry: &EntryIndex| self.hidden.binary_search(entry).is_err();
        let between = between.filter(is_there).map(|entry| record.entry(entry));
        let responses = between.filter(|entry| entry.role == Role::Assistant).count();
        let step = |index| record.entry(index).source.step;
        earlier.is_reduced && responses <= 1 && step(earlier.result) != step(result)
    }
}

/// What a result answers: its call, and a read of a whole file.
fn call_keys(record: &Record, index: EntryIndex) -> impl Iterator<Item = LineHash> {
    let call = record.facts(index).call.as_ref();
    let file = call.and_then(|call| call.file_key);
    call.map(|call| call.key).into_iter().chain(file)
}
