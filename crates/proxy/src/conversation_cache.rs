//! A bounded cache of conversations.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foveal_transcript::{ContentHash, Timestamp};

use crate::conversation_state::ConversationState;
use crate::message_history::MessageHistory;

/// The memory of a conversation per byte of its messages: texts, their lines and tokens. The
/// gateway's example `overhead` measures the memory of 1,000 conversations.
const MEMORY_PER_MESSAGE_BYTE: usize = 5;

/// The additional memory of each message, however short it is, in bytes.
const MEMORY_PER_MESSAGE: usize = 1 << 10;

/// The additional memory of each conversation, in bytes.
const MEMORY_PER_CONVERSATION: usize = 8 << 10;

/// The largest number of conversations with the same first message that a request is compared with.
const HISTORIES_COMPARED_MAX: usize = 8;

/// The number of conversations that may fill the whole cache: about as many as a user works on at a
/// time. A larger number has to share a quarter of it.
const ACTIVE_MAX: usize = 8;

/// The number of the latest conversations whose message history is kept. Without it, the new part
/// of a request takes longer to find, but the conversation takes a sixth less memory.
const HISTORIES_MAX: usize = 16;

/// A least-recently-used cache of conversations, by the fingerprint of their planned messages.
#[derive(Debug)]
pub(crate) struct ConversationCache {
    by_fingerprint: HashMap<ContentHash, CacheEntry>,
    /// The fingerprints of planned messages by that of the first message, most recently used last.
    by_first_message: HashMap<ContentHash, Vec<ContentHash>>,
    /// The fingerprints in the order of their use.
    order: BTreeMap<u64, ContentHash>,
    /// The histories of checked-out conversations, with the fingerprint of the first message.
    checked_out: Vec<(ContentHash, Arc<MessageHistory>)>,
    use_count: u64,
    bytes: usize,
    bytes_max: usize,
    /// The time after which an unused conversation is evicted, in milliseconds.
    idle_ms: i64,
}

#[derive(Debug)]
struct CacheEntry {
    conversation: ConversationState,
    memory: usize,
    used: u64,
    time: Timestamp,
    first: ContentHash,
}

impl ConversationCache {
    pub(crate) fn new(bytes_max: usize, idle_ms: i64) -> Self {
        let (by_fingerprint, by_first_message, order) =
            (HashMap::new(), HashMap::new(), BTreeMap::new());
        Self {
            by_fingerprint,
            by_first_message,
            order,
            checked_out: Vec::new(),
            use_count: 0,
            bytes: 0,
            bytes_max,
            idle_ms,
        }
    }

    /// Returns the histories of conversations with this first message, also of checked-out ones.
    pub(crate) fn histories(&self, first: ContentHash) -> Vec<Arc<MessageHistory>> {
        let lent = self.checked_out.iter().filter(|(of, _)| *of == first);
        let lent = lent.map(|(_, familiar)| Arc::clone(familiar));
        let ends = self.by_first_message.get(&first).into_iter().flatten().rev();
        let held =
            ends.filter_map(|end| self.by_fingerprint.get(end)?.conversation.history.clone());
        lent.chain(held).take(HISTORIES_COMPARED_MAX).collect()
    }

    /// Removes the conversation with the planned fingerprint `end` until it is inserted again. Its
    /// history stays available.
    pub(crate) fn check_out(
        &mut self,
        first: ContentHash,
        end: ContentHash,
    ) -> Option<ConversationState> {
        let live = self.remove(end)?;
        self.checked_out.extend(live.history.iter().map(|familiar| (first, Arc::clone(familiar))));
        Some(live)
    }

    /// Removes the conversation with the longest of these planned fingerprints (shortest first).
    pub(crate) fn take_longest(&mut self, ends: &[ContentHash]) -> Option<ConversationState> {
        let end = ends.iter().rev().find(|end| self.by_fingerprint.contains_key(*end))?;
        self.remove(*end)
    }

    /// Inserts a conversation with this first message. Returns those evicted conversations that
    /// have unrecorded steps.
    #[must_use = "what could not be kept of them is lost with them"]
    pub(crate) fn insert(
        &mut self,
        live: ConversationState,
        first: ContentHash,
        now: Timestamp,
    ) -> Vec<ConversationState> {
        let (end, weight) = (live.planned_fingerprint(), estimate_memory(&live));
        drop(self.remove(end));
        // Only one conversation with this first message is checked out or decided about at a time.
        self.checked_out.retain(|(of, _)| *of != first);
        let mut gone = Vec::new();
        self.use_count += 1;
        self.bytes += weight;
        self.order.insert(self.use_count, end);
        self.by_first_message.entry(first).or_default().push(end);
        self.by_fingerprint.insert(
            end,
            CacheEntry {
                conversation: live,
                memory: weight,
                used: self.use_count,
                time: now,
                first,
            },
        );
        self.drop_oldest_history();
        while let Some((_, oldest)) = self.order.first_key_value().map(|(used, end)| (*used, *end))
        {
            let is_idle =
                |one: &CacheEntry| now.0.saturating_sub(one.time.0) > self.idle_ms && oldest != end;
            let room = if self.conversation_count() > ACTIVE_MAX {
                self.bytes_max / 4
            } else {
                self.bytes_max
            };
            let is_too_much = self.bytes > room && oldest != end;
            if !is_too_much && !self.by_fingerprint.get(&oldest).is_some_and(is_idle) {
                break;
            }
            gone.extend(self.remove(oldest).filter(|live| !live.unrecorded.is_empty()));
        }
        gone
    }

    /// Drops the history of the conversation right behind the latest [`HISTORIES_MAX`].
    fn drop_oldest_history(&mut self) {
        let Some((_, end)) = self.order.iter().rev().nth(HISTORIES_MAX) else { return };
        let Some(one) = self.by_fingerprint.get_mut(end) else { return };
        one.conversation.history = None;
        let weight = estimate_memory(&one.conversation);
        self.bytes -= std::mem::replace(&mut one.memory, weight) - weight;
    }

    pub(crate) fn conversation_count(&self) -> usize {
        self.by_fingerprint.len()
    }

    fn remove(&mut self, end: ContentHash) -> Option<ConversationState> {
        let CacheEntry { conversation: live, memory: weight, used, first, .. } =
            self.by_fingerprint.remove(&end)?;
        self.order.remove(&used);
        if let Some(ends) = self.by_first_message.get_mut(&first) {
            ends.retain(|other| *other != end);
            if ends.is_empty() {
                self.by_first_message.remove(&first);
            }
        }
        self.bytes -= weight;
        Some(live)
    }
}

fn estimate_memory(live: &ConversationState) -> usize {
    let familiar = live.history.as_ref().map_or(0, |history| history.byte_count());
    live.texts.byte_count() * MEMORY_PER_MESSAGE_BYTE
        + familiar
        + live.message_count() * MEMORY_PER_MESSAGE
        + MEMORY_PER_CONVERSATION
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use foveal_protocols::Protocol;
    use foveal_transcript::{ContentHash, Timestamp};

    use super::{ACTIVE_MAX, ConversationCache, HISTORIES_MAX, MEMORY_PER_CONVERSATION};
    use crate::conversation_state::ConversationState;
    use crate::models::ModelTraits;
    use crate::request::{DecisionSlot, RequestReport, ShapeRequest};
    use crate::request_shaper::RequestShaper;
    use crate::rules::ShapingRules;

    fn shaper() -> RequestShaper {
        let rules = ShapingRules::from_profile("balanced").expect("a profile");
        RequestShaper::new(rules, Arc::new(crate::recorder::InMemoryRecorder::default()))
    }

    /// Returns a conversation after a request with one message, and the fingerprint of the message.
    fn conversation(shaper: &RequestShaper, text: &str) -> (ConversationState, ContentHash) {
        let body = format!(r#"{{"messages":[{{"role":"user","content":"{text}"}}]}}"#);
        let decision = DecisionSlot::default();
        let received = ShapeRequest {
            protocol: Protocol::Messages,
            counts_tokens: false,
            model: Some("claude-opus-4-5"),
            upstream: "",
            body: body.as_bytes(),
            now: Timestamp(0),
            profile_override: None,
            agents: &[],
            decision: &decision,
        };
        let request = shaper.read_request(&received, &mut RequestReport::default());
        let mut request = request.expect("a body").expect("a message");
        let model = request.model.clone();
        let mut live = ConversationState::new(&shaper.rules, model, request.first_fingerprint());
        live.update_history(&mut request);
        (live, request.first_fingerprint())
    }

    #[test]
    fn what_is_lent_is_known_all_the_same() {
        let (live, first) = conversation(&shaper(), "a");
        let end = live.planned_fingerprint();
        let mut held = ConversationCache::new(usize::MAX, i64::MAX);
        assert!(held.insert(live, first, Timestamp(0)).is_empty());
        let lent = held.check_out(first, end).expect("it is held");
        assert!(held.check_out(first, end).is_none() && held.conversation_count() == 0);
        assert_eq!(held.histories(first).len(), 1);
        assert!(held.insert(lent, first, Timestamp(0)).is_empty());
        assert_eq!((held.histories(first).len(), held.checked_out.len()), (1, 0));
    }

    #[test]
    fn of_the_latest_it_is_known_how_their_messages_came() {
        let shaper = shaper();
        let mut held = ConversationCache::new(usize::MAX, i64::MAX);
        let mut firsts = Vec::new();
        for at in 0..HISTORIES_MAX + 3 {
            let (live, first) = conversation(&shaper, &at.to_string());
            assert!(held.insert(live, first, Timestamp(0)).is_empty());
            firsts.push(first);
        }
        assert_eq!(held.conversation_count(), HISTORIES_MAX + 3);
        let known: Vec<usize> = firsts.iter().map(|first| held.histories(*first).len()).collect();
        assert_eq!(known[..3], [0; 3]);
        assert_eq!(known[3..], [1; HISTORIES_MAX]);
        let weights: usize = held.by_fingerprint.values().map(|one| one.memory).sum();
        assert_eq!(held.bytes, weights);
    }

    #[test]
    fn many_share_a_part_of_the_room_and_few_have_all_of_it() {
        let rules = ShapingRules::from_profile("balanced").expect("a profile");
        let model = ModelTraits::from_name("claude-opus-4-5", Protocol::Messages);
        // Each takes what a conversation without messages does.
        let left_of = |room: usize| {
            let mut held = ConversationCache::new(room * MEMORY_PER_CONVERSATION, i64::MAX);
            for at in 0..40_usize {
                let root = ContentHash::from_content(&at.to_le_bytes());
                let live = ConversationState::new(&rules, model.clone(), root);
                assert!(held.insert(live, root, Timestamp(0)).is_empty());
            }
            held.conversation_count()
        };
        assert_eq!(
            [40, ACTIVE_MAX + 2, ACTIVE_MAX - 2].map(left_of),
            [10, ACTIVE_MAX, ACTIVE_MAX - 2]
        );
    }
}
