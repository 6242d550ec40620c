//! Checkpoints of the write-ahead log, on a thread of their own.
//!
//! SQLite runs a checkpoint within the commit that makes the log long, and waits for the disk
//! twice. A caller waits for that commit, so a separate thread runs the checkpoint afterwards.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

/// The log size in pages from which on a checkpoint runs. It is the default of SQLite.
const CHECKPOINT_PAGES_MIN: usize = 1_000;

/// The log size in pages at which the commit itself runs the checkpoint, because no thread did: 64
/// MiB.
const INLINE_CHECKPOINT_PAGES: usize = 16_384;

/// Runs checkpoints for the file that one connection writes.
#[derive(Debug, Default)]
pub(super) struct WalCheckpointer {
    /// The log size in pages after the last commit.
    pages: Arc<AtomicUsize>,
    /// Shared with the thread that runs a checkpoint, as long as it runs.
    running: Arc<()>,
}

impl WalCheckpointer {
    /// Creates a checkpointer that replaces SQLite's automatic checkpoints for this connection.
    pub(super) fn new(connection: &mut Connection) -> rusqlite::Result<Self> {
        let folding = Self::default();
        let pages = Arc::clone(&folding.pages);
        connection.wal_hook(Some(move |log: &mut rusqlite::hooks::Wal, count: i32| {
            let count = usize::try_from(count).unwrap_or_default();
            pages.store(count, Ordering::Relaxed);
            if count >= INLINE_CHECKPOINT_PAGES {
                // The result of this hook is that of the commit, which is complete whether or not
                // the checkpoint succeeds.
                drop(log.checkpoint());
            }
            Ok(())
        }))?;
        Ok(folding)
    }

    /// Starts a checkpoint of the file at `path` if the log is long. Does not wait for it.
    pub(super) fn start_if_due(&self, path: &Path) {
        if self.pages.load(Ordering::Relaxed) < CHECKPOINT_PAGES_MIN || self.is_running() {
            return;
        }
        let (path, work) = (path.to_owned(), Arc::clone(&self.running));
        let folding = move || {
            let _work = work;
            // Pages without a checkpoint stay in the log and are read from there.
            drop(run_checkpoint(path));
        };
        // If no thread can be started, a later commit tries again.
        drop(thread::Builder::new().name("store log".into()).spawn(folding));
    }

    /// Waits until no checkpoint runs. Call it before the file is replaced: a log must not be
    /// written into another file than its own.
    pub(super) fn wait_until_idle(&self) {
        while self.is_running() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    /// Returns whether a checkpoint runs. Only one caller starts them, the store under its lock.
    fn is_running(&self) -> bool {
        Arc::strong_count(&self.running) > 1
    }
}

/// Runs a passive checkpoint, which blocks no reader and no writer.
fn run_checkpoint(path: PathBuf) -> rusqlite::Result<()> {
    let connection = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

#[cfg(test)]
mod tests;
