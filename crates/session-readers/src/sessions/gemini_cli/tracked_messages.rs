//! Tracks the messages of the prompt by their ids.

use std::ops::Range;

use foveal_protocols::conversation_builder::StepIndex;

/// A message of the prompt.
struct TrackedMessage {
    id: String,
    /// The number of steps before it.
    steps_before: usize,
    /// The step of a response.
    step: Option<StepIndex>,
    signature: MessageSignature,
}

/// The content by which a message is recognised under a new id. Results are not compared, since the
/// client replaces old ones by shorter texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MessageSignature {
    /// A user message, with the hash of its text.
    User(u64),
    /// Results only.
    Results,
    /// A message of the model, with the ids of its calls.
    Model(Vec<String>),
}

/// The messages of the prompt, in order.
#[derive(Default)]
pub(super) struct TrackedMessages {
    list: Vec<TrackedMessage>,
    /// The messages behind those that a compaction puts in front.
    kept: Vec<TrackedMessage>,
}

/// Messages that a compaction keeps.
pub(super) struct KeptMessages(Vec<TrackedMessage>);

/// The effect of a new message list on the conversation. Steps are counted from 0.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum MessageListChange {
    /// The list extends the earlier one.
    Append,
    /// The last messages are gone.
    Rewind {
        /// The first step that is gone.
        to: usize,
    },
    /// The first messages are gone.
    Compact {
        /// The first step that stays.
        keep_from: Option<usize>,
    },
}

impl TrackedMessages {
    pub(super) fn contains_id(&self, id: &str) -> bool {
        self.list.iter().any(|message| message.id == id)
    }

    /// Sets the signature of the message `id`, which has grown since it was added.
    pub(super) fn set_signature(&mut self, id: &str, signature: MessageSignature) {
        if let Some(message) = self.list.iter_mut().rev().find(|message| message.id == id) {
            message.signature = signature;
        }
    }

    /// Returns the step of the response `id`.
    pub(super) fn response_step(&self, id: &str) -> Option<StepIndex> {
        self.list.iter().rev().find(|message| message.id == id)?.step
    }

    pub(super) fn add_message(
        &mut self,
        id: String,
        before: usize,
        step: Option<StepIndex>,
        signature: MessageSignature,
    ) {
        self.list.push(TrackedMessage { id, steps_before: before, step, signature });
    }

    /// Folds a repetition: the last messages, which have these ids, repeat the messages before
    /// them. Drops the repetition, gives the first messages the new ids, and returns the number of
    /// steps before the repetition.
    pub(super) fn fold_repetition(&mut self, ids: &[&str]) -> Option<usize> {
        let first = self.list.len().checked_sub(ids.len()).filter(|first| *first > 0)?;
        let (known, again) = self.list.split_at(first);
        let has_ids = again.iter().zip(ids).all(|(message, id)| message.id == **id);
        let told = |messages: &[TrackedMessage]| -> Vec<usize> {
            let is_result = |at: &usize| messages[*at].signature == MessageSignature::Results;
            (0..messages.len()).filter(|at| !is_result(at)).collect()
        };
        let (ours, theirs) = (told(known), told(again));
        let is_same = ours.len() == theirs.len()
            && ours.iter().zip(&theirs).all(|(a, b)| known[*a].signature == again[*b].signature);
        if ids.is_empty() || !has_ids || !is_same {
            return None;
        }
        let before = again[0].steps_before;
        let mut again = self.list.split_off(first);
        for (ours, theirs) in ours.into_iter().zip(theirs) {
            self.list[ours].id = std::mem::take(&mut again[theirs].id);
        }
        // Results belong to their calls; only the new ids of their messages are used.
        let of_results = |message: &TrackedMessage| message.signature == MessageSignature::Results;
        let known = std::mem::take(&mut self.list);
        let mut known = known.into_iter().filter(|message| !of_results(message));
        let mut behind = 0;
        for message in again {
            if of_results(&message) {
                self.list.push(TrackedMessage { steps_before: behind, ..message });
            } else if let Some(message) = known.next() {
                behind = message.step.map_or(message.steps_before, |step| step.0) + 1;
                self.list.push(message);
            }
        }
        Some(before)
    }

    /// Drops the message `id` and those behind it, or all messages if there is no such id. Returns
    /// the first step that is gone.
    pub(super) fn truncate_at_id(&mut self, id: &str) -> usize {
        let at = self.list.iter().position(|message| message.id == id).unwrap_or(0);
        let to = self.list.get(at).map_or(usize::MAX, |message| message.steps_before);
        self.list.truncate(at);
        to
    }

    /// Replaces the list by the messages with these ids. Returns the effect, and the range of
    /// messages to add.
    pub(super) fn replace_list(&mut self, ids: &[&str]) -> (MessageListChange, Range<usize>) {
        let same = |(message, id): &(&TrackedMessage, &&str)| message.id == **id;
        let front = self.list.iter().zip(ids).take_while(same).count();
        if front == self.list.len() {
            return (MessageListChange::Append, front..ids.len());
        }
        let rest = self.list.iter().rev().zip(ids.iter().rev());
        let back = rest.take(ids.len() - front).take_while(same).count();
        if front > 0 && back == 0 {
            let to = self.list[front].steps_before;
            self.list.truncate(front);
            return (MessageListChange::Rewind { to }, front..ids.len());
        }
        let kept = self.list.split_off(self.list.len() - back);
        self.list.clear();
        let keep_from = kept.first().map(|message| message.steps_before);
        self.kept = kept;
        (MessageListChange::Compact { keep_from }, 0..ids.len() - back)
    }

    /// Takes the kept messages out, so that others can be added in front.
    pub(super) fn take_kept_messages(&mut self) -> KeptMessages {
        KeptMessages(std::mem::take(&mut self.kept))
    }

    /// Appends the kept messages again.
    pub(super) fn append_kept_messages(&mut self, kept: KeptMessages) {
        self.list.extend(kept.0);
    }
}
