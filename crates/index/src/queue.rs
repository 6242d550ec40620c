//! Files that are to be looked at before all others: those that somebody reads.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Files that may wait; of more, those that came first are left to the next update.
pub const QUEUED_MAX: usize = 1_000;

/// Files that wait to be indexed, shared by those who put them in and the one index that
/// takes them out.
#[derive(Debug, Clone, Default)]
pub struct Queue(Arc<Mutex<VecDeque<PathBuf>>>);

impl Queue {
    /// Puts a file at the end; one that waits already keeps its place.
    pub fn push(&self, path: &Path) {
        let mut files = self.lock();
        if files.iter().any(|file| file == path) {
            return;
        }
        if files.len() == QUEUED_MAX {
            files.pop_front();
        }
        files.push_back(path.to_owned());
    }

    /// The file that waits longest.
    pub(crate) fn pop(&self) -> Option<PathBuf> {
        self.lock().pop_front()
    }

    /// The files that wait, which go on waiting.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.lock().iter().cloned().collect()
    }

    /// Takes `files` out, where they wait.
    pub(crate) fn remove(&self, files: &HashSet<PathBuf>) {
        self.lock().retain(|file| !files.contains(file));
    }

    /// All files that wait, taken out.
    pub(crate) fn take(&self) -> Vec<PathBuf> {
        self.lock().drain(..).collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
