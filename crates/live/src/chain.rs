//! What a conversation is known by: the hash of its messages, one after the other.
//!
//! Two conversations have the same chain only as far as they say the same, whoever sends them. So
//! what is decided about one can never show in another, whatever a client claims to be; and a
//! client that goes back, or starts a second conversation from the middle of a first, is found at
//! the last message that both have.

use foveal_transcript::ContentHash;
use foveal_wire::Protocol;
use foveal_wire::body::Body;

use crate::recorder::Planned;

/// What changes when the same messages would no longer be decoded or decided about alike: then
/// nothing recorded fits any more, and all conversations are new.
const VERSION: &str = "foveal live 2";

/// The hashes of a conversation's beginnings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chain {
    /// Of no message.
    pub(crate) root: ContentHash,
    /// Of one message, of two, and so on.
    pub(crate) ends: Vec<ContentHash>,
}

impl Chain {
    /// The chain of a request's messages. The ends of the first ones may be `known`.
    pub(crate) fn of(
        root: ContentHash,
        (body, bytes): (&Body, &[u8]),
        known: &[ContentHash],
    ) -> Self {
        let mut ends = Vec::with_capacity(body.messages.len());
        ends.extend_from_slice(known);
        let mut end = known.last().copied().unwrap_or(root);
        for message in known.len()..body.messages.len() {
            end = next(end, body.fingerprint(bytes, message));
            ends.push(end);
        }
        Self { root, ends }
    }

    /// How many messages those requests had, ascending.
    pub(crate) fn lengths(&self, planned: &[Planned]) -> Vec<usize> {
        let mut at = 0;
        let lengths = planned.iter().filter_map(|planned| {
            at += self.ends[at..].iter().position(|end| *end == planned.end)? + 1;
            Some(at)
        });
        lengths.collect()
    }

    /// The end here of the messages that have this end in another chain of the same messages.
    pub(crate) fn end_for(&self, other: &Chain, end: ContentHash) -> ContentHash {
        let at = other.ends.iter().rposition(|known| *known == end);
        at.and_then(|at| self.ends.get(at)).copied().unwrap_or(end)
    }

    /// The end after so many messages.
    pub(crate) fn end(&self, messages: usize) -> ContentHash {
        match messages.checked_sub(1) {
            Some(last) => self.ends[last],
            None => self.root,
        }
    }
}

/// The end of no message. Decisions under different rules have nothing to do with each other, so that
/// the name of the rules is part of it.
pub(crate) fn root(protocol: Protocol, rules: &str) -> ContentHash {
    ContentHash::of(format!("{VERSION}\n{}\n{rules}", protocol.name()).as_bytes())
}

/// The end behind one more message with this fingerprint.
pub(crate) fn next(end: ContentHash, message: ContentHash) -> ContentHash {
    let mut both = [0; 64];
    both[..32].copy_from_slice(end.as_bytes());
    both[32..].copy_from_slice(message.as_bytes());
    ContentHash::of(&both)
}
