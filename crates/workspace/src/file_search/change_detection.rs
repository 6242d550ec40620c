//! Detection of changes in a file tree.

use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foveal_transcript::CancelToken;
use ignore::DirEntry;

use super::ignore_rules::IGNORE_FILES;
use super::path_names::WalkPathNames;
use super::search_scope::{FileSearchError, SearchScope};
use super::walk::{EntryVisitor, walk_scope};

/// The granularity of the clock by which file systems record times.
const TIMESTAMP_TICK: Duration = Duration::from_millis(20);

/// Returns whether no file in the scope was changed, created, renamed or removed at `since` or
/// later, so that a search or listing that began then would give the same answer. Returns false in
/// doubt: shortly after a change, and on file systems whose clock is ahead.
///
/// Only changes of content and names count, by the time at which the system recorded them, which no
/// program can set. Files ignored by `.gitignore` and the like are not examined.
///
/// # Errors
/// Returns a [`FileSearchError`] if the scope does not exist, or for a cancellation.
pub fn is_tree_unchanged(
    base: &Path,
    scope: &SearchScope,
    since: SystemTime,
    cancel: &CancelToken<'_>,
) -> Result<bool, FileSearchError> {
    // Ignore files are hidden themselves.
    let scope = SearchScope { include_hidden: true, ..scope.clone() };
    let checked = scope.resolve(base, false)?;
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(TIMESTAMP_TICK);
    let changed = AtomicBool::new(false);
    let top = fs::metadata(base.join(&scope.path));
    if top.is_ok_and(|top| change_time(&top) >= since) {
        return Ok(false);
    }
    if parent_rules_changed(base, Path::new(&scope.path), since) {
        return Ok(false);
    }
    let names = WalkPathNames::new(&checked.root, &checked.path);
    let visitor = || ChangeVisitor { since, changed: &changed };
    let is_over = || cancel.is_cancelled() || changed.load(Ordering::Relaxed);
    let walked = walk_scope(&scope, &checked, &names, &CancelToken::from_fn(&is_over), visitor);
    if changed.load(Ordering::Relaxed) {
        return Ok(false);
    }
    let (_, passed) = walked?;
    Ok(passed.unreadable == 0)
}

/// Returns whether ignore rules in the folders above may have changed.
fn parent_rules_changed(base: &Path, path: &Path, since: Duration) -> bool {
    let is_newer = |path: &Path| fs::metadata(path).is_ok_and(|found| change_time(&found) >= since);
    let has_newer = |folder: &Path| IGNORE_FILES.iter().any(|rules| is_newer(&folder.join(rules)));
    let is_above = path.ancestors().skip(1).any(|folder| {
        let folder = base.join(folder);
        is_newer(&folder) || has_newer(&folder)
    });
    // In folders above the base, only ignore files matter.
    is_above || base.ancestors().skip(1).any(has_newer)
}

struct ChangeVisitor<'a> {
    since: Duration,
    changed: &'a AtomicBool,
}

impl EntryVisitor for ChangeVisitor<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        let is_older = entry.metadata().is_ok_and(|metadata| change_time(&metadata) < self.since);
        if !is_older {
            self.changed.store(true, Ordering::Relaxed);
        }
    }
}

/// Returns the time of the last recorded change, since 1970.
#[cfg(unix)]
fn change_time(metadata: &Metadata) -> Duration {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    Duration::new(seconds, u32::try_from(metadata.ctime_nsec()).unwrap_or_default())
}

/// Returns the time of the last content change, since 1970.
#[cfg(not(unix))]
fn change_time(metadata: &Metadata) -> Duration {
    let modified = metadata.modified().ok();
    modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or(Duration::MAX)
}
