//! One process at a time goes on with a session.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use foveal_store::SessionId;

use crate::caches::make_private;
use crate::environment::Environment;

/// A holder that is about to end is waited for this long.
const GOING_TIME: Duration = Duration::from_secs(1);

/// Files of processes that were killed go after this time.
const LEFT_TIME: Duration = Duration::from_secs(24 * 3_600);

/// Such files that are looked at, at most.
const LOOKED_AT_MAX: usize = 256;

/// Held by the process that goes on with a session. The system lets go of it when the process ends,
/// however it does.
#[derive(Debug)]
pub(crate) struct Lock {
    path: PathBuf,
    _file: File,
}

/// Why a session cannot be held.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LockError {
    /// Another process holds it.
    #[error("another foveal works on this session: wait until it ends, or begin a new session")]
    Held,
    /// There is no place for the lock.
    #[error("the session cannot be held against other processes: {0}")]
    Unusable(io::Error),
}

impl Lock {
    /// Holds a session.
    ///
    /// # Errors
    /// [`LockError::Held`] where another process does.
    pub(crate) fn take(session: &SessionId, environment: &Environment) -> Result<Self, LockError> {
        let folder = environment.data_folder().map(|data| data.join("foveal"));
        let folder = folder
            .ok_or_else(|| LockError::Unusable(io::Error::other("set HOME or XDG_DATA_HOME")))?;
        let own = folder.join("runs");
        make_private(&folder).and_then(|()| make_private(&own)).map_err(LockError::Unusable)?;
        remove_left(&own);
        let name = blake3::hash(session.0.as_bytes()).to_hex();
        let path = own.join(format!("{}.lock", &name[..24]));
        let begin = Instant::now();
        loop {
            match Self::at(&path) {
                // A process that was killed just now may not have let go yet.
                Err(LockError::Held) if begin.elapsed() < GOING_TIME => {
                    thread::sleep(GOING_TIME / 20);
                }
                taken => return taken,
            }
        }
    }

    fn at(path: &Path) -> Result<Self, LockError> {
        loop {
            let mut options = OpenOptions::new();
            options.write(true).create(true).truncate(false).mode(0o600);
            let file = options.open(path).map_err(LockError::Unusable)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Err(LockError::Held),
                Err(TryLockError::Error(error)) => return Err(LockError::Unusable(error)),
            }
            // Whoever held it before may have removed it since it was opened.
            if is_at(&file, path) {
                return Ok(Self { path: path.to_owned(), _file: file });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is held: nobody else removes the file of another holder.
        drop(fs::remove_file(&self.path));
    }
}

/// Whether this file is the one at `path`.
fn is_at(file: &File, path: &Path) -> bool {
    let (Ok(own), Ok(there)) = (file.metadata(), fs::metadata(path)) else { return false };
    (own.dev(), own.ino()) == (there.dev(), there.ino())
}

/// Removes what killed processes left long ago.
fn remove_left(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten().take(LOOKED_AT_MAX) {
        let changed = entry.metadata().and_then(|data| data.modified());
        let age = changed.ok().and_then(|at| SystemTime::now().duration_since(at).ok());
        if age.is_some_and(|age| age > LEFT_TIME) {
            drop(Lock::at(&entry.path()));
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
        let held = Lock::at(&path).expect("it is free");
        assert!(matches!(Lock::at(&path), Err(LockError::Held)));
        let other = Lock::at(&folder.path().join("b.lock")).expect("another session");
        drop((held, other));
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
        drop(Lock::at(&path).expect("it is free again"));
        // A killed process leaves its file, which holds nobody up.
        fs::write(&path, "").expect("it is ours");
        drop(Lock::at(&path).expect("nobody holds it"));
        assert!(!path.exists());
    }

    #[test]
    fn what_was_left_long_ago_goes() {
        let folder = tempfile::tempdir().expect("a folder");
        let [old, held, new] = ["old", "held", "new"].map(|name| folder.path().join(name));
        for path in [&old, &held, &new] {
            fs::write(path, "").expect("it is ours");
        }
        let _lock = Lock::at(&held).expect("it is free");
        for path in [&old, &held] {
            let file = File::options().write(true).open(path).expect("it is there");
            file.set_modified(SystemTime::now() - 2 * LEFT_TIME).expect("it is ours");
        }
        remove_left(folder.path());
        assert!(!old.exists() && held.exists() && new.exists());
    }
}
