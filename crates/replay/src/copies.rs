//! Requests that several recordings hold. A session that was copied or forked has the history of
//! the other in its own file; such a request was sent and paid once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use foveal_transcript::{Block, Conversation, Entry, EntryIndex, Mark, Role, Timestamp};

/// A recorded request, by its answer, what that was billed, and what came right before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RequestFingerprint(u64);

/// A conversation, by the order in which recordings are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationPlace {
    /// The file, from 0.
    pub file: usize,
    /// The conversation among those of its file, from 0.
    pub conversation: usize,
}

/// The conversation that each recorded request counts in: the one that noted it first, which is
/// the original, since some agents give copies the time of the copy.
#[derive(Debug, Default)]
pub struct RequestOwners {
    owners: HashMap<RequestFingerprint, (Timestamp, ConversationPlace)>,
}

impl RequestOwners {
    /// Adds the requests of a conversation. The order of calls does not matter.
    pub fn add(&mut self, place: ConversationPlace, conversation: &Conversation) {
        for answer in conversation.responses() {
            let Some(request) = fingerprint(conversation.entries(), answer) else { continue };
            let time = conversation.entry(answer).time.unwrap_or(Timestamp(i64::MAX));
            let own = (time, place);
            self.owners.entry(request).and_modify(|owner| *owner = own.min(*owner)).or_insert(own);
        }
    }

    /// Returns the answers of a conversation whose requests count in another one.
    pub fn copies(
        &self,
        place: ConversationPlace,
        conversation: &Conversation,
    ) -> HashSet<EntryIndex> {
        let is_copy = |answer: &EntryIndex| {
            fingerprint(conversation.entries(), *answer)
                .and_then(|request| self.owners.get(&request))
                .is_some_and(|(_, owner)| *owner != place)
        };
        conversation.responses().filter(is_copy).collect()
    }
}

/// Tokens of the shortest prompt that is compared: short conversations are alike by chance.
const PROMPT_TOKENS_MIN: u64 = 100;

/// Returns `None` where the recording does not tell what was billed: without that, runs of one
/// task could be taken for copies.
fn fingerprint(entries: &[Entry], answer: EntryIndex) -> Option<RequestFingerprint> {
    let entry = &entries[answer.at()];
    let usage = entry.usage.filter(|usage| usage.prompt() >= PROMPT_TOKENS_MIN)?;
    let mut hasher = DefaultHasher::new();
    (usage.input, usage.cache_read, usage.cache_write, usage.output).hash(&mut hasher);
    entry.model.hash(&mut hasher);
    add_blocks(entry, &mut hasher);
    let before = entries[..answer.at()].iter().rev();
    for entry in before.take_while(|entry| entry.role != Role::Assistant) {
        match entry.role {
            Role::User if entry.mark == Mark::None => add_blocks(entry, &mut hasher),
            // What a result holds may be shortened later; its call stays.
            Role::Tool => entry.result().map(|result| &result.call).hash(&mut hasher),
            Role::User | Role::System | Role::Assistant => {}
        }
    }
    Some(RequestFingerprint(hasher.finish()))
}

fn add_blocks(entry: &Entry, hasher: &mut DefaultHasher) {
    for block in &entry.blocks {
        match block {
            Block::Text(text) => text.hash(hasher),
            Block::Reasoning(text) => text.hash(hasher),
            Block::Call(call) => {
                (&call.id, &call.name, call.arguments.to_string()).hash(hasher);
            }
            Block::Result(result) => result.call.hash(hasher),
            Block::Opaque { kind, raw } => (kind, raw).hash(hasher),
        }
    }
}
