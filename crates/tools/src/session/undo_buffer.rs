//! What undo needs and no store may hold: contents with secrets, and what was seen when.

use std::collections::{BTreeSet, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_transcript::Handle;

/// Bytes that a session keeps in memory.
const UNDO_BYTES_MAX: usize = 32 << 20;

/// Handles of files that were seen before a change.
const SEEN_MAX: usize = 10_000;

/// What files held before a change, where that may not lie in a store. The oldest goes first.
#[derive(Default)]
pub(crate) struct UndoBuffer(Mutex<Contents>);

#[derive(Default)]
struct Contents {
    contents: VecDeque<(Handle, Arc<[u8]>)>,
    bytes: usize,
    /// Files as they were when all that was written over was seen, and is still known.
    seen: BTreeSet<Handle>,
}

impl UndoBuffer {
    /// Holds a content; false if it is too large.
    pub(crate) fn put(&self, handle: Handle, content: &[u8]) -> bool {
        if content.len() > UNDO_BYTES_MAX {
            return false;
        }
        let mut held = self.lock();
        if held.get(handle).is_none() {
            held.bytes += content.len();
            held.contents.push_back((handle, content.into()));
        }
        while held.bytes > UNDO_BYTES_MAX
            && let Some((_, oldest)) = held.contents.pop_front()
        {
            held.bytes -= oldest.len();
        }
        true
    }

    /// What is held under a handle.
    pub(crate) fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        self.lock().get(handle)
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

impl Contents {
    fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        let held = self.contents.iter().find(|(held, _)| *held == handle);
        held.map(|(_, content)| Arc::clone(content))
    }
}

impl fmt::Debug for UndoBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UndoBuffer").field("bytes", &self.lock().bytes).finish_non_exhaustive()
    }
}
