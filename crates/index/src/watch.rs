//! Changes of files as they happen.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TrySendError, sync_channel};
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use crate::error::IndexError;
use crate::queue::QUEUED_MAX;
use crate::walk::relative;

/// Changes belong together until nothing has happened for so long.
const QUIET_TIME: Duration = Duration::from_millis(150);

/// Changes are handed on after so long, whether it is quiet or not.
const WAIT_TIME_MAX: Duration = Duration::from_secs(2);

/// How often an interruption is looked for.
const LOOK_UP_TIME: Duration = Duration::from_millis(100);

/// Events that wait while nobody looks; after more of them, all is looked at.
const EVENTS_MAX: usize = 4_096;

/// What has changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Changes {
    /// These files, or some of them.
    Files(Vec<PathBuf>),
    /// Whole folders, or what is ignored, or more than was followed: all has to be looked at.
    Everything,
}

/// A folder that is watched.
pub struct Watcher {
    root: PathBuf,
    events: Receiver<notify::Result<Event>>,
    /// There were more events than can wait.
    overflowed: Arc<AtomicBool>,
    /// Ends the watch when it goes.
    _watcher: RecommendedWatcher,
}

impl Watcher {
    /// Watches `root` and all in it. Hidden files and folders are left out.
    ///
    /// # Errors
    /// If the system cannot watch it, or not so many folders.
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

    /// Waits for changes and for the quiet after them; `None` once it is cancelled or the
    /// watch has ended. If nothing has changed by `end`, no files are handed on.
    pub fn wait_until(&self, end: Option<Instant>, cancel: &Cancel<'_>) -> Option<Changes> {
        let mut files = BTreeSet::new();
        let mut everything = false;
        let mut first: Option<Instant> = None;
        while !cancel.is_cancelled() {
            let time = if first.is_some() { QUIET_TIME } else { LOOK_UP_TIME };
            // Events that are there already are taken before it is too late.
            let left = end.map(|end| end.saturating_duration_since(Instant::now()));
            match self.events.recv_timeout(left.map_or(time, |left| left.min(time))) {
                Ok(event) => everything |= self.note(event, &mut files),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if first.is_some() => {
                    return Some(changes(everything, files));
                }
                Err(RecvTimeoutError::Timeout) if left.is_some_and(|left| left.is_zero()) => {
                    return Some(Changes::Files(Vec::new()));
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            everything |= self.overflowed.swap(false, Ordering::Relaxed);
            let some = everything || !files.is_empty();
            first = first.or_else(|| some.then(Instant::now));
            if first.is_some_and(|first| first.elapsed() > WAIT_TIME_MAX) {
                return Some(changes(everything, files));
            }
        }
        None
    }

    /// Takes in one event; says whether all has to be looked at.
    fn note(&self, event: notify::Result<Event>, files: &mut BTreeSet<PathBuf>) -> bool {
        // What was missed is not known.
        let Ok(event) = event else { return true };
        if event.need_rescan() {
            return true;
        }
        let mut everything = false;
        for path in event.paths {
            let Some(inner) = relative(&self.root, &path) else { continue };
            let name = inner.rsplit('/').next().unwrap_or(&inner);
            // A repository that begins or ends changes which rules hold in it.
            if [".gitignore", ".ignore", ".rgignore", ".git"].contains(&name) {
                everything = true;
            } else if !inner.split('/').any(|part| part.starts_with('.')) {
                // A file that is gone may have been a folder.
                everything |= path.is_dir() || (!path.exists() && path.extension().is_none());
                files.insert(path);
            }
        }
        everything
    }
}

fn changes(everything: bool, files: BTreeSet<PathBuf>) -> Changes {
    if everything || files.len() > QUEUED_MAX {
        Changes::Everything
    } else {
        Changes::Files(files.into_iter().collect())
    }
}
