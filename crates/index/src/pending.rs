//! Changes that wait to be written together.

use std::time::{Duration, Instant};

use foveal_cancel::Cancel;

use crate::error::IndexError;
use crate::store::{Change, Store};

/// Changes that are written together, at most.
const BATCH_CHANGES_MAX: usize = 64;

/// How long a change waits for others to be written together.
const BATCH_TIME_MAX: Duration = Duration::from_millis(250);

/// Changes that are to be written together.
pub(crate) struct Pending {
    pub(crate) changes: Vec<Change>,
    /// When the first of the changes came, or earlier.
    pub(crate) since: Instant,
}

impl Default for Pending {
    fn default() -> Self {
        Self { changes: Vec::new(), since: Instant::now() }
    }
}

impl Pending {
    pub(crate) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(crate) fn flush_if_due(
        &mut self,
        store: &mut Store,
        cancel: &Cancel<'_>,
    ) -> Result<(), IndexError> {
        let is_due = self.since.elapsed() >= BATCH_TIME_MAX;
        if self.changes.len() >= BATCH_CHANGES_MAX || (is_due && !self.changes.is_empty()) {
            self.flush(store, cancel)?;
        }
        Ok(())
    }

    pub(crate) fn flush(
        &mut self,
        store: &mut Store,
        cancel: &Cancel<'_>,
    ) -> Result<(), IndexError> {
        if !self.changes.is_empty() {
            store.write(&self.changes, cancel)?;
            self.changes.clear();
        }
        self.since = Instant::now();
        Ok(())
    }
}
