//! The messages of a conversation's last request, as the next one is compared with them.

use foveal_transcript::ContentHash;
use foveal_wire::body::{Body, History};

use crate::chain::Chain;

/// The messages of a request, in their bytes, and the ends of the chain behind each.
#[derive(Debug, Clone)]
pub(crate) struct Familiar {
    history: History,
    ends: Vec<ContentHash>,
}

impl AsRef<History> for Familiar {
    fn as_ref(&self) -> &History {
        &self.history
    }
}

impl Familiar {
    /// Those of a body.
    pub(crate) fn of(body: &Body, bytes: &[u8], chain: &Chain) -> Self {
        Self { history: body.history(bytes), ends: chain.ends.clone() }
    }

    /// Becomes that of a later body, whose first `alike` messages are its own in the same bytes.
    pub(crate) fn go_on(&mut self, body: &Body, bytes: &[u8], chain: &Chain, alike: usize) {
        body.go_on(&mut self.history, bytes, alike);
        self.ends.truncate(alike);
        self.ends.extend_from_slice(&chain.ends[alike..]);
    }

    /// The ends of the chain behind its first messages.
    pub(crate) fn ends(&self, messages: usize) -> &[ContentHash] {
        &self.ends[..messages]
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.history.bytes()
    }
}
