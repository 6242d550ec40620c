//! What undo needs and no store may hold: contents with secrets, and what was seen when.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_transcript::Handle;

use super::held_contents::HeldContents;

/// Bytes that a session keeps in memory.
const UNDO_BYTES_MAX: usize = 32 << 20;

/// Handles of files that were seen before a change.
const SEEN_MAX: usize = 10_000;

/// What files held before a change, where that may not lie in a store. The oldest goes first.
#[derive(Default)]
pub(crate) struct UndoBuffer(Mutex<Contents>);

struct Contents {
    held: HeldContents,
    /// Files as they were when all that was written over was seen, and is still known.
    seen: BTreeSet<Handle>,
}

impl Default for Contents {
    fn default() -> Self {
        Self { held: HeldContents::new(UNDO_BYTES_MAX), seen: BTreeSet::new() }
    }
}

impl UndoBuffer {
    /// Holds a content; false if it is too large.
    pub(crate) fn put(&self, handle: Handle, content: &[u8]) -> bool {
        self.lock().held.put(handle, content)
    }

    /// What is held under a handle.
    pub(crate) fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        self.lock().held.get(handle)
    }

    /// Notes that the model has seen all that a change wrote over in a file that held this.
    pub(crate) fn see(&self, handle: Handle) {
        let mut held = self.lock();
        if held.seen.len() == SEEN_MAX {
            held.seen.clear();
        }
        held.seen.insert(handle);
    }

    /// Whether that was noted, and is still known.
    pub(crate) fn is_seen(&self, handle: Handle) -> bool {
        self.lock().seen.contains(&handle)
    }

    /// What was seen is not known any more.
    pub(crate) fn forget_seen(&self) {
        self.lock().seen.clear();
    }

    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for UndoBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UndoBuffer")
            .field("bytes", &self.lock().held.bytes())
            .finish_non_exhaustive()
    }
}
