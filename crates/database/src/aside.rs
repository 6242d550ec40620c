//! A file that is no database, or not one that can be used, is put away beside its place.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What SQLite keeps beside a file, and the file. Logs first: a file that is made anew must
/// not find the log of the one before.
const ENDINGS: [&str; 3] = ["-wal", "-shm", ""];

/// Which file it is, whatever its name. All are the same where the system does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// The file at `path`, if there is one.
    pub(crate) fn of(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from(&metadata))
    }

    #[cfg(unix)]
    fn from(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self(metadata.dev(), metadata.ino())
    }

    #[cfg(not(unix))]
    fn from(_: &Metadata) -> Self {
        Self(0, 0)
    }
}

/// Puts the file at `path` away with its log, if it still is `file`, to where `aside` says;
/// tells where it is now. What was there before is replaced. Of several processes that want it
/// gone one does it, and none touches what that one makes in its place.
///
/// # Errors
/// What the system says.
pub(crate) fn set_aside(
    path: &Path,
    file: Option<FileId>,
    aside: impl FnOnce() -> PathBuf,
) -> io::Result<Option<PathBuf>> {
    let opened = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    // Where files cannot be locked, two processes at the very same time may both do it.
    drop(opened.lock());
    if FileId::of(path) != file {
        return Ok(None);
    }
    // Some systems do not move a file that is open.
    let _kept = cfg!(unix).then_some(opened);
    let aside = aside();
    for ending in ENDINGS {
        unless_missing(fs::remove_file(with(&aside, ending)))?;
    }
    for ending in ENDINGS {
        unless_missing(fs::rename(with(path, ending), with(&aside, ending)))?;
    }
    Ok(Some(aside))
}

fn unless_missing(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The path with `more` at its end.
pub fn with(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(more);
    PathBuf::from(name)
}
