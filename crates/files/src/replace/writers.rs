//! Which files without a name other programs have open for writing, where the system tells.

use std::collections::HashSet;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

/// The number of a file and that of its device.
pub(super) type FileId = (u64, u64);

/// What the system puts behind the path of a file that has lost its name.
const NAMELESS: &[u8] = b" (deleted)";

/// Those of `wanted` that a process other than this one has open for writing: as Linux tells it
/// in `/proc`, of this user's processes, or of all for root. Where it is not told, none.
pub(super) fn written_elsewhere(wanted: &HashSet<FileId>) -> HashSet<FileId> {
    let mut found = HashSet::new();
    let Ok(processes) = fs::read_dir("/proc") else { return found };
    let own = std::process::id().to_string();
    for process in processes.flatten() {
        let name = process.file_name();
        let is_process = name.as_bytes().iter().all(u8::is_ascii_digit);
        if !is_process || name == *own {
            continue;
        }
        // It may have ended, or be somebody else's.
        let Ok(open) = fs::read_dir(process.path().join("fd")) else { continue };
        found.extend(open.flatten().filter_map(|file| writes(&file.path())));
    }
    found.retain(|id| wanted.contains(id));
    found
}

/// The file behind an entry of `/proc/…/fd`, if it has no name and is open for writing. Others are
/// not asked about: one of a network that is gone would hold us up.
fn writes(entry: &Path) -> Option<FileId> {
    let is_nameless =
        || fs::read_link(entry).is_ok_and(|to| to.as_os_str().as_bytes().ends_with(NAMELESS));
    // The mode of the link says how the file is open.
    let is_written = fs::symlink_metadata(entry).is_ok_and(|link| link.mode() & 0o200 != 0);
    let file = (is_written && is_nameless()).then(|| fs::metadata(entry).ok()).flatten()?;
    Some((file.dev(), file.ino()))
}
