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

    /// The step of the response `id`.
    pub(super) fn step(&self, id: &str) -> Option<StepIndex> {
        self.list.iter().rev().find(|message| message.id == id)?.step
    }

    pub(super) fn add(&mut self, id: String, before: usize, step: Option<StepIndex>) {
        self.list.push(Message { id, before, step });
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
