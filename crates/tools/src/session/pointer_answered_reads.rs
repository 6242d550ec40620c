//! Reads that were answered with a pointer. The same read directly after it returns the whole file.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::findings::ReadKey;

/// The reads of the last call that were answered with a pointer.
#[derive(Debug, Default)]
pub(crate) struct PointerAnsweredReads(Mutex<LastReadCall>);

#[derive(Debug, Default)]
struct LastReadCall {
    /// The paths of the call, if it read several files.
    paths: Vec<String>,
    reads: Vec<ReadKey>,
}

impl PointerAnsweredReads {
    /// Removes and returns the reads of the last call, if it was for exactly these paths.
    pub(crate) fn take_if_repeated(&self, together: &[String]) -> Vec<ReadKey> {
        let last = std::mem::take(&mut *self.lock());
        if last.paths == together { last.reads } else { Vec::new() }
    }

    /// Replaces the last call: it was for these paths, and `reads` of it were answered with
    /// pointers.
    pub(crate) fn set(&self, together: &[String], reads: Vec<ReadKey>) {
        *self.lock() = LastReadCall { paths: together.to_vec(), reads };
    }

    /// Adds a read of the last call.
    pub(crate) fn add(&self, read: ReadKey) {
        self.lock().reads.push(read);
    }

    /// Removes all reads.
    pub(crate) fn remove_all(&self) {
        *self.lock() = LastReadCall::default();
    }

    fn lock(&self) -> MutexGuard<'_, LastReadCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
