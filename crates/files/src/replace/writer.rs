//! Who writes files, and what makes it safe.

use std::fmt;
use std::sync::Arc;

use super::journal::{Journal, Names};

/// Called between any two steps of a write, for tests that stop there.
type Step = Arc<dyn Fn() + Send + Sync>;

/// Writes files.
#[derive(Clone)]
pub struct Writer {
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) names: Arc<Names>,
    /// Whether the file system may be asked to exchange two names.
    pub(super) exchanges: bool,
    step: Option<Step>,
}

impl Writer {
    /// A writer whose writes are completed or taken back after a kill.
    pub fn with_journal(journal: Arc<Journal>) -> Self {
        Self { names: Arc::clone(journal.names()), journal: Some(journal), ..Self::default() }
    }

    /// The journal of its writes, if there is one.
    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// The same writer, which calls `step` between any two steps. With `exchanges` false, names
    /// are never exchanged, as where the file system cannot.
    #[doc(hidden)]
    #[must_use]
    pub fn stepping(mut self, exchanges: bool, step: impl Fn() + Send + Sync + 'static) -> Self {
        self.step = Some(Arc::new(step));
        self.exchanges = exchanges;
        self
    }

    pub(super) fn step(&self) {
        if let Some(step) = &self.step {
            step();
        }
    }
}

impl Default for Writer {
    /// A writer without a journal.
    fn default() -> Self {
        Self { journal: None, names: Arc::default(), exchanges: true, step: None }
    }
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("journal", &self.journal).finish_non_exhaustive()
    }
}
