//! Requests that several recordings hold. A copied or forked session has the history of the
//! original in its own file; such a request was sent and paid for once.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use foveal_transcript::{
    ContentBlock, Conversation, EntryIndex, EntryMark, MessageRole, Timestamp, TranscriptEntry,
};

/// Identifies a recorded request by its answer, its usage, and the messages right before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct RequestFingerprint(u64);

/// The place of a conversation in the order in which recordings are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConversationPlace {
    /// The file, from 0.
    pub file: usize,
    /// The conversation among those of its file, from 0.
    pub conversation: usize,
}

/// The conversation that each recorded request counts in: the one with the earliest time, which is
/// the original. Some agents give copies the time of the copy.
#[derive(Debug, Default)]
pub struct RequestOwners {
    owners: HashMap<RequestFingerprint, (Timestamp, ConversationPlace)>,
}

impl RequestOwners {
    /// Adds the requests of a conversation. The order of the calls does not matter.
    pub fn add(&mut self, place: ConversationPlace, conversation: &Conversation) {
        for answer in conversation.response_indices() {
            let Some(request) = fingerprint(conversation.entries(), answer) else { continue };
            let time = conversation.entry(answer).time.unwrap_or(Timestamp(i64::MAX));
            let own = (time, place);
            self.owners.entry(request).and_modify(|owner| *owner = own.min(*owner)).or_insert(own);
        }
    }

    /// Returns the answers of a conversation whose requests count in another one.
    pub fn copied_answers(
        &self,
        place: ConversationPlace,
        conversation: &Conversation,
    ) -> HashSet<EntryIndex> {
        let is_copy = |answer: &EntryIndex| {
            fingerprint(conversation.entries(), *answer)
                .and_then(|request| self.owners.get(&request))
                .is_some_and(|(_, owner)| *owner != place)
        };
        conversation.response_indices().filter(is_copy).collect()
    }
}

/// Tokens of the shortest prompt that is compared; shorter conversations are alike by chance.
const PROMPT_TOKENS_MIN: u64 = 100;

/// Returns `None` if the recording has no usage: without it, several runs of one task could pass
/// for copies.
fn fingerprint(entries: &[TranscriptEntry], answer: EntryIndex) -> Option<RequestFingerprint> {
    let entry = &entries[answer.as_usize()];
    let usage = entry.usage.filter(|usage| usage.prompt_tokens() >= PROMPT_TOKENS_MIN)?;
    let mut hasher = DefaultHasher::new();
    (usage.input, usage.cache_read, usage.cache_write, usage.output).hash(&mut hasher);
    entry.model.hash(&mut hasher);
    add_blocks(entry, &mut hasher);
    let before = entries[..answer.as_usize()].iter().rev();
    for entry in before.take_while(|entry| entry.role != MessageRole::Assistant) {
        match entry.role {
            MessageRole::User if entry.mark == EntryMark::None => add_blocks(entry, &mut hasher),
            // A result may be shortened later; its call id stays.
            MessageRole::Tool => entry.tool_result().map(|result| &result.call).hash(&mut hasher),
            MessageRole::User | MessageRole::System | MessageRole::Assistant => {}
        }
    }
    Some(RequestFingerprint(hasher.finish()))
}

fn add_blocks(entry: &TranscriptEntry, hasher: &mut DefaultHasher) {
    for block in &entry.blocks {
        match block {
            ContentBlock::Text(text) => text.hash(hasher),
            ContentBlock::Reasoning(text) => text.hash(hasher),
            ContentBlock::Call(call) => {
                (&call.id, &call.name, call.arguments.to_string()).hash(hasher);
            }
            ContentBlock::Result(result) => result.call.hash(hasher),
            ContentBlock::Opaque { kind, raw } => (kind, raw).hash(hasher),
        }
    }
}
