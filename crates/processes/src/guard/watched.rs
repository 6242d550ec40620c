//! A guard as foveal sees it: what it told, and which processes are its descendants.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{io, iter, process};

use rustix::process::{Pid, Signal, WaitOptions};
use tempfile::NamedTempFile;

use super::control_group::ControlGroup;
use super::orders;
use super::program::{Guard, Kind};
use crate::Ending;
use crate::listed::{Listed, of_guard, send};
use crate::sandbox::{Confinement, Order};

/// What is known of a guard and of the program behind it.
#[derive(Debug)]
pub(crate) struct Watched {
    /// Says what to start, and then how that ended. Read by its handle.
    orders: NamedTempFile,
    /// How long the orders are.
    length: usize,
    guard: Option<Pid>,
    /// Where the command could kill its guard, and the system lets foveal have one.
    group: Option<ControlGroup>,
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
        Ok(Self { orders, length, guard: None, group: None })
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
    pub(crate) fn started(
        &mut self,
        guard: Option<Pid>,
        confinement: Option<&Confinement>,
    ) -> io::Result<()> {
        self.guard = guard;
        // A guard that its command cannot reach needs none, and to enter one takes milliseconds.
        if confinement != Some(&Confinement::Full) {
            self.group = guard.and_then(ControlGroup::around);
        }
        orders::give_program(self.orders.as_file(), self.length)
    }

    /// How the program ended, once the guard has told it.
    pub(crate) fn ending(&self) -> Option<Ending> {
        orders::read_ending(self.orders.as_file())
    }

    /// The processes behind the guard that run; of a guard that was killed, those of its control
    /// group or, without one, of its session.
    pub(crate) fn processes(&self) -> Vec<Listed> {
        let members = self.group.as_ref().map(ControlGroup::members).unwrap_or_default();
        self.guard.map(|guard| of_guard(guard, &members)).unwrap_or_default()
    }

    /// Lets the guard stay with what it guards; [`reap`] collects it when it has ended.
    pub(crate) fn leave(&mut self) {
        if let Some(guard) = self.guard {
            let left = Left { guard, group: self.group.take() };
            LEFT.lock().unwrap_or_else(PoisonError::into_inner).push(left);
        }
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

/// A guard that stays with programs that went on after their command had ended.
#[derive(Debug)]
struct Left {
    guard: Pid,
    group: Option<ControlGroup>,
}

impl Left {
    /// Whether it goes on; what is left of one that has ended was left by who killed it.
    fn is_there(&self) -> bool {
        let is_there =
            matches!(rustix::process::waitpid(Some(self.guard), WaitOptions::NOHANG), Ok(None));
        if !is_there && let Some(group) = &self.group {
            group.kill();
        }
        is_there
    }
}

static LEFT: Mutex<Vec<Left>> = Mutex::new(Vec::new());

/// Collects the guards that have ended since they were left.
pub(crate) fn reap() {
    LEFT.lock().unwrap_or_else(PoisonError::into_inner).retain(Left::is_there);
}
