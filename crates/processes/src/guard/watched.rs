//! A guard as foveal sees it: what it told, and which processes are its descendants.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{io, iter, process};

use rustix::process::{Pid, Signal, WaitOptions};
use tempfile::NamedTempFile;

use super::orders;
use super::program::{Guard, Kind};
use crate::Ending;
use crate::listed::{Listed, of_guard, send};
use crate::sandbox::Order;

/// What is known of a guard and of the program behind it.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Says what to start, and then how that ended. Read by its handle.
    orders: NamedTempFile,
    /// How long the orders are.
    length: usize,
    guard: Option<Pid>,
}

impl Watched {
    /// Before the guard is started, which is to start a program with its arguments; the file for
    /// that is made in `folder`, which the guard must be able to write.
    pub(crate) fn prepare<'a>(
        folder: &Path,
        program: &'a Path,
        arguments: impl Iterator<Item = &'a OsStr>,
    ) -> io::Result<Self> {
        let orders = tempfile::Builder::new().prefix("foveal-command-").tempfile_in(folder)?;
        let words = iter::once(program.as_os_str()).chain(arguments);
        let length = orders::write_program(orders.as_file(), words)?;
        Ok(Self { orders, length, guard: None })
    }

    /// The guard, which does nothing before [`Self::started`] but to confine itself, if there is
    /// an order to do so.
    pub(crate) fn command(
        &self,
        guard: &Guard,
        kind: Kind,
        order: Option<&Order>,
    ) -> process::Command {
        let mut command = process::Command::new(guard.program());
        let [argument, rest @ ..] = Guard::arguments(kind, self.orders.path());
        command.arg(argument).args(order.into_iter().flat_map(Order::arguments)).args(rest);
        command
    }

    /// The guard runs as `guard`, which nobody but the caller waits for, and may start the program.
    /// Nothing but the guard ran before, and by now the thread that started it, which is in the
    /// same sandbox, must have ended.
    pub(crate) fn started(&mut self, guard: Option<Pid>) -> io::Result<()> {
        self.guard = guard;
        orders::give_program(self.orders.as_file(), self.length)
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
        let send = |signal: Signal| send(signal, self.processes().into_iter().filter(&is_meant));
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
