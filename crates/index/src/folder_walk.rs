//! The selection of a folder's files for the index.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foveal_transcript::CancelToken;
use foveal_workspace::file_search::visible_files;

use crate::secrets::may_hold_secrets;

/// The size limit of an indexed file, in bytes. Larger files are data, rarely code.
pub const FILE_BYTES_MAX: u64 = 1 << 20;

/// The number of indexed files of one folder. Further files of the walk are skipped.
pub const FILES_MAX: usize = 200_000;

/// The greatest depth of nested folders.
const FOLDER_DEPTH_MAX: usize = 64;

/// The resolution of time stamps. A file that changed within this time before it was read may
/// change again with the same time stamp, so its time is not used.
const TIME_STAMP_RESOLUTION: Duration = Duration::from_secs(2);

/// The modification time in nanoseconds since 1970, or 0 if it is not conclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ModificationTime(pub(crate) i64);

/// The size and modification time by which an unchanged file is recognized without reading it.
/// Unlike `foveal_workspace::FileStamp` it has neither inode nor status change time, so that a folder
/// copied together with its index is not read again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChangeStamp {
    pub(crate) bytes: u64,
    pub(crate) modified: ModificationTime,
}

impl ChangeStamp {
    pub(crate) fn from_metadata(metadata: &Metadata) -> Self {
        let changed = metadata.modified().unwrap_or(UNIX_EPOCH);
        let recent = changed + TIME_STAMP_RESOLUTION > SystemTime::now();
        let since = changed.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
        let nanoseconds = if recent { 0 } else { i64::try_from(since).unwrap_or(0) };
        Self { bytes: metadata.len(), modified: ModificationTime(nanoseconds) }
    }

    /// Returns whether a file with this stamp must be read to find out whether it has changed.
    pub(crate) fn requires_read(self, known: ChangeStamp) -> bool {
        self.modified.0 == 0 || self != known
    }
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(crate) struct WalkedFiles {
    /// The files by path relative to the root, with `/` between folders.
    pub(crate) files: HashMap<String, ChangeStamp>,
    /// Files of `files` that are ignored or hidden, and were read for the first time.
    pub(crate) newly_read: Vec<String>,
    /// The number of files that are too large, secret, too many, or whose names are not UTF-8.
    pub(crate) skipped: u64,
    /// Whether the walk was cancelled. Files may be missing.
    pub(crate) cancelled: bool,
}

/// The files that an agent read. They are indexed though they are ignored or hidden.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadFiles<'a> {
    /// Those of earlier updates, relative to the root.
    pub(crate) known: &'a [String],
    /// Those that wait for this update.
    pub(crate) queued: &'a [PathBuf],
}

/// Returns the files below `root` to index: visible to searches or read by an agent, not secret and
/// not too large. With `only`, returns just those of them that exist.
pub(crate) fn walk_folder(
    root: &Path,
    only: Option<&[PathBuf]>,
    read: ReadFiles<'_>,
    cancel: &CancelToken<'_>,
) -> WalkedFiles {
    let mut found = WalkedFiles::default();
    for file in visible_files(root, only, FOLDER_DEPTH_MAX) {
        if cancel.is_cancelled() {
            found.cancelled = true;
            break;
        }
        match accept_file(root, &file).filter(|_| found.files.len() < FILES_MAX) {
            Some((path, stamp)) => drop(found.files.insert(path, stamp)),
            None => found.skipped += 1,
        }
    }
    if !found.cancelled {
        add_read_files(root, only, read, &mut found);
    }
    found
}

/// Adds the read files that the walk does not show.
fn add_read_files(
    root: &Path,
    only: Option<&[PathBuf]>,
    read: ReadFiles<'_>,
    found: &mut WalkedFiles,
) {
    let known = read.known.iter().map(|path| root.join(path));
    let known = known.filter(|file| only.is_none_or(|only| only.contains(file)));
    for file in known.chain(read.queued.iter().cloned()) {
        let Some((path, stamp)) = accept_read_file(root, &file) else { continue };
        if found.files.contains_key(&path) || found.files.len() >= FILES_MAX {
            continue;
        }
        if !read.known.contains(&path) {
            found.newly_read.push(path.clone());
        }
        found.files.insert(path, stamp);
    }
}

/// Returns a file that was read, unless it is no regular file, secret, too large, or part of a
/// repository's own data.
fn accept_read_file(root: &Path, file: &Path) -> Option<(String, ChangeStamp)> {
    let inner = file.strip_prefix(root).ok()?;
    let is_inside = |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
    let is_file = file.symlink_metadata().is_ok_and(|metadata| metadata.is_file());
    (is_file && inner.components().all(is_inside)).then(|| accept_file(root, file)).flatten()
}

fn accept_file(root: &Path, file: &Path) -> Option<(String, ChangeStamp)> {
    let path = relative_path(root, file)?;
    if may_hold_secrets(Path::new(&path)) {
        return None;
    }
    let metadata = file.symlink_metadata().ok()?;
    (metadata.len() <= FILE_BYTES_MAX).then(|| (path, ChangeStamp::from_metadata(&metadata)))
}

/// Returns `path` relative to `root`, with `/` between folders, or `None` if it is not below `root`
/// or not UTF-8.
pub(crate) fn relative_path(root: &Path, path: &Path) -> Option<String> {
    let inner = path.strip_prefix(root).ok()?;
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}
