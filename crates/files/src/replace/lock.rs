//! One writer at a time in a folder.

use std::io;
use std::thread;
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use foveal_cancel::Cancel;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::error::WriteError;

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
        let path = || shown.to_owned();
        let start = Instant::now();
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
            if start.elapsed() > PATIENCE {
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
