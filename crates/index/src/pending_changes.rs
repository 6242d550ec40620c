//! Changes that are collected and written in one transaction.

use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;

use crate::error::IndexError;
use crate::store::{IndexChange, IndexStore};

/// The number of changes in one transaction.
const BATCH_CHANGES_MAX: usize = 64;

/// The longest time for which a change waits for others.
const BATCH_TIME_MAX: Duration = Duration::from_millis(250);

/// A batch of changes.
pub(crate) struct PendingChanges {
    pub(crate) changes: Vec<IndexChange>,
    /// The time of the first change, or earlier.
    pub(crate) since: Instant,
}

impl Default for PendingChanges {
    fn default() -> Self {
        Self { changes: Vec::new(), since: Instant::now() }
    }
}

impl PendingChanges {
    pub(crate) fn push(&mut self, change: IndexChange) {
        self.changes.push(change);
    }

    pub(crate) fn flush_if_due(
        &mut self,
        store: &mut IndexStore,
        cancel: &CancelToken<'_>,
    ) -> Result<(), IndexError> {
        let is_due = self.since.elapsed() >= BATCH_TIME_MAX;
        if self.changes.len() >= BATCH_CHANGES_MAX || (is_due && !self.changes.is_empty()) {
            self.flush(store, cancel)?;
        }
        Ok(())
    }

    pub(crate) fn flush(
        &mut self,
        store: &mut IndexStore,
        cancel: &CancelToken<'_>,
    ) -> Result<(), IndexError> {
        if !self.changes.is_empty() {
            store.apply_changes(&self.changes, cancel)?;
            self.changes.clear();
        }
        self.since = Instant::now();
        Ok(())
    }
}
