//! Unique ids of traces and spans.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::trace_parent::{SpanId, TraceId};

/// Generates ids: the hash of a counter, keyed by the operating system's random numbers.
#[derive(Debug, Default)]
pub(super) struct IdGenerator {
    key: RandomState,
    count: AtomicU64,
}

impl IdGenerator {
    /// Returns a pseudo-random number that is not 0.
    pub(super) fn next_number(&self) -> u64 {
        self.key.hash_one(self.count.fetch_add(1, Ordering::Relaxed)).max(1)
    }

    pub(super) fn next_trace_id(&self) -> TraceId {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.next_number().to_be_bytes());
        bytes[8..].copy_from_slice(&self.next_number().to_be_bytes());
        TraceId(bytes)
    }

    pub(super) fn next_span_id(&self) -> SpanId {
        SpanId(self.next_number().to_be_bytes())
    }
}
