//! The writer of files.

use std::fmt;
use std::sync::Arc;

use super::journal::{Journal, TemporaryNames};

/// A hook called between any two steps of a write, for tests that stop there.
type StepHook = Arc<dyn Fn() + Send + Sync>;

/// A writer of files.
#[derive(Clone)]
pub struct FileWriter {
    pub(super) journal: Option<Arc<Journal>>,
    pub(super) temporary_names: Arc<TemporaryNames>,
    /// Whether the file system may be asked to exchange names.
    pub(super) exchanges: bool,
    step: Option<StepHook>,
}

impl FileWriter {
    /// Creates a writer whose writes are recovered after a kill.
    pub fn with_journal(journal: Arc<Journal>) -> Self {
        Self {
            temporary_names: Arc::clone(journal.temporary_names()),
            journal: Some(journal),
            ..Self::default()
        }
    }

    /// Returns the journal, if there is one.
    pub fn journal(&self) -> Option<&Arc<Journal>> {
        self.journal.as_ref()
    }

    /// Sets a hook that is called between any two steps. With `exchanges` false, names are never
    /// exchanged, as on file systems that cannot.
    #[doc(hidden)]
    #[must_use]
    pub fn with_step_hook(
        mut self,
        exchanges: bool,
        step: impl Fn() + Send + Sync + 'static,
    ) -> Self {
        self.step = Some(Arc::new(step));
        self.exchanges = exchanges;
        self
    }

    pub(super) fn run_step_hook(&self) {
        if let Some(step) = &self.step {
            step();
        }
    }
}

impl Default for FileWriter {
    /// Creates a writer without a journal.
    fn default() -> Self {
        Self { journal: None, temporary_names: Arc::default(), exchanges: true, step: None }
    }
}

impl fmt::Debug for FileWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileWriter").field("journal", &self.journal).finish_non_exhaustive()
    }
}
