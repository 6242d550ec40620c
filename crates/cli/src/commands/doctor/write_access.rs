//! Checks whether files can be written, without writing any.

use std::path::Path;

/// Bytes below which a disk counts as full: SQLite opens a database with less, and then fails.
#[cfg(unix)]
const FREE_BYTES_MIN: u64 = 256 << 10;

/// Returns true if the file or folder is writable.
#[cfg(unix)]
pub(super) fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Returns true if the file or folder is writable, as far as its read-only attribute shows.
#[cfg(not(unix))]
pub(super) fn is_writable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_dir() || !data.permissions().readonly())
}

/// Returns true if the disk of the folder is full.
#[cfg(unix)]
pub(super) fn is_disk_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| {
        // Some file systems report no size.
        disk.f_blocks > 0 && disk.f_bavail.saturating_mul(disk.f_frsize) < FREE_BYTES_MIN
    })
}

/// Returns false: the free space is unknown on this platform.
#[cfg(not(unix))]
pub(super) fn is_disk_full(_: &Path) -> bool {
    false
}
