//! The messages of a conversation's last request, with which the next request is compared.

use foveal_protocols::request_body::{RequestBody, RequestHistory};
use foveal_transcript::ContentHash;

use crate::fingerprint_chain::FingerprintChain;

/// The messages of a request in their bytes, and the fingerprint behind each.
#[derive(Debug, Clone)]
pub(crate) struct MessageHistory {
    history: RequestHistory,
    root: ContentHash,
    fingerprints: Vec<ContentHash>,
}

impl AsRef<RequestHistory> for MessageHistory {
    fn as_ref(&self) -> &RequestHistory {
        &self.history
    }
}

impl MessageHistory {
    /// Copies the messages of a body.
    pub(crate) fn from_body(body: &RequestBody, bytes: &[u8], chain: &FingerprintChain) -> Self {
        let fingerprints = chain.fingerprints.clone();
        Self { history: body.to_history(bytes), root: chain.root, fingerprints }
    }

    /// Returns the fingerprint of the empty prefix. Only under the same one the others are valid.
    pub(crate) fn root(&self) -> ContentHash {
        self.root
    }

    /// Replaces all messages but the first `alike`, which are equal in both, by those of a later
    /// body.
    pub(crate) fn advance(
        &mut self,
        body: &RequestBody,
        bytes: &[u8],
        chain: &FingerprintChain,
        alike: usize,
    ) {
        body.update_history(&mut self.history, bytes, alike);
        self.fingerprints.truncate(alike);
        self.fingerprints.extend_from_slice(&chain.fingerprints[alike..]);
    }

    /// Returns the fingerprints of the first `messages` messages.
    pub(crate) fn fingerprints(&self, messages: usize) -> &[ContentHash] {
        &self.fingerprints[..messages]
    }

    /// Returns the number of bytes that it holds.
    pub(crate) fn byte_count(&self) -> usize {
        self.history.byte_len()
    }
}
