//! The threads that start the processes of a sandbox.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread;

use super::confinement::Confinement;
use super::own_folder::OwnFolder;
use super::own_mounts::NoMounts;
use crate::CommandError;

/// The folder of one sandbox, made with the first process; and why its processes cannot have mounts
/// of their own, once that was seen.
#[derive(Debug, Clone, Default)]
pub(super) struct Kept(Arc<Mutex<Option<Arc<OwnFolder>>>>, Arc<OnceLock<String>>);

impl Kept {
    /// The folder; another one if a command removed it.
    pub(super) fn folder(&self) -> Result<Arc<OwnFolder>, CommandError> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = kept.as_ref().filter(|folder| folder.path().is_dir()) {
            return Ok(Arc::clone(folder));
        }
        let made = Arc::new(OwnFolder::new()?);
        *kept = Some(Arc::clone(&made));
        Ok(made)
    }

    /// Why no process here can have mounts of its own, if that was seen.
    pub(super) fn no_mounts(&self) -> Option<String> {
        self.1.get().cloned()
    }

    /// Remembers it, if it holds for every process; why.
    pub(super) fn note_no_mounts(&self, NoMounts { why, lasts }: NoMounts) -> String {
        match lasts {
            true => self.1.get_or_init(|| why).clone(),
            false => why,
        }
    }
}

/// Runs `start` on a thread that `restrict` has restricted. The thread ends before this returns:
/// to the kernel it belongs to the sandbox, and through it, what runs there could reach the rest
/// of the program.
pub(super) fn run<T: Send>(
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
        let kept = Kept::default();
        let why = |why: &str, lasts| NoMounts { why: why.to_owned(), lasts };
        assert_eq!(kept.note_no_mounts(why("once", false)), "once");
        assert_eq!(kept.no_mounts(), None);
        assert_eq!(kept.note_no_mounts(why("never", true)), "never");
        assert_eq!(kept.no_mounts().as_deref(), Some("never"));
    }
}
