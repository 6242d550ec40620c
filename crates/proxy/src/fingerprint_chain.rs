//! The fingerprint chain that identifies a conversation: one hash for each prefix of its messages.
//!
//! Two conversations share fingerprints only as far as their messages are equal, whichever client
//! sends them. A decision about one conversation can therefore never show in another, whatever a
//! client claims to be. A client that goes back, or that forks a conversation in the middle, is
//! found at the last message that both have.

use foveal_protocols::Protocol;
use foveal_protocols::request_body::RequestBody;
use foveal_transcript::ContentHash;

use crate::recorder::PlannedStep;

/// The version of decoding and decisions. A change of it invalidates every record: all
/// conversations are new then.
const VERSION: &str = "foveal live 2";

/// The fingerprints of all prefixes of a conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FingerprintChain {
    /// The fingerprint of the empty prefix.
    pub(crate) root: ContentHash,
    /// The fingerprint of one message, of two, and so on.
    pub(crate) fingerprints: Vec<ContentHash>,
}

impl FingerprintChain {
    /// Computes the chain of a request's messages. `known` holds the fingerprints of the first
    /// ones.
    pub(crate) fn from_messages(
        root: ContentHash,
        body: &RequestBody,
        bytes: &[u8],
        known: &[ContentHash],
    ) -> Self {
        let mut fingerprints = Vec::with_capacity(body.messages.len());
        fingerprints.extend_from_slice(known);
        let mut end = known.last().copied().unwrap_or(root);
        for message in known.len()..body.messages.len() {
            end = append_fingerprint(end, body.message_fingerprint(bytes, message));
            fingerprints.push(end);
        }
        Self { root, fingerprints }
    }

    /// Returns the number of messages of each of these requests, ascending.
    pub(crate) fn message_counts(&self, planned: &[PlannedStep]) -> Vec<usize> {
        let mut at = 0;
        let lengths = planned.iter().filter_map(|planned| {
            at += self.fingerprints[at..].iter().position(|end| *end == planned.fingerprint)? + 1;
            Some(at)
        });
        lengths.collect()
    }

    /// Returns this chain's fingerprint of the prefix that has the fingerprint `end` in `other`, a
    /// chain of the same messages.
    pub(crate) fn translate_fingerprint(
        &self,
        other: &FingerprintChain,
        end: ContentHash,
    ) -> ContentHash {
        let at = other.fingerprints.iter().rposition(|known| *known == end);
        at.and_then(|at| self.fingerprints.get(at)).copied().unwrap_or(end)
    }

    /// Returns the fingerprint of the first `messages` messages.
    pub(crate) fn fingerprint_at(&self, messages: usize) -> ContentHash {
        match messages.checked_sub(1) {
            Some(last) => self.fingerprints[last],
            None => self.root,
        }
    }
}

/// Returns the fingerprint of the empty prefix. It contains the name of the rules, because
/// decisions under different rules are independent of each other.
pub(crate) fn root_fingerprint(protocol: Protocol, rules: &str) -> ContentHash {
    ContentHash::from_content(format!("{VERSION}\n{}\n{rules}", protocol.name()).as_bytes())
}

/// Returns the fingerprint of a prefix that is longer by one message with the fingerprint
/// `message`.
pub(crate) fn append_fingerprint(end: ContentHash, message: ContentHash) -> ContentHash {
    let mut both = [0; 64];
    both[..32].copy_from_slice(end.as_bytes());
    both[32..].copy_from_slice(message.as_bytes());
    ContentHash::from_content(&both)
}
