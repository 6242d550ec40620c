//! Folder locks: one writer at a time in each folder.

use std::collections::BTreeMap;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, MetadataExt as _};
use foveal_transcript::CancelToken;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::error::WriteError;
use crate::roots::ResolvedPath;

/// The longest wait for another writer.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The time between two attempts.
const RETRY_INTERVAL: Duration = Duration::from_millis(1);

/// The exclusive right to replace files in a folder, until it is dropped.
///
/// The lock is on the folder itself: no lock file can be left behind, and every process that
/// reaches the folder, by whatever path, meets the same lock. Each holder opens the folder anew, so
/// that threads of one process exclude each other too.
#[derive(Debug)]
pub(super) struct FolderLock {
    dir: Dir,
}

impl FolderLock {
    pub(super) fn acquire(
        dir: Dir,
        shown: &str,
        cancel: &CancelToken<'_>,
    ) -> Result<Self, WriteError> {
        Self::acquire_until(Instant::now() + LOCK_TIMEOUT, dir, shown, cancel)
    }

    fn acquire_until(
        until: Instant,
        dir: Dir,
        shown: &str,
        cancel: &CancelToken<'_>,
    ) -> Result<Self, WriteError> {
        let path = || shown.to_owned();
        loop {
            match flock(&dir, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { dir }),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                // On file systems without folder locks, the comparison before the rename is the
                // only protection.
                Err(Errno::NOTSUP | Errno::NOLCK | Errno::INVAL | Errno::NOSYS) => {
                    return Ok(Self { dir });
                }
                Err(error) => return Err(WriteError::from_io(shown, io::Error::from(error))),
            }
            if cancel.is_cancelled() {
                return Err(WriteError::Cancelled { path: path() });
            }
            if Instant::now() > until {
                return Err(WriteError::Busy { path: path() });
            }
            thread::sleep(RETRY_INTERVAL);
        }
    }

    /// Returns the locked folder.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }
}

/// Locks on the folders of several files.
#[derive(Debug)]
pub(super) struct FolderLocks {
    folders: Vec<FolderLock>,
    /// For each file, the index of its folder.
    folder_indices: Vec<usize>,
}

impl FolderLocks {
    /// Locks each folder once, in an order common to all writers, which prevents deadlocks.
    pub(super) fn acquire(
        files: &[&ResolvedPath],
        cancel: &CancelToken<'_>,
    ) -> Result<Self, WriteError> {
        Self::acquire_until(Instant::now() + LOCK_TIMEOUT, files, cancel)
    }

    /// Locks each folder once, waiting for other writers until `until`.
    pub(super) fn acquire_until(
        until: Instant,
        files: &[&ResolvedPath],
        cancel: &CancelToken<'_>,
    ) -> Result<Self, WriteError> {
        let mut dirs = BTreeMap::new();
        let mut keys = Vec::with_capacity(files.len());
        for located in files {
            let (dir, _) = located.open_parent()?;
            let folder = dir.dir_metadata().map_err(|error| located.path_error(error))?;
            let key = (folder.dev(), folder.ino());
            dirs.entry(key).or_insert((dir, located.display_path()));
            keys.push(key);
        }
        let place = |key: &(u64, u64)| dirs.keys().position(|known| known == key);
        let places = keys.iter().filter_map(place).collect();
        let lock = |(dir, shown)| FolderLock::acquire_until(until, dir, shown, cancel);
        let folders = dirs.into_values().map(lock).collect::<Result<_, _>>()?;
        Ok(Self { folders, folder_indices: places })
    }

    /// Returns the folder of the file at `index`.
    pub(super) fn dir(&self, index: usize) -> &Dir {
        self.folders[self.folder_indices[index]].dir()
    }

    /// Iterates over all folders.
    pub(super) fn dirs(&self) -> impl Iterator<Item = &Dir> {
        self.folders.iter().map(FolderLock::dir)
    }
}
