//! Whether something can be written, without writing it.

use std::path::Path;

/// Bytes below which a disk counts as full: a database is opened with less, and then fails.
#[cfg(unix)]
const BYTES_MIN: u64 = 256 << 10;

/// Whether the file or folder may be written.
#[cfg(unix)]
pub(super) fn is_writable(path: &Path) -> bool {
    rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok()
}

/// Whether the file or folder may be written, as far as its mark tells.
#[cfg(not(unix))]
pub(super) fn is_writable(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|data| data.is_dir() || !data.permissions().readonly())
}

/// Whether the disk of the folder has no room.
#[cfg(unix)]
pub(super) fn is_full(folder: &Path) -> bool {
    rustix::fs::statvfs(folder).is_ok_and(|disk| {
        // Some file systems tell no size.
        disk.f_blocks > 0 && disk.f_bavail.saturating_mul(disk.f_frsize) < BYTES_MIN
    })
}

/// Nothing is known of the disk here.
#[cfg(not(unix))]
pub(super) fn is_full(_: &Path) -> bool {
    false
}
