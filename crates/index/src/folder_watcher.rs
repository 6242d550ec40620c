//! File changes as they happen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::error::IndexError;
use crate::file_queue::QUEUED_FILES_MAX;
use crate::folder_walk::relative_path;

/// Changes are batched until nothing has changed for this time.
const QUIET_TIME: Duration = Duration::from_millis(150);

/// A batch is returned after this time even if changes continue.
const BATCH_TIME_MAX: Duration = Duration::from_secs(2);

/// The interval of checks for a cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The number of events that may wait. If there are more, all files are checked.
const EVENTS_MAX: usize = 4_096;

/// A batch of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FolderChanges {
    /// These files, or some of them, may have changed.
    Files(Vec<PathBuf>),
    /// All files must be checked: a folder, the ignore rules, or more files than can be followed
    /// have changed.
    Everything,
}

/// A watcher of one folder.
pub struct FolderWatcher {
    root: PathBuf,
    events: Receiver<notify::Result<Event>>,
    /// Whether events were dropped because too many waited.
    overflowed: Arc<AtomicBool>,
    /// Stops watching when it is dropped.
    _watcher: RecommendedWatcher,
}

impl FolderWatcher {
    /// Starts to watch `root` and everything in it. Ignores hidden files and folders.
    ///
    /// # Errors
    /// If the system cannot watch the folder, or not so many folders.
    pub fn start(root: &Path) -> Result<Self, IndexError> {
        let (sender, events) = sync_channel(EVENTS_MAX);
        let overflowed = Arc::new(AtomicBool::new(false));
        let overflow = Arc::clone(&overflowed);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            if event.as_ref().is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                return;
            }
            if let Err(TrySendError::Full(_)) = sender.try_send(event) {
                overflow.store(true, Ordering::Relaxed);
            }
        })?;
        watcher.watch(root, RecursiveMode::Recursive)?;
        Ok(Self { root: root.to_owned(), events, overflowed, _watcher: watcher })
    }

    /// Waits for changes and for the quiet after them. Returns `None` after a cancellation or the
    /// end of the watch. If nothing changes by `end`, returns an empty list.
    pub fn wait_for_changes(
        &self,
        end: Option<Instant>,
        cancel: &CancelToken<'_>,
    ) -> Option<FolderChanges> {
        let mut files = BTreeSet::new();
        let mut everything = false;
        let mut first: Option<Instant> = None;
        while !cancel.is_cancelled() {
            let time = if first.is_some() { QUIET_TIME } else { CANCEL_CHECK_INTERVAL };
            // Events that arrived before `end` are still taken.
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(left.map_or(time, |left| left.min(time))) {
                Ok(event) => everything |= self.record_event(event, &mut files),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if first.is_some() => {
                    return Some(changes_from_files(everything, files));
                }
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left.is_zero()) => {
                    return Some(FolderChanges::Files(Vec::new()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            everything |= self.overflowed.swap(false, Ordering::Relaxed);
            let some = everything || !files.is_empty();
            first = first.or_else(|| some.then(Instant::now));
            if first.is_some_and(|first| first.elapsed() > BATCH_TIME_MAX) {
                return Some(changes_from_files(everything, files));
            }
        }
        None
    }

    /// Records one event. Returns whether all files must be checked.
    fn record_event(&self, event: notify::Result<Event>, files: &mut BTreeSet<PathBuf>) -> bool {
        // After an error the missed changes are unknown.
        let Ok(event) = event else { return true };
        if event.need_rescan() {
            return true;
        }
        let mut everything = false;
        for path in event.paths {
            let Some(inner) = relative_path(&self.root, &path) else { continue };
            let name = inner.rsplit('/').next().unwrap_or(&inner);
            // A created or removed repository changes the ignore rules below it.
            if [".gitignore", ".ignore", ".rgignore", ".git"].contains(&name) {
                everything = true;
            } else if !inner.split('/').any(|part| part.starts_with('.')) {
                // A deleted path may have been a folder.
                everything |= path.is_dir() || (!path.exists() && path.extension().is_none());
                files.insert(path);
            }
        }
        everything
    }
}

fn changes_from_files(everything: bool, files: BTreeSet<PathBuf>) -> FolderChanges {
    if everything || files.len() > QUEUED_FILES_MAX {
        FolderChanges::Everything
    } else {
        FolderChanges::Files(files.into_iter().collect())
    }
}
