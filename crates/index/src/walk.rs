//! Which files of a folder are indexed.

use std::collections::HashMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foveal_cancel::Cancel;
use ignore::{DirEntry, WalkBuilder};

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

/// What tells without reading it whether a file is the one that was indexed.
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
pub(crate) struct Found {
    /// By path from the root, with `/` between folders.
    pub(crate) files: HashMap<String, Stamp>,
    /// Files that are too large, secret, too many, or have a name that is no text.
    pub(crate) passed_by: u64,
    /// The walk was stopped; files may be missing.
    pub(crate) stopped: bool,
}

/// The files below `root` that are to be indexed: not hidden, not ignored by the rules that
/// searches for text go by, with git or without, not secret, not too large; hidden ones not even
/// where those rules ask for them, since [`crate::Watcher`] does not follow them. With `only`,
/// just those of them that are there.
pub(crate) fn walk(root: &Path, only: Option<&[PathBuf]>, cancel: &Cancel<'_>) -> Found {
    let mut builder = WalkBuilder::new(root);
    builder.require_git(false).parents(true).follow_links(false);
    builder.add_custom_ignore_filename(".rgignore");
    builder.max_depth(Some(DEPTH_MAX)).sort_by_file_path(Ord::cmp);
    let wanted: Option<Vec<PathBuf>> = only.map(<[PathBuf]>::to_vec);
    builder.filter_entry(move |entry| {
        let path = entry.path();
        // Also where a line such as `!.github` takes them in.
        let is_hidden = entry.depth() > 0 && entry.file_name().as_encoded_bytes().starts_with(b".");
        !is_hidden && wanted.as_ref().is_none_or(|all| all.iter().any(|one| one.starts_with(path)))
    });
    let mut found = Found::default();
    for entry in builder.build() {
        if cancel.is_cancelled() {
            found.stopped = true;
            break;
        }
        // What cannot be listed is not indexed.
        let Ok(entry) = entry else { continue };
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        match accepted(root, &entry).filter(|_| found.files.len() < FILES_MAX) {
            Some((path, stamp)) => drop(found.files.insert(path, stamp)),
            None => found.passed_by += 1,
        }
    }
    found
}

fn accepted(root: &Path, entry: &DirEntry) -> Option<(String, Stamp)> {
    let path = relative(root, entry.path())?;
    if may_hold_secrets(Path::new(&path)) {
        return None;
    }
    let metadata = entry.metadata().ok()?;
    (metadata.len() <= FILE_BYTES_MAX).then(|| (path, Stamp::of(&metadata)))
}

/// `path` from `root` on, with `/` between folders; `None` where it is not below `root` or
/// is no text.
pub(crate) fn relative(root: &Path, path: &Path) -> Option<String> {
    let inner = path.strip_prefix(root).ok()?;
    let parts: Option<Vec<&str>> = inner.iter().map(|part| part.to_str()).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}
