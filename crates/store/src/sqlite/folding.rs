//! The write-ahead log of a file, which now and then is folded into it.
//!
//! SQLite does that in the commit by which the log becomes long, and waits for the disk twice.
//! Somebody waits for that commit, so a thread of its own does it afterwards.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// Pages of a log that is folded: SQLite's own measure.
const PAGES_MIN: usize = 1_000;

/// Pages of a log that the commit folds itself, since no thread came to it: 64 MiB.
const PAGES_MAX: usize = 16_384;

/// Folds the log of the file that one connection writes.
#[derive(Debug, Default)]
pub(super) struct Folding {
    /// Pages of the log after the last commit.
    pages: Arc<AtomicUsize>,
    /// Held by the thread that folds, as long as it does.
    work: Arc<()>,
}

impl Folding {
    /// Takes over from SQLite for this connection.
    pub(super) fn of(connection: &mut Connection) -> rusqlite::Result<Self> {
        let folding = Self::default();
        let pages = Arc::clone(&folding.pages);
        connection.wal_hook(Some(move |log: &mut rusqlite::hooks::Wal, count: i32| {
            let count = usize::try_from(count).unwrap_or_default();
            pages.store(count, Ordering::Relaxed);
            if count >= PAGES_MAX {
                // What is said here is said of the commit, which is done whatever comes of this.
                drop(log.checkpoint());
            }
            Ok(())
        }))?;
        Ok(folding)
    }

    /// Has the log folded into the file at `path`, if it is long. Does not wait for it.
    pub(super) fn fold(&self, path: &Path) {
        if self.pages.load(Ordering::Relaxed) < PAGES_MIN || self.is_under_way() {
            return;
        }
        let (path, work) = (path.to_owned(), Arc::clone(&self.work));
        let folding = move || {
            let _work = work;
            // What could not be folded stays in the log, where it is found as well.
            drop(fold(path));
        };
        // Where no thread can be had, a later commit tries again.
        drop(thread::Builder::new().name("store log".into()).spawn(folding));
    }

    /// Waits until nothing is folded any more: another file is to take this one's place, and a log
    /// must not be folded into a file that it is not of.
    pub(super) fn wait(&self) {
        while self.is_under_way() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Whether a thread folds. Nobody else starts one meanwhile: the store asks from one place.
    fn is_under_way(&self) -> bool {
        Arc::strong_count(&self.work) > 1
    }
}

/// Folds what no reader needs, and keeps nobody from writing.
fn fold(path: PathBuf) -> rusqlite::Result<()> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

#[cfg(test)]
mod tests;
