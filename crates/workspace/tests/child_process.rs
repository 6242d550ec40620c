//! Child processes of tests.
//!
//! Until it runs its program, a child has every open file of this process, locks included. A lock
//! released here meanwhile still looks held to its next taker.

use std::process::{Child, Command, Output, Stdio};
use std::sync::{PoisonError, RwLock};

static BEGINNING: RwLock<()> = RwLock::new(());

/// Spawns a process while no [`alone`] section runs.
pub(crate) fn begin(command: &mut Command) -> Child {
    let _alone = BEGINNING.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap()
}

/// Runs a process to its end and returns its output.
pub(crate) fn output(command: &mut Command) -> Output {
    begin(command.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output().unwrap()
}

/// Runs `work` while no process is spawned.
pub(crate) fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _alone = BEGINNING.read().unwrap_or_else(PoisonError::into_inner);
    work()
}
