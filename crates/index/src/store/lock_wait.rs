//! The wait for other processes that lock the file.
//!
//! A process that indexes a folder waits long: two of them take turns. A process with a caller that
//! waits for an answer waits once for a moment; after that it only tries, until it gets the lock
//! again.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use foveal_store::database_file::is_busy;
use foveal_transcript::CancelToken;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::IndexError;

/// The longest wait between two checks for a cancellation.
const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The longest wait for other processes that lock the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockWait {
    /// Waits this long at each write.
    EachTime(Duration),
    /// Waits this long once. After a time-out, writes are only tried until one succeeds.
    Once(Duration),
}

impl LockWait {
    /// The wait of an indexing process. Others write, or create the tables, for a fraction of a
    /// second.
    pub const INDEXER: Self = Self::EachTime(Duration::from_secs(2));
    /// The wait of a process whose caller waits for an answer that does not depend on the write.
    pub const ANSWER: Self = Self::Once(Duration::from_millis(500));
    /// No wait.
    pub const NONE: Self = Self::Once(Duration::ZERO);

    pub(super) fn longest(self) -> Duration {
        match self {
            Self::EachTime(most) | Self::Once(most) => most,
        }
    }
}

/// The wait for locks, and whether the last one timed out.
#[derive(Debug)]
pub(super) struct LockWaiter {
    wait: LockWait,
    has_timed_out: Cell<bool>,
}

impl LockWaiter {
    pub(super) fn new(wait: LockWait) -> Self {
        Self { wait, has_timed_out: Cell::new(false) }
    }

    pub(super) fn configured_wait(&self) -> LockWait {
        self.wait
    }

    /// Returns the wait of the next write.
    fn next_write_wait(&self) -> Duration {
        match self.wait {
            LockWait::Once(_) if self.has_timed_out.get() => Duration::ZERO,
            wait => wait.longest(),
        }
    }

    /// Sets the wait for other processes.
    pub(super) fn set_lock_wait(
        &mut self,
        wait: LockWait,
        connection: &Connection,
    ) -> Result<(), IndexError> {
        self.wait = wait;
        Ok(connection.busy_timeout(wait.longest())?)
    }

    /// Begins a write transaction as soon as no other process writes. Stops waiting after a
    /// cancellation.
    pub(super) fn begin_transaction<'a>(
        &self,
        connection: &'a Connection,
        cancel: &CancelToken<'_>,
    ) -> Result<Transaction<'a>, IndexError> {
        let (most, begun) = (self.next_write_wait(), Instant::now());
        connection.busy_timeout(CANCEL_CHECK_INTERVAL.min(most))?;
        let done = loop {
            match Transaction::new_unchecked(connection, TransactionBehavior::Immediate) {
                Err(error) if is_busy(&error) => {
                    if begun.elapsed() >= most || cancel.is_cancelled() {
                        break Err(error);
                    }
                    // SQLite does not wait where it detects a deadlock.
                    thread::sleep(Duration::from_millis(1));
                }
                other => break other,
            }
        };
        connection.busy_timeout(self.wait.longest())?;
        match &done {
            Ok(_) => self.has_timed_out.set(false),
            // A cancelled wait is no time-out.
            Err(error) if is_busy(error) && !cancel.is_cancelled() => self.has_timed_out.set(true),
            Err(_) => {}
        }
        Ok(done?)
    }
}
