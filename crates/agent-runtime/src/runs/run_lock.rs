//! Locks a run, so that only one process at a time continues it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use foveal_store::SessionId;

/// The time that an ending holder is waited for.
const HOLDER_EXIT_TIME: Duration = Duration::from_secs(1);

/// The age at which lock files of killed processes are removed.
const STALE_AGE: Duration = Duration::from_secs(24 * 3_600);

/// The most lock files that are checked for their age.
const CHECKED_FILES_MAX: usize = 256;

/// The lock of the process that continues a run. The system releases it when the process ends, even
/// if it is killed.
#[derive(Debug)]
pub struct RunLock {
    path: PathBuf,
    _file: File,
}

/// The reason why a run cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum RunLockError {
    /// Another process holds the lock.
    #[error("another foveal process uses this session: wait until it ends, or start a new session")]
    Held,
    /// The lock file cannot be created or locked.
    #[error("the session cannot be locked: {0}")]
    Unusable(io::Error),
}

impl RunLock {
    /// Locks the run of `session`, with a file below the user's data folder.
    ///
    /// # Errors
    /// Returns [`RunLockError::Held`] if another process holds the lock.
    pub(crate) fn acquire(
        session: &SessionId,
        data_folder: Option<&Path>,
    ) -> Result<Self, RunLockError> {
        let folder = data_folder
            .map(|data| data.join("foveal"))
            .ok_or_else(|| RunLockError::Unusable(io::Error::other("set HOME or XDG_DATA_HOME")))?;
        let own = folder.join("runs");
        create_private_folder(&folder)
            .and_then(|()| create_private_folder(&own))
            .map_err(RunLockError::Unusable)?;
        remove_stale_files(&own);
        let name = blake3::hash(session.0.as_bytes()).to_hex();
        let path = own.join(format!("{}.lock", &name[..24]));
        let begin = Instant::now();
        loop {
            match Self::lock_file(&path) {
                // A process that was just killed may still hold the lock.
                Err(RunLockError::Held) if begin.elapsed() < HOLDER_EXIT_TIME => {
                    thread::sleep(HOLDER_EXIT_TIME / 20);
                }
                taken => return taken,
            }
        }
    }

    fn lock_file(path: &Path) -> Result<Self, RunLockError> {
        loop {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600);
            let file = options.open(path).map_err(RunLockError::Unusable)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(RunLockError::Held),
                Err(TryLockError::Error(error)) => return Err(RunLockError::Unusable(error)),
            }
            // An earlier holder may have removed the file after it was opened.
            if is_file_at(&file, path) {
                return Ok(Self { path: path.to_owned(), _file: file });
            }
        }
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        // The lock is still held, so the file cannot be that of another holder.
        drop(fs::remove_file(&self.path));
    }
}

/// Creates a folder (mode 0700) with its parents.
fn create_private_folder(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Returns whether an open file is still the one at `path`.
fn is_file_at(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(there)) = (file.metadata(), fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

/// Removes old lock files of killed processes.
fn remove_stale_files(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(CHECKED_FILES_MAX) {
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > STALE_AGE) {
            drop(RunLock::lock_file(&entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_at_a_time_and_nothing_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.lock");
        let held = RunLock::lock_file(&path).expect("it is free");
        assert!(matches!(RunLock::lock_file(&path), Err(RunLockError::Held)));
        let other = RunLock::lock_file(&folder.path().join("b.lock")).expect("another session");
        drop((held, other));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        drop(RunLock::lock_file(&path).expect("it is free again"));
        // A file without a lock, as a killed process leaves it, blocks no other.
        fs::write(&path, "").expect("it is ours");
        drop(RunLock::lock_file(&path).expect("nobody holds it"));
        assert!(!path.exists());
    }

    #[test]
    fn what_was_left_long_ago_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, held, new] = ["old", "held", "new"].map(|name| folder.path().join(name));
        for path in [&old, &held, &new] {
            fs::write(path, "").expect("it is ours");
        }
        let _lock = RunLock::lock_file(&held).expect("it is free");
        for path in [&old, &held] {
            let file = File::options().write(true).open(path).expect("it is there");
            file.set_modified(SystemTime::now() - 2 * STALE_AGE).expect("it is ours");
        }
        remove_stale_files(folder.path());
        assert!(!old.exists() && held.exists() && new.exists());
    }
}
