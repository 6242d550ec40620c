//! The conversations that are held in memory, within bounds.

use std::collections::HashMap;

use foveal_transcript::{ContentHash, Timestamp};

use crate::conversation::Live;

/// What a conversation takes in memory, as a multiple of the bytes of its messages: its texts,
/// their lines and tokens. Measured by `examples/memory.rs`.
const BYTES_PER_BYTE: usize = 4;

/// Conversations by the end of what was planned last. The ones used longest ago go first.
#[derive(Debug)]
pub(crate) struct Held {
    by_end: HashMap<ContentHash, (Timestamp, Live)>,
    bytes: usize,
    bytes_max: usize,
    /// How long one stays that is not used, in milliseconds.
    idle_ms: i64,
}

impl Held {
    pub(crate) fn new(bytes_max: usize, idle_ms: i64) -> Self {
        Self { by_end: HashMap::new(), bytes: 0, bytes_max, idle_ms }
    }

    /// The longest of these ends (shortest first) that is held, with its conversation, which is
    /// held no longer.
    pub(crate) fn take(&mut self, ends: &[ContentHash]) -> Option<Live> {
        let end = ends.iter().rev().find(|end| self.by_end.contains_key(*end))?;
        self.remove(*end)
    }

    /// Holds a conversation, and lets others go for it.
    pub(crate) fn put(&mut self, live: Live, now: Timestamp) {
        let end = live.planned();
        drop(self.remove(end));
        self.bytes += weight(&live);
        self.by_end.insert(end, (now, live));
        let old: Vec<ContentHash> = self
            .by_end
            .iter()
            .filter(|(_, (used, _))| now.0.saturating_sub(used.0) > self.idle_ms)
            .map(|(end, _)| *end)
            .collect();
        for end in old {
            drop(self.remove(end));
        }
        while self.bytes > self.bytes_max && self.by_end.len() > 1 {
            let oldest = self.by_end.iter().filter(|(other, _)| **other != end);
            let Some(oldest) = oldest.min_by_key(|(_, (used, _))| *used).map(|(end, _)| *end)
            else {
                break;
            };
            drop(self.remove(oldest));
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.by_end.len()
    }

    fn remove(&mut self, end: ContentHash) -> Option<Live> {
        let (_, live) = self.by_end.remove(&end)?;
        self.bytes -= weight(&live);
        Some(live)
    }
}

fn weight(live: &Live) -> usize {
    live.bytes() * BYTES_PER_BYTE + (8 << 10)
}
