//! One writer at a time in each folder.

use std::collections::BTreeMap;
use std::io;
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::{Dir, MetadataExt as _};
use foveal_cancel::Cancel;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::error::WriteError;
use crate::roots::Located;

/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(10);

/// Time between two tries.
const PAUSE: Duration = Duration::from_millis(1);

/// The right to replace files in a folder, until it is dropped.
///
/// The lock is on the folder itself: there is nothing to be left behind, and every process that
/// reaches the folder, by whatever path, meets the same lock. Each holder opens the folder anew,
/// so that threads of one process exclude each other too.
#[derive(Debug)]
pub(super) struct Lock {
    dir: Dir,
}

impl Lock {
    pub(super) fn take(dir: Dir, shown: &str, cancel: &Cancel<'_>) -> Result<Self, WriteError> {
        Self::take_until(Instant::now() + PATIENCE, dir, shown, cancel)
    }

    fn take_until(
        until: Instant,
        dir: Dir,
        shown: &str,
        cancel: &Cancel<'_>,
    ) -> Result<Self, WriteError> {
        let path = || shown.to_owned();
        loop {
            match flock(&dir, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => return Ok(Self { dir }),
                Err(Errno::WOULDBLOCK | Errno::INTR) => {}
                // File systems without locks for folders: the comparison before the rename is
                // what is left.
                Err(Errno::NOTSUP | Errno::NOLCK | Errno::INVAL | Errno::NOSYS) => {
                    return Ok(Self { dir });
                }
                Err(error) => return Err(WriteError::of(shown, io::Error::from(error))),
            }
            if cancel.is_cancelled() {
                return Err(WriteError::Cancelled { path: path() });
            }
            if Instant::now() > until {
                return Err(WriteError::Busy { path: path() });
            }
            thread::sleep(PAUSE);
        }
    }

    /// The folder.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }
}

/// The folders of several files, all locked.
#[derive(Debug)]
pub(super) struct Locks {
    folders: Vec<Lock>,
    /// For each file, which of the folders it is in.
    places: Vec<usize>,
}

impl Locks {
    /// Locks each folder once, in an order that all writers keep, so that none waits for another
    /// that waits for it.
    pub(super) fn take(files: &[&Located], cancel: &Cancel<'_>) -> Result<Self, WriteError> {
        Self::take_until(Instant::now() + PATIENCE, files, cancel)
    }

    /// The same, if others who write there are done by `until`.
    pub(super) fn take_until(
        until: Instant,
        files: &[&Located],
        cancel: &Cancel<'_>,
    ) -> Result<Self, WriteError> {
        let mut dirs = BTreeMap::new();
        let mut keys = Vec::with_capacity(files.len());
        for located in files {
            let (dir, _) = located.parent()?;
            let folder = dir.dir_metadata().map_err(|error| located.failed(error))?;
            let key = (folder.dev(), folder.ino());
            dirs.entry(key).or_insert((dir, located.shown()));
            keys.push(key);
        }
        let place = |key: &(u64, u64)| dirs.keys().position(|known| known == key);
        let places = keys.iter().filter_map(place).collect();
        let lock = |(dir, shown)| Lock::take_until(until, dir, shown, cancel);
        let folders = dirs.into_values().map(lock).collect::<Result<_, _>>()?;
        Ok(Self { folders, places })
    }

    /// The folder of the file at `index`.
    pub(super) fn dir(&self, index: usize) -> &Dir {
        self.folders[self.places[index]].dir()
    }

    /// All folders.
    pub(super) fn dirs(&self) -> impl Iterator<Item = &Dir> {
        self.folders.iter().map(Lock::dir)
    }
}
