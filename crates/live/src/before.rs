//! The request before, for each conversation: where a client changed what it had sent.

use std::collections::HashMap;
use std::ops::Range;

use foveal_transcript::{ContentHash, Timestamp};
use foveal_wire::body::Body;

use crate::chain::Chain;
use crate::request::{Changed, Departed};

/// Conversations whose last request is known, at most; the ones longest ago go first.
const CONVERSATIONS_MAX: usize = 4_096;

/// Messages of all of them that are known, at most, where there is more than one.
const MESSAGES_MAX: usize = 1 << 18;

/// The last request of each conversation, by its name.
#[derive(Debug, Default)]
pub(crate) struct Before {
    seen: HashMap<String, Seen>,
    /// Messages of all of them.
    messages: usize,
}

/// What tells one request from the next.
#[derive(Debug)]
struct Seen {
    time: Timestamp,
    model: Option<String>,
    system: u64,
    tools: u64,
    /// The chain's end behind each message, and its length in bytes.
    messages: Vec<(u64, usize)>,
}

impl Before {
    /// Where a request departs from the one before it of the conversation `name`; `None` where it
    /// continues it, or none is known. It is the one before from then on.
    pub(crate) fn depart(
        &mut self,
        name: &str,
        model: Option<&str>,
        (body, bytes): (&Body, &[u8]),
        chain: &Chain,
        now: Timestamp,
    ) -> Option<Departed> {
        let hash = |part: &Option<Range<usize>>| {
            short(ContentHash::of(&bytes[part.clone().unwrap_or_default()]))
        };
        let messages = chain.ends.iter().zip(&body.messages);
        let seen = Seen {
            time: now,
            model: model.map(str::to_owned),
            system: hash(&body.system),
            tools: hash(&body.tools),
            messages: messages.map(|(end, range)| (short(*end), range.len())).collect(),
        };
        let departed = self.remove(name).and_then(|before| before.departed(&seen, body));
        self.put(name, seen);
        departed
    }

    fn put(&mut self, name: &str, seen: Seen) {
        let messages = seen.messages.len();
        while self.seen.len() >= CONVERSATIONS_MAX
            || (self.messages + messages > MESSAGES_MAX && !self.seen.is_empty())
        {
            let oldest = self.seen.iter().min_by_key(|(_, seen)| seen.time);
            let oldest = oldest.map(|(name, _)| name.clone());
            oldest.and_then(|oldest| self.remove(&oldest));
        }
        self.messages += messages;
        self.seen.insert(name.to_owned(), seen);
    }

    fn remove(&mut self, name: &str) -> Option<Seen> {
        let seen = self.seen.remove(name)?;
        self.messages -= seen.messages.len();
        Some(seen)
    }
}

impl Seen {
    fn departed(&self, next: &Self, body: &Body) -> Option<Departed> {
        let pairs = self.messages.iter().zip(&next.messages);
        let same = pairs.take_while(|(before, now)| before.0 == now.0).count();
        let changed = if self.model != next.model {
            Changed::Model
        } else if self.tools != next.tools {
            Changed::Tools
        } else if self.system != next.system {
            Changed::System
        } else if same < self.messages.len() {
            Changed::Message
        } else {
            return None;
        };
        let is_message = changed == Changed::Message;
        let place = body.messages.get(same).filter(|_| is_message).cloned();
        Some(Departed {
            changed,
            messages: if is_message { same as u64 } else { 0 },
            tokens: 0,
            bytes: place,
            bytes_before: self.messages.get(same).filter(|_| is_message).map(|it| it.1 as u64),
        })
    }
}

/// Enough of a hash to tell requests of one conversation apart.
fn short(hash: ContentHash) -> u64 {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(time: i64, messages: usize) -> Seen {
        let messages = vec![(1, 1); messages];
        Seen { time: Timestamp(time), model: None, system: 0, tools: 0, messages }
    }

    #[test]
    fn long_conversations_are_fewer_and_the_oldest_go_first() {
        let mut before = Before::default();
        for time in 0..100 {
            before.put(&time.to_string(), seen(time, MESSAGES_MAX / 10));
        }
        assert_eq!(before.seen.len(), 10);
        assert!(before.seen.contains_key("99") && !before.seen.contains_key("89"));
        before.put("long", seen(100, 2 * MESSAGES_MAX));
        assert_eq!((before.seen.len(), before.messages), (1, 2 * MESSAGES_MAX));
        for time in 0..2 * CONVERSATIONS_MAX as i64 {
            before.put(&time.to_string(), seen(200 + time, 1));
        }
        assert_eq!((before.seen.len(), before.messages), (CONVERSATIONS_MAX, CONVERSATIONS_MAX));
    }
}
