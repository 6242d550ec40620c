//! Names of traces and spans that nobody else has.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::trace_parent::{SpanId, TraceId};

/// Makes names: a count, keyed with what the system gave by chance at the start.
#[derive(Debug, Default)]
pub(super) struct Ids {
    key: RandomState,
    count: AtomicU64,
}

impl Ids {
    /// A number by chance that is not 0.
    pub(super) fn number(&self) -> u64 {
        self.key.hash_one(self.count.fetch_add(1, Ordering::Relaxed)).max(1)
    }

    pub(super) fn trace(&self) -> TraceId {
        let mut bytes = [0; 16];
        bytes[..8].copy_from_slice(&self.number().to_be_bytes());
        bytes[8..].copy_from_slice(&self.number().to_be_bytes());
        TraceId(bytes)
    }

    pub(super) fn span(&self) -> SpanId {
        SpanId(self.number().to_be_bytes())
    }
}
