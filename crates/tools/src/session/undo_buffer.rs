//! The undo data that must not be in a store: contents with secrets, and which files were fully
//! seen.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_transcript::Handle;

use super::content_buffer::ContentBuffer;

/// Bytes of contents in memory.
const UNDO_BYTES_MAX: usize = 32 << 20;

/// Handles of fully seen contents.
const FULL_VIEWS_MAX: usize = 10_000;

/// File contents from before changes that must not be in a store. The oldest is dropped first.
#[derive(Default)]
pub(crate) struct UndoBuffer(Mutex<UndoContents>);

struct UndoContents {
    held: ContentBuffer,
    /// Contents of which the model has seen all that a change overwrote.
    full_views: BTreeSet<Handle>,
}

impl Default for UndoContents {
    fn default() -> Self {
        Self { held: ContentBuffer::new(UNDO_BYTES_MAX), full_views: BTreeSet::new() }
    }
}

impl UndoBuffer {
    /// Adds a content; returns false if it is too large.
    pub(crate) fn put(&self, handle: Handle, content: &[u8]) -> bool {
        self.lock().held.put(handle, content)
    }

    /// Returns the content of a handle.
    pub(crate) fn get(&self, handle: Handle) -> Option<Arc<[u8]>> {
        self.lock().held.get(handle)
    }

    /// Records that the model has seen all that a change overwrote in this content.
    pub(crate) fn record_full_view(&self, handle: Handle) {
        let mut held = self.lock();
        if held.full_views.len() == FULL_VIEWS_MAX {
            held.full_views.clear();
        }
        held.full_views.insert(handle);
    }

    /// Returns whether the model has seen all that a change overwrote in this content.
    pub(crate) fn has_full_view(&self, handle: Handle) -> bool {
        self.lock().full_views.contains(&handle)
    }

    /// Forgets the full views.
    pub(crate) fn remove_full_views(&self) {
        self.lock().full_views.clear();
    }

    fn lock(&self) -> MutexGuard<'_, UndoContents> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for UndoBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UndoBuffer")
            .field("bytes", &self.lock().held.byte_count())
            .finish_non_exhaustive()
    }
}
