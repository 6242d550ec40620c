//! Whether files that other programs obey unasked changed while something of the session runs that
//! no call waits for.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use foveal_files::{Located, ObeyedFiles, Roots};

/// Those files as they stood when it was looked at them, and where.
#[derive(Debug, Clone)]
pub(crate) struct ObeyedLook {
    roots: Roots,
    files: ObeyedFiles,
}

impl ObeyedLook {
    /// Looks at what stands in `roots` and on the way to where commands start.
    pub(crate) fn at(roots: Roots) -> Self {
        Self { files: ObeyedFiles::look(&roots), roots }
    }

    /// Looks at the same places.
    pub(crate) fn again(&self) -> Self {
        Self::at(self.roots.clone())
    }

    /// What changed since `before` in its places.
    pub(crate) fn changed_since(&self, before: &Self) -> Vec<PathBuf> {
        match self.is_at(&before.roots) {
            true => self.files.changed_since(&before.files),
            false => before.again().files.changed_since(&before.files),
        }
    }

    /// Whether `roots` are its places.
    pub(crate) fn is_at(&self, roots: &Roots) -> bool {
        let paths =
            |roots: &Roots| roots.all().map(|root| root.path().to_owned()).collect::<Vec<_>>();
        self.roots.working_directory() == roots.working_directory()
            && paths(&self.roots) == paths(roots)
    }

    /// The folders in which there is more than was looked at.
    pub(crate) fn cut(&self) -> impl Iterator<Item = &Path> {
        self.files.cut()
    }
}

/// Those files as they were when it was looked last; nothing as long as no terminal was opened,
/// and no command left anything running.
#[derive(Debug, Default)]
pub(crate) struct ObeyedWatch(Mutex<Option<ObeyedLook>>);

impl ObeyedWatch {
    /// Begins to watch: before a terminal is opened, or after a command that left something. What
    /// is watched already is compared with its own last look.
    pub(crate) fn begin(&self, look: impl FnOnce() -> ObeyedLook) {
        self.known().get_or_insert_with(look);
    }

    /// The files that changed since it was looked last. From now on what `look` gives counts; it
    /// is looked only where something is watched.
    pub(crate) fn changes(&self, look: impl FnOnce() -> ObeyedLook) -> Vec<PathBuf> {
        let mut known = self.known();
        let Some(before) = known.take() else { return Vec::new() };
        let now = look();
        let changed = now.changed_since(&before);
        *known = Some(now);
        changed
    }

    /// Takes what a tool wrote with the person's word for known.
    pub(crate) fn know(&self, located: &Located) {
        if let Some(known) = &mut *self.known() {
            known.files.know(located.root(), located.relative());
        }
    }

    fn known(&self) -> MutexGuard<'_, Option<ObeyedLook>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
