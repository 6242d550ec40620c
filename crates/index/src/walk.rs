//! Which files of a folder are indexed.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foveal_cancel::Cancel;
use foveal_files::tree::visible_files;

use crate::secrets::may_hold_secrets;

/// Larger files are not read: data, seldom code.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// Files of one folder that are indexed; those after them in the walk are left out.
pub const FILES_MAX: usize = 200_000;

/// How deep folders may lie in each other.
const DEPTH_MAX: usize = 64;

/// A file changed less than this before it was read may change again within the same time
/// stamp, so that its time says nothing.
const TIME_STAMP_STEP: Duration = Duration::from_secs(2);

/// When a file was changed, in nanoseconds since 1970; 0 where that says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Changed(pub(crate) i64);

/// What tells without reading it whether a file is the one that was indexed. It leaves out
/// inode and change of status, which `foveal_files::Stamp` has, so that a folder that was
/// copied with its index is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub(crate) bytes: u64,
    pub(crate) changed: Changed,
}

impl Stamp {
    pub(crate) fn of(metadata: &Metadata) -> Self {
        let changed = metadata.modified().unwrap_or(UNIX_EPOCH);
        let recent = changed + TIME_STAMP_STEP > SystemTime::now();
        let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let nanoseconds = if recent { 0 } else { i64::try_from(since).unwrap_or(0) };
        Self { bytes: metadata.len(), changed: Changed(nanoseconds) }
    }

    /// Whether a file with this stamp has to be read to know whether it has changed.
    pub(crate) fn is_new_to(self, known: Stamp) -> bool {
        self.changed.0 == 0 || self != known
    }
}

/// Files found, and how many were passed by.
#[derive(Debug, Default)]
pub(crate) struct WalkedFiles {
    /// By path from the root, with `/` between folders.
    pub(crate) files: HashMap<String, Stamp>,
    /// Files that are too large, secret, too many, or have a name that is no text.
    pub(crate) passed_by: u64,
    /// The walk was stopped; files may be missing.
    pub(crate) stopped: bool,
}

/// The files below `root` that are to be indexed: visible to searches, not secret, not too
/// large. Hidden ones are none, since [`crate::Watcher`] does not follow them. With `only`, just
/// those of them that are there.
pub(crate) fn walk(root: &Path, only: Option<&[PathBuf]>, cancel: &Cancel<'_>) -> WalkedFiles {
    let mut found = WalkedFiles::default();
    for file in visible_files(root, only, DEPTH_MAX) {
        if cancel.is_cancelled() {
            found.stopped = true;
            break;
        }
        match accepted(root, &file).filter(|_| found.files.len() < FILES_MAX) {
            Some((path, stamp)) => drop(found.files.insert(path, stamp)),
            None => found.passed_by += 1,
        }
    }
    found
}

fn accepted(root: &Path, file: &Path) -> Option<(String, Stamp)> {
    let path = relative(root, file)?;
    if may_hold_secrets(Path::new(&path)) {
        return None;
    }
    let metadata = file.symlink_metadata().ok()?;
    (metadata.len() <= FILE_BYTES_MAX).then(|| (path, Stamp::of(&metadata)))
}

/// `path` from `root` on, with `/` between folders; `None` where it is not below `root` or
/// is no text.
pub(crate) fn relative(root: &Path, path: &Path) -> Option<String> {
    let inner = path.strip_prefix(root).ok()?;
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}
