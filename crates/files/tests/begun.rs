//! Processes that tests begin beside others.
//!
//! Until its program runs, such a process has all that is open here, locks included: what is locked
//! meanwhile is for whoever comes next as if another worked there.

use std::process::{Child, Command, Output, Stdio};
use std::sync::{PoisonError, RwLock};

static BEGINNING: RwLock<()> = RwLock::new(());

/// Begins a process, while nobody holds what [`alone`] is to keep from it.
pub(crate) fn begin(command: &mut Command) -> Child {
    let _alone = BEGINNING.write().unwrap_or_else(PoisonError::into_inner);
    command.spawn().unwrap()
}

/// Runs a process to its end.
pub(crate) fn output(command: &mut Command) -> Output {
    begin(command.stdout(Stdio::piped()).stderr(Stdio::piped())).wait_with_output().unwrap()
}

/// Does something while no process begins.
pub(crate) fn alone<T>(work: impl FnOnce() -> T) -> T {
    let _alone = BEGINNING.read().unwrap_or_else(PoisonError::into_inner);
    work()
}
