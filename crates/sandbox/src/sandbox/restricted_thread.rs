//! Restricted threads that start the processes of a sandbox.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::confinement_level::Confinement;
use super::mount_namespace::MountFailure;
use super::scratch_folder::ScratchFolder;
use crate::CommandError;

/// The scratch folder of a sandbox, created with its first process; and why its processes cannot
/// have a mount namespace, once that is known.
#[derive(Debug, Clone, Default)]
pub(super) struct SandboxResources(Arc<Mutex<Option<Arc<ScratchFolder>>>>, Arc<OnceLock<String>>);

impl SandboxResources {
    /// Returns the scratch folder; creates another if a command removed it.
    pub(super) fn scratch_folder(&self) -> Result<Arc<ScratchFolder>, CommandError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = kept.as_ref().filter(|folder| folder.path().is_dir()) {
            return Ok(Arc::clone(folder));
        }
        let made = Arc::new(ScratchFolder::new()?);
        *kept = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Returns why no process here can have a mount namespace, if that is known.
    pub(super) fn permanent_mount_failure(&self) -> Option<String> {
        self.1.get().cloned()
    }

    /// Stores a permanent failure. Returns the reason.
    pub(super) fn record_mount_failure(
        &self,
        MountFailure { why, is_permanent: lasts }: MountFailure,
    ) -> String {
        match lasts {
            true => self.1.get_or_init(|| why).clone(),
            false => why,
        }
    }
}

/// Runs `start` on a thread after `restrict` has restricted it. The thread ends before this
/// returns: it belongs to the sandbox, and through it processes in there could reach the rest of
/// the program.
pub(super) fn run_restricted<T: Send>(
    restrict: impl FnOnce() -> Result<Confinement, CommandError> + Send,
    start: impl FnOnce() -> T + Send,
) -> Result<(T, Confinement), CommandError> {
    let confined = || {
        let confinement = restrict()?;
        Ok((start(), confinement))
    };
    thread::scope(|scope| match scope.spawn(confined).join() {
        Ok(started) => started,
        Err(panic) => std::panic::resume_unwind(panic),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_holds_for_every_process_is_remembered() {
        let kept = SandboxResources::default();
        let why = |why: &str, lasts| MountFailure { why: why.to_owned(), is_permanent: lasts };
        assert_eq!(kept.record_mount_failure(why("once", false)), "once");
        assert_eq!(kept.permanent_mount_failure(), None);
        assert_eq!(kept.record_mount_failure(why("never", true)), "never");
        assert_eq!(kept.permanent_mount_failure().as_deref(), Some("never"));
    }
}
