//! Files with contents of the user that only the user may read.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Creates or truncates the file at `path`; a new file gets mode 0600.
///
/// # Errors
/// Any error of the system.
pub(crate) fn create_private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}
