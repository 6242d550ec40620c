//! The queue of files that are indexed before all others, because an agent just read them.

use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The number of queued files. Further files displace the oldest, which the next update handles.
pub const QUEUED_FILES_MAX: usize = 1_000;

/// The files to index first, shared by those that add files and the one index that takes them.
#[derive(Debug, Clone, Default)]
pub struct FileQueue(Arc<Mutex<VecDeque<PathBuf>>>);

impl FileQueue {
    /// Adds a file at the end. A queued file keeps its place.
    pub fn push(&self, path: &Path) {
        let mut files = self.lock();
        if files.iter().any(|file| file == path) {
            return;
        }
        if files.len() == QUEUED_FILES_MAX {
            files.pop_front();
        }
        files.push_back(path.to_owned());
    }

    /// Takes the file that has waited longest.
    pub(crate) fn pop(&self) -> Option<PathBuf> {
        self.lock().pop_front()
    }

    /// Returns the queued files, which stay queued.
    pub(crate) fn paths(&self) -> Vec<PathBuf> {
        self.lock().iter().cloned().collect()
    }

    /// Removes `files` from the queue.
    pub(crate) fn remove(&self, files: &HashSet<PathBuf>) {
        self.lock().retain(|file| !files.contains(file));
    }

    /// Takes all queued files.
    pub(crate) fn drain_files(&self) -> Vec<PathBuf> {
        self.lock().drain(..).collect()
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<PathBuf>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
