//! Whether a tree is still what it was.

use std::fs::{self, Metadata};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use foveal_cancel::Cancel;
use ignore::DirEntry;

use super::ignored::FILES;
use super::name::Names;
use super::scope::{Scope, TreeError};
use super::walk::{Visitor, walk};

/// File systems note times by a clock that ticks, and may be this much behind.
const TICK: Duration = Duration::from_millis(20);

/// Whether nothing that a scope holds was changed, made, renamed or removed at `since` or
/// later, so that a search or a list that began then would give what it gave. It says no where
/// it cannot know: shortly after a change, and on file systems whose clock is ahead.
///
/// Only changes of content and of names count, by the time at which the system noted them,
/// which no program can set. What `.gitignore` and its like name is not looked at.
///
/// # Errors
/// A [`TreeError`] for a scope that is not there, or if it is cancelled.
pub fn is_unchanged(
    base: &Path,
    scope: &Scope,
    since: SystemTime,
    cancel: &Cancel<'_>,
) -> Result<bool, TreeError> {
    // Rules that name files are hidden themselves.
    let scope = Scope { hidden: true, ..scope.clone() };
    let checked = scope.check(base, false)?;
    let since = since.duration_since(UNIX_EPOCH).unwrap_or_default().saturating_sub(TICK);
    let changed = AtomicBool::new(false);
    let top = fs::metadata(base.join(&scope.path));
    if top.is_ok_and(|top| noted(&top) >= since) {
        return Ok(false);
    }
    if is_ruled_anew(base, Path::new(&scope.path), since) {
        return Ok(false);
    }
    let names = Names::new(&checked.root, &checked.path);
    let visitor = || Look { since, changed: &changed };
    let is_over = || cancel.is_cancelled() || changed.load(Ordering::Relaxed);
    let walked = walk(&scope, &checked, &names, &Cancel::when(&is_over), visitor);
    if changed.load(Ordering::Relaxed) {
        return Ok(false);
    }
    let (_, passed) = walked?;
    Ok(passed.unreadable == 0)
}

/// Whether what is ignored may have changed in the folders above.
fn is_ruled_anew(base: &Path, path: &Path, since: Duration) -> bool {
    let is_newer = |path: &Path| fs::metadata(path).is_ok_and(|found| noted(&found) >= since);
    let has_newer = |folder: &Path| FILES.iter().any(|rules| is_newer(&folder.join(rules)));
    let is_above = path.ancestors().skip(1).any(|folder| {
        let folder = base.join(folder);
        is_newer(&folder) || has_newer(&folder)
    });
    // Whatever else happens in folders above the base is no matter.
    is_above || base.ancestors().skip(1).any(has_newer)
}

struct Look<'a> {
    since: Duration,
    changed: &'a AtomicBool,
}

impl Visitor for Look<'_> {
    fn visit(&mut self, entry: &DirEntry) {
        let is_older = entry.metadata().is_ok_and(|metadata| noted(&metadata) < self.since);
        if !is_older {
            self.changed.store(true, Ordering::Relaxed);
        }
    }
}

/// When the system last noted a change, since 1970.
#[cfg(unix)]
fn noted(metadata: &Metadata) -> Duration {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(metadata.ctime()).unwrap_or_default();
    Duration::new(seconds, u32::try_from(metadata.ctime_nsec()).unwrap_or_default())
}

/// When the content last changed, since 1970.
#[cfg(not(unix))]
fn noted(metadata: &Metadata) -> Duration {
    let modified = metadata.modified().ok();
    modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or(Duration::MAX)
}
