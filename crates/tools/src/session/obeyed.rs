//! Whether files that other programs obey unasked changed while terminals are open.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_files::{Located, ObeyedFiles, Roots};

/// Those files as they were when it was looked last, and where; nothing as long as no terminal
/// was opened.
#[derive(Debug, Default)]
pub(crate) struct ObeyedWatch(Mutex<Option<(Roots, ObeyedFiles)>>);

impl ObeyedWatch {
    /// Begins to watch, before a terminal is opened.
    pub(crate) fn begin(&self, roots: &Roots) {
        self.known().get_or_insert_with(|| (roots.clone(), ObeyedFiles::look(roots)));
    }

    /// The files that changed since it was looked last. From now on those of `roots` count.
    pub(crate) fn changes(&self, roots: &Roots) -> Vec<PathBuf> {
        let Some((places, before)) = self.known().take() else { return Vec::new() };
        let changed = ObeyedFiles::look(&places).changed_since(&before);
        self.begin(roots);
        changed
    }

    /// Takes what a tool wrote with the person's word for known.
    pub(crate) fn know(&self, located: &Located) {
        if let Some((_, known)) = &mut *self.known() {
            known.know(located.root(), located.relative());
        }
    }

    fn known(&self) -> MutexGuard<'_, Option<(Roots, ObeyedFiles)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
