//! The last request of each conversation, to detect where a client changed what it had sent.

use std::collections::HashMap;

use foveal_protocols::request_body::RequestBody;
use foveal_transcript::{ContentHash, Timestamp};

use crate::request::{ChangedPart, PrefixDivergence};
use crate::request_context::RequestContext;

/// The largest number of conversations; the oldest ones are evicted first.
const CONVERSATIONS_MAX: usize = 4_096;

/// The largest number of messages of all conversations together, unless one alone has more.
const MESSAGES_MAX: usize = 1 << 18;

/// The last request of each conversation, by conversation name.
#[derive(Debug, Default)]
pub(crate) struct LastRequests {
    requests: HashMap<String, LastRequest>,
    /// Messages of all requests together.
    message_count: usize,
}

/// The parts of a request by which the next one is compared with it.
#[derive(Debug)]
struct LastRequest {
    time: Timestamp,
    model: Option<String>,
    system: u64,
    tools: u64,
    /// The shortened fingerprint behind each message, and the message's length in bytes.
    messages: Vec<(u64, usize)>,
}

impl LastRequests {
    /// Returns where a request diverges from the previous one of the conversation `name`, and
    /// remembers it for the next call. `None` if it continues the previous one, or if none is
    /// known.
    pub(crate) fn detect_divergence(
        &mut self,
        name: &str,
        model: Option<&str>,
        request: &RequestContext<'_>,
    ) -> Option<PrefixDivergence> {
        let messages = request.chain.fingerprints.iter().zip(&request.body.messages);
        let seen = LastRequest {
            time: request.received.now,
            model: model.map(str::to_owned),
            system: short_hash(request.prelude.system),
            tools: short_hash(request.prelude.tools),
            messages: messages.map(|(end, range)| (short_hash(*end), range.len())).collect(),
        };
        let before = self.remove(name);
        let departed = before.and_then(|before| before.divergence(&seen, &request.body));
        self.insert(name, seen);
        departed
    }

    fn insert(&mut self, name: &str, seen: LastRequest) {
        let messages = seen.messages.len();
        while self.requests.len() >= CONVERSATIONS_MAX
            || (self.message_count + messages > MESSAGES_MAX && !self.requests.is_empty())
        {
            let oldest = self.requests.iter().min_by_key(|(_, seen)| seen.time);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.remove(&oldest));
        }
        self.message_count += messages;
        self.requests.insert(name.to_owned(), seen);
    }

    fn remove(&mut self, name: &str) -> Option<LastRequest> {
        let seen = self.requests.remove(name)?;
        self.message_count -= seen.messages.len();
        Some(seen)
    }
}

impl LastRequest {
    fn divergence(&self, next: &Self, body: &RequestBody) -> Option<PrefixDivergence> {
        let pairs = self.messages.iter().zip(&next.messages);
        let same = pairs.take_while(|(before, now)| before.0 == now.0).count();
        let changed = if self.model != next.model {
            ChangedPart::Model
        } else if self.tools != next.tools {
            ChangedPart::Tools
        } else if self.system != next.system {
            ChangedPart::System
        } else if same < self.messages.len() {
            ChangedPart::Message
        } else {
            return None;
        };
        let is_message = changed == ChangedPart::Message;
        let place = body.messages.get(same).filter(|_| is_message).cloned();
        Some(PrefixDivergence {
            changed,
            messages: if is_message { same as u64 } else { 0 },
            tokens: 0,
            bytes: place,
            bytes_before: self.messages.get(same).filter(|_| is_message).map(|it| it.1 as u64),
        })
    }
}

/// Returns the first 8 bytes of a hash: enough to tell requests of one conversation apart.
fn short_hash(hash: ContentHash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(time: i64, messages: usize) -> LastRequest {
        let messages = vec![(1, 1); messages];
        LastRequest { time: Timestamp(time), model: None, system: 0, tools: 0, messages }
    }

    #[test]
    fn long_conversations_are_fewer_and_the_oldest_go_first() {
        let mut before = LastRequests::default();
        for time in 0..100 {
            before.insert(&time.to_string(), seen(time, MESSAGES_MAX / 10));
        }
        assert_eq!(before.requests.len(), 10);
        assert!(before.requests.contains_key("99") && !before.requests.contains_key("89"));
        before.insert("long", seen(100, 2 * MESSAGES_MAX));
        assert_eq!((before.requests.len(), before.message_count), (1, 2 * MESSAGES_MAX));
        for time in 0..2 * CONVERSATIONS_MAX as i64 {
            before.insert(&time.to_string(), seen(200 + time, 1));
        }
        assert_eq!(
            (before.requests.len(), before.message_count),
            (CONVERSATIONS_MAX, CONVERSATIONS_MAX)
        );
    }
}
