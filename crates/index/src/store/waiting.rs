//! How long others are waited for that hold the file.
//!
//! Who indexes a folder waits long: two that do so at once take turns. Who has somebody wait for an
//! answer waits a moment once; after that it only tries, until it is its turn again.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_database::is_busy;
use rusqlite::{Connection, Transaction, TransactionBehavior};

use crate::error::IndexError;

/// The longest wait between two looks at the cancellation token.
const LOOK_UP_TIME: Duration = Duration::from_millis(20);

/// How long others are waited for that hold the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// So long each time.
    EachTime(Duration),
    /// So long once: where that was in vain the next write is only tried, until one can be done.
    Once(Duration),
}

impl Wait {
    /// For who indexes. Others write, or make the tables, for a fraction of a second.
    pub const INDEXER: Self = Self::EachTime(Duration::from_secs(2));
    /// For who has somebody wait for an answer, which can be given without.
    pub const ANSWER: Self = Self::Once(Duration::from_millis(500));
    /// Only tries.
    pub const NONE: Self = Self::Once(Duration::ZERO);

    pub(super) fn most(self) -> Duration {
        match self {
            Self::EachTime(most) | Self::Once(most) => most,
        }
    }
}

/// How long others are waited for, and whether that was in vain.
#[derive(Debug)]
pub(super) struct Waiting {
    wait: Wait,
    has_given_up: Cell<bool>,
}

impl Waiting {
    pub(super) fn of(wait: Wait) -> Self {
        Self { wait, has_given_up: Cell::new(false) }
    }

    pub(super) fn wait(&self) -> Wait {
        self.wait
    }

    /// How long the next write waits.
    fn next(&self) -> Duration {
        match self.wait {
            Wait::Once(_) if self.has_given_up.get() => Duration::ZERO,
            wait => wait.most(),
        }
    }

    /// Has others waited for like this from now on.
    pub(super) fn set(&mut self, wait: Wait, connection: &Connection) -> Result<(), IndexError> {
        self.wait = wait;
        Ok(connection.busy_timeout(wait.most())?)
    }

    /// Begins what other processes must not come between, once they write no more. Who is told to
    /// stop waits no longer.
    pub(super) fn begin<'a>(
        &self,
        connection: &'a Connection,
        cancel: &Cancel<'_>,
    ) -> Result<Transaction<'a>, IndexError> {
        let (most, begun) = (self.next(), Instant::now());
        connection.busy_timeout(LOOK_UP_TIME.min(most))?;
        let done = loop {
            match Transaction::new_unchecked(connection, TransactionBehavior::Immediate) {
                Err(error) if is_busy(&error) => {
                    if begun.elapsed() >= most || cancel.is_cancelled() {
                        break Err(error);
                    }
                    // SQLite does not wait where it sees that two would wait for each other.
                    thread::sleep(Duration::from_millis(1));
                }
                other => break other,
            }
        };
        connection.busy_timeout(self.wait.most())?;
        match &done {
            Ok(_) => self.has_given_up.set(false),
            // Who was told to stop has not waited for long.
            Err(error) if is_busy(error) && !cancel.is_cancelled() => self.has_given_up.set(true),
            Err(_) => {}
        }
        Ok(done?)
    }
}
