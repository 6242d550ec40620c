//! The quarantine: the place beside a database for a file that cannot be used.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The suffixes of SQLite's side files and of the database itself. The logs come first: a new
/// database must not find the log of the previous one.
const QUARANTINED_SUFFIXES: [&str; 3] = ["-wal", "-shm", ""];

/// The identity of a file, independent of its name. All files are equal where the system has no
/// such identity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileId(u64, u64);

impl FileId {
    /// Returns the identity of the file at `path`, or `None` if there is no file.
    pub(crate) fn from_path(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|metadata| Self::from_metadata(&metadata))
    }

    #[cfg(unix)]
    fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        Self(metadata.dev(), metadata.ino())
    }

    #[cfg(not(unix))]
    fn from_metadata(_: &Metadata) -> Self {
        Self(0, 0)
    }
}

/// Moves the file at `path` and its log to the path that `aside` returns, if it is still `file`.
/// Returns the new path. An earlier file at that path is replaced. Of several processes that do
/// this at once only one succeeds, and the others leave the new file in place.
///
/// # Errors
/// The I/O error of the system.
pub(crate) fn quarantine_file(
    path: &Path,
    file: Option<FileId>,
    aside: impl FnOnce() -> PathBuf,
) -> io::Result<Option<PathBuf>> {
    let opened = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        opened => opened?,
    };
    // Without file locks two processes may both do this if they do it at the same moment.
    drop(opened.lock());
    if FileId::from_path(path) != file {
        return Ok(None);
    }
    // Some systems do not move a file that is open.
    let _kept = cfg!(unix).then_some(opened);
    let aside = aside();
    for ending in QUARANTINED_SUFFIXES {
        ignore_not_found(fs::remove_file(with_suffix(&aside, ending)))?;
    }
    for ending in QUARANTINED_SUFFIXES {
        ignore_not_found(fs::rename(with_suffix(path, ending), with_suffix(&aside, ending)))?;
    }
    Ok(Some(aside))
}

fn ignore_not_found(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Returns `path` with `more` appended to its last component.
pub fn with_suffix(path: &Path, more: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(more);
    PathBuf::from(name)
}
