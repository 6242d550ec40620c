//! foveal's handle of a guard: its reports, and the processes behind it.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::{io, iter, process};

use rustix::process::{Pid, Signal, WaitOptions};
use tempfile::NamedTempFile;

use super::control_group::ControlGroup;
use super::guard_program::{GuardProgram, GuardTarget};
use super::launch_file;
use crate::ProcessExit;
use crate::process_table::{ProcessEntry, guarded_processes, send_signal};
use crate::sandbox::{Confinement, ConfinementOrder};

/// A guard and the program behind it.
#[derive(Debug)]
pub(crate) struct GuardHandle {
    /// Holds the program to start, and later how that ended. Read by its handle.
    launch_file: NamedTempFile,
    /// The length of the program's record.
    program_length: usize,
    guard: Option<Pid>,
    /// Set if the command could kill its guard and the system lets foveal create a control group.
    control_group: Option<ControlGroup>,
}

impl GuardHandle {
    /// Writes the program for a guard that is not started yet. The file is created in `folder`,
    /// which the guard must be able to write.
    pub(crate) fn prepare<'a>(
        folder: &Path,
        program: &'a Path,
        arguments: impl Iterator<Item = &'a OsStr>,
    ) -> io::Result<Self> {
        let orders = tempfile::Builder::new().prefix("foveal-command-").tempfile_in(folder)?;
        let words = iter::once(program.as_os_str()).chain(arguments);
        let length = launch_file::write_program(orders.as_file(), words)?;
        Ok(Self { launch_file: orders, program_length: length, guard: None, control_group: None })
    }

    /// Returns the command of the guard. The guard does nothing before [`Self::release`] but to
    /// confine itself, if there is an `order`.
    pub(crate) fn guard_command(
        &self,
        guard: &GuardProgram,
        kind: GuardTarget,
        order: Option<&ConfinementOrder>,
    ) -> process::Command {
        let mut command = process::Command::new(guard.path());
        let [argument, rest @ ..] = GuardProgram::arguments(kind, self.launch_file.path());
        command
            .arg(argument)
            .args(order.into_iter().flat_map(ConfinementOrder::arguments))
            .args(rest);
        command
    }

    /// Lets the guard, which runs as `guard` and which only the caller reaps, start its program.
    /// Before, nothing but the guard ran, and the thread that started it, which is in the same
    /// sandbox, must have ended by now.
    pub(crate) fn release(
        &mut self,
        guard: Option<Pid>,
        confinement: Option<&Confinement>,
    ) -> io::Result<()> {
        self.guard = guard;
        // A guard that its command cannot signal needs none, and entering one takes milliseconds.
        if confinement != Some(&Confinement::Full) {
            self.control_group = guard.and_then(ControlGroup::with_guard);
        }
        launch_file::release_program(self.launch_file.as_file(), self.program_length)
    }

    /// Returns how the program ended, once the guard has reported it.
    pub(crate) fn program_exit(&self) -> Option<ProcessExit> {
        launch_file::read_exit(self.launch_file.as_file())
    }

    /// Returns the running processes behind the guard; if the guard was killed, those of its
    /// control group or, without one, of its session.
    pub(crate) fn processes(&self) -> Vec<ProcessEntry> {
        let members = self.control_group.as_ref().map(ControlGroup::members).unwrap_or_default();
        self.guard.map(|guard| guarded_processes(guard, &members)).unwrap_or_default()
    }

    /// Leaves the guard running with its processes; [`reap_detached_guards`] reaps it once it has
    /// ended.
    pub(crate) fn detach(&mut self) {
        if let Some(guard) = self.guard {
            let left = DetachedGuard { guard, control_group: self.control_group.take() };
            DETACHED_GUARDS.lock().unwrap_or_else(PoisonError::into_inner).push(left);
        }
    }

    /// Sends a signal to every process behind the guard for which `is_meant` is true. A kill stops
    /// all of them first, so that none can start another meanwhile.
    pub(crate) fn signal(&self, signal: Signal, is_meant: impl Fn(&ProcessEntry) -> bool) {
        let send =
            |signal: Signal| send_signal(signal, self.processes().into_iter().filter(&is_meant));
        if signal == Signal::KILL {
            send(Signal::STOP);
        }
        send(signal);
    }
}

/// A guard whose processes continue after their command has ended.
#[derive(Debug)]
struct DetachedGuard {
    guard: Pid,
    control_group: Option<ControlGroup>,
}

impl DetachedGuard {
    /// Returns whether it runs. If it has ended, its remaining processes belonged to a killed guard
    /// and are killed.
    fn is_running(&self) -> bool {
        let is_there =
            matches!(rustix::process::waitpid(Some(self.guard), WaitOptions::NOHANG), Ok(None));
        if !is_there && let Some(group) = &self.control_group {
            group.kill();
        }
        is_there
    }
}

static DETACHED_GUARDS: Mutex<Vec<DetachedGuard>> = Mutex::new(Vec::new());

/// Reaps the detached guards that have ended.
pub(crate) fn reap_detached_guards() {
    DETACHED_GUARDS
        .lock()
        .unwrap_or_else(PoisonError::into_inner)
        .retain(DetachedGuard::is_running);
}
