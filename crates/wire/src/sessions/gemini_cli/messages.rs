//! Which messages the prompt holds, by their ids.

use std::ops::Range;

use crate::draft::StepIndex;

/// One message.
struct Message {
    id: String,
    /// Number of steps before it.
    before: usize,
    /// Its step, where it is a response.
    step: Option<StepIndex>,
    signature: Signature,
}

/// What tells that a message is one that was written before under another id. Results are not
/// compared: the client puts shorter texts in the place of old ones.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Signature {
    /// A message of the user, with the hash of its text.
    User(u64),
    /// Results of calls alone.
    Results,
    /// A message of the model, with the ids of its calls.
    Model(Vec<String>),
}

/// The messages of the prompt, in order.
#[derive(Default)]
pub(super) struct Messages {
    list: Vec<Message>,
    /// Those that stay behind the ones that a compaction puts in front.
    kept: Vec<Message>,
}

/// Messages that stay.
pub(super) struct KeptMessages(Vec<Message>);

/// What putting other messages in place means for the conversation. Steps are counted from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// All that was there stays in front.
    Append,
    /// The last ones are gone.
    Back {
        /// The first step that is gone.
        to: usize,
    },
    /// The first ones are gone.
    Compact {
        /// The first step that stays.
        keep_from: Option<usize>,
    },
}

impl Messages {
    pub(super) fn has(&self, id: &str) -> bool {
        self.list.iter().any(|message| message.id == id)
    }

    /// Sets what tells the message `id`, which has grown since it was added.
    pub(super) fn sign(&mut self, id: &str, signature: Signature) {
        if let Some(message) = self.list.iter_mut().rev().find(|message| message.id == id) {
            message.signature = signature;
        }
    }

    /// The step of the response `id`.
    pub(super) fn step(&self, id: &str) -> Option<StepIndex> {
        self.list.iter().rev().find(|message| message.id == id)?.step
    }

    pub(super) fn add(
        &mut self,
        id: String,
        before: usize,
        step: Option<StepIndex>,
        signature: Signature,
    ) {
        self.list.push(Message { id, before, step, signature });
    }

    /// Where the last messages, which have these ids, are those before them once more: drops the
    /// repetition, gives the first ones the new ids, and returns the number of steps before the
    /// repetition.
    pub(super) fn fold_repetition(&mut self, ids: &[&str]) -> Option<usize> {
        let first = self.list.len().checked_sub(ids.len()).filter(|first| *first > 0)?;
        let (known, again) = self.list.split_at(first);
        let has_ids = again.iter().zip(ids).all(|(message, id)| message.id == **id);
        let told = |messages: &[Message]| -> Vec<usize> {
            let is_result = |at: &usize| messages[*at].signature == Signature::Results;
            (0..messages.len()).filter(|at| !is_result(at)).collect()
        };
        let (ours, theirs) = (told(known), told(again));
        let is_same = ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(a, b)| known[*a].signature == again[*b].signature);
        if ids.is_empty() || !has_ids || !is_same {
            return None;
        }
        let before = again[0].before;
        let mut again = self.list.split_off(first);
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            self.list[ours].id = std::mem::take(&mut again[theirs].id);
        }
        // Results stand with their calls; only their messages' new ids are of use.
        let of_results = |message: &Message| message.signature == Signature::Results;
        let known = std::mem::take(&mut self.list);
        let mut known = known.into_iter().filter(|message| !of_results(message));
        let mut behind = 0;
        for message in again {
            if of_results(&message) {
                self.list.push(Message { before: behind, ..message });
            } else if let Some(message) = known.next() {
                behind = message.step.map_or(message.before, |step| step.0) + 1;
                self.list.push(message);
            }
        }
        Some(before)
    }

    /// Drops the message `id` and those behind it, or all where it is not there; returns the
    /// first step that is gone.
    pub(super) fn back_to(&mut self, id: &str) -> usize {
        let at = self.list.iter().position(|message| message.id == id).unwrap_or(0);
        let to = self.list.get(at).map_or(usize::MAX, |message| message.before);
        self.list.truncate(at);
        to
    }

    /// Puts the messages with these ids in place. Returns what that means, and which of them
    /// are to be added.
    pub(super) fn change_to(&mut self, ids: &[&str]) -> (Change, Range<usize>) {
        let same = |(message, id): &(&Message, &&str)| message.id == **id;
        let front = self.list.iter().zip(ids).take_while(same).count();
        if front == self.list.len() {
            return (Change::Append, front..ids.len());
        }
        let rest = self.list.iter().rev().zip(ids.iter().rev());
        let back = rest.take(ids.len() - front).take_while(same).count();
        if front > 0 && back == 0 {
            let to = self.list[front].before;
            self.list.truncate(front);
            return (Change::Back { to }, front..ids.len());
        }
        let kept = self.list.split_off(self.list.len() - back);
        self.list.clear();
        let keep_from = kept.first().map(|message| message.before);
        self.kept = kept;
        (Change::Compact { keep_from }, 0..ids.len() - back)
    }

    /// Takes out what stays behind the messages that are added next.
    pub(super) fn take_kept(&mut self) -> KeptMessages {
        KeptMessages(std::mem::take(&mut self.kept))
    }

    /// Puts it behind them.
    pub(super) fn keep(&mut self, kept: KeptMessages) {
        self.list.extend(kept.0);
    }
}
