//! Files that a user has written for them and that hold contents of theirs.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Makes the file at `path`, which nobody else may read, or empties the one that is there.
///
/// # Errors
/// What the system says.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
