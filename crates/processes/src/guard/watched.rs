//! A guard as foveal sees it: what it told, and which processes are its descendants.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{io, iter};

use rustix::process::{Pid, Signal, WaitOptions};
use tempfile::NamedTempFile;

use super::orders;
use super::program::{Guard, Kind};
use crate::Ending;
use crate::listed::{Listed, of_guard};

/// What is known of a guard and of the program behind it.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Says what to start, and then how that ended. Read by its handle.
    orders: NamedTempFile,
    guard: Option<Pid>,
}

impl Watched {
    /// Before the guard is started; its file is made in `folder`, which the guard must be able to
    /// write.
    pub(crate) fn prepare(folder: &Path) -> io::Result<Self> {
        let orders = tempfile::Builder::new().prefix("foveal-command-").tempfile_in(folder)?;
        Ok(Self { orders, guard: None })
    }

    /// Has the guard start a program with its arguments. Nothing but the guard runs before, and by
    /// then the thread that started it, which is in the same sandbox, must have ended.
    pub(crate) fn order<'a>(
        &self,
        program: &'a Path,
        arguments: impl Iterator<Item = &'a OsStr>,
    ) -> io::Result<()> {
        let words = iter::once(program.as_os_str()).chain(arguments);
        orders::write_program(self.orders.as_file(), words)
    }

    /// The arguments for the guard.
    pub(crate) fn arguments(&self, kind: Kind) -> [OsString; 4] {
        Guard::arguments(kind, self.orders.path())
    }

    /// The guard runs as `guard`, which nobody but the caller waits for.
    pub(crate) fn started(&mut self, guard: Option<Pid>) {
        self.guard = guard;
    }

    /// How the program ended, once the guard has told it.
    pub(crate) fn ending(&self) -> Option<Ending> {
        orders::read_ending(self.orders.as_file())
    }

    /// The processes behind the guard that run; of a guard that was killed, those of its session.
    pub(crate) fn processes(&self) -> Vec<Listed> {
        self.guard.map(of_guard).unwrap_or_default()
    }

    /// Sends to every process behind the guard that `is_meant`. Where they are to be killed, all
    /// are stopped before, so that none can start another meanwhile.
    pub(crate) fn signal(&self, signal: Signal, is_meant: impl Fn(&Listed) -> bool) {
        let send = |signal: Signal| {
            for process in self.processes().into_iter().filter(&is_meant) {
                // Who ended meanwhile is what was wanted.
                let _ = rustix::process::kill_process(process.id, signal);
            }
        };
        if signal == Signal::KILL {
            send(Signal::STOP);
        }
        send(signal);
    }
}

/// Guards that stay with programs that went on after their command had ended.
static LEFT: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Lets a guard stay with what it guards; [`reap`] collects it when it has ended.
pub(crate) fn leave(guard: Pid) {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).push(guard);
}

/// Collects the guards that have ended since they were left.
pub(crate) fn reap() {
    let is_there = |guard: &Pid| {
        matches!(rustix::process::waitpid(Some(*guard), WaitOptions::NOHANG), Ok(None))
    };
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).retain(is_there);
}
