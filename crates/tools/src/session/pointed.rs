//! Reads that were answered with a pointer. The same read again right after it gives the whole
//! file.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::findings::ReadKey;

/// The reads of the last call that sent the reader to what stands above.
#[derive(Debug, Default)]
pub(crate) struct PointedReads(Mutex<LastCall>);

#[derive(Debug, Default)]
struct LastCall {
    /// The paths of the call where it was for several.
    together: Vec<String>,
    reads: Vec<ReadKey>,
}

impl PointedReads {
    /// The reads of the last call, if that was for these paths together. They are given once.
    pub(crate) fn take(&self, together: &[String]) -> Vec<ReadKey> {
        let last = std::mem::take(&mut *self.lock());
        if last.together == together { last.reads } else { Vec::new() }
    }

    /// The last call was for these paths together, and `reads` of it gave pointers.
    pub(crate) fn set(&self, together: &[String], reads: Vec<ReadKey>) {
        *self.lock() = LastCall { together: together.to_vec(), reads };
    }

    /// One more read of the last call gave a pointer.
    pub(crate) fn add(&self, read: ReadKey) {
        self.lock().reads.push(read);
    }

    /// Nothing was pointed at.
    pub(crate) fn clear(&self) {
        *self.lock() = LastCall::default();
    }

    fn lock(&self) -> MutexGuard<'_, LastCall> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
