//! Restricted threads that start the processes of a sandbox.

use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use super::confinement_level::Confinement;
use super::scratch_folder::ScratchFolder;
use crate::CommandError;

/// The scratch folder of a sandbox, created with its first process.
#[derive(Debug, Clone, Default)]
pub(super) struct SandboxResources(Arc<Mutex<Option<Arc<ScratchFolder>>>>);

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
