//! A process and the group that it leads.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::ProcessExit;
use crate::guard::GuardHandle;
use crate::process_table::{ProcessEntry, process_name, running_processes};
use crate::sandbox::Confinement;

/// How often, and how far apart, an abandoned group is killed.
const KILL_ATTEMPTS: u32 = 50;
const KILL_INTERVAL: Duration = Duration::from_millis(5);

/// Which of a command's processes are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProcessScope {
    /// Those that did not leave its session.
    Session,
    /// Those that left it too, as far as they can be found: a guard finds them all.
    All,
}

/// A child that leads its own process group; with a guard, the child is the guard.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    leader: Child,
    status: Option<ExitStatus>,
    guard_handle: Option<GuardHandle>,
}

impl ProcessGroup {
    /// Follows a started child. A guard starts its program now.
    pub(crate) fn new(
        leader: Child,
        watched: Option<GuardHandle>,
        confinement: Option<&Confinement>,
    ) -> std::io::Result<Self> {
        let mut group = Self { leader, status: None, guard_handle: watched };
        let id = group.id();
        if let Some(watched) = &mut group.guard_handle {
            watched.release(Some(id), confinement)?;
        }
        Ok(group)
    }

    /// Returns how the leader ended; `None` while it runs.
    pub(crate) fn leader_exit(&mut self) -> std::io::Result<Option<ProcessExit>> {
        // A guard reports the exit of its program before it ends itself.
        let status = self.leader_status()?;
        let told = self.guard_handle.as_ref().and_then(GuardHandle::program_exit);
        Ok(told.or(status.map(ProcessExit::from)))
    }

    fn leader_status(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.leader.try_wait()?;
        }
        Ok(self.status)
    }

    /// Returns whether no process in `of` is left. If the system does not list processes, an
    /// unreaped zombie counts as left, so that callers must bound their wait.
    pub(crate) fn are_processes_gone(&mut self, of: ProcessScope) -> bool {
        let leader_runs = matches!(self.leader_status(), Ok(None));
        let was_killed = self.guard_was_killed();
        match &self.guard_handle {
            // A guard ends after all its processes unless it was killed; one that has just started
            // will have some soon.
            Some(watched) => {
                let is_told = watched.program_exit().is_some();
                if leader_runs && (of == ProcessScope::All || !is_told) {
                    return false;
                }
                let is_meant = |process: &ProcessEntry| self.is_in_scope(process, of);
                let is_after_all = !leader_runs && is_told && !was_killed;
                is_after_all || !watched.processes().iter().any(is_meant)
            }
            None => !(leader_runs || self.has_members() && self.may_have_running_member()),
        }
    }

    /// Sends a signal to every remaining process in `of`.
    pub(crate) fn signal(&self, signal: Signal, of: ProcessScope) {
        if let Some(watched) = &self.guard_handle {
            watched.signal(signal, |process| self.is_in_scope(process, of));
            return;
        }
        // The system does not reuse the number while the leader is not reaped or the group has
        // members.
        if self.status.is_none() || self.has_members() {
            // A group that has ended meanwhile needs no signal.
            let _ = rustix::process::kill_process_group(self.id(), signal);
        }
    }

    /// Returns the names of guarded processes that left the session and still run.
    pub(crate) fn daemon_names(&mut self) -> Vec<String> {
        // If the guard has ended, no process is left, and listing them is unnecessary. Processes
        // that it can no longer watch are about to end.
        if self.guard_was_killed() || self.are_processes_gone(ProcessScope::All) {
            return Vec::new();
        }
        let processes = self.guard_handle.iter().flat_map(GuardHandle::processes);
        processes.filter_map(|process| process_name(process.id)).collect()
    }

    /// Returns whether the guard was killed and could not wait for its processes.
    fn guard_was_killed(&mut self) -> bool {
        let ended = self.leader_status().ok().flatten();
        self.guard_handle.is_some() && ended.is_some_and(|status| status.code().is_none())
    }

    /// Returns whether a guarded process is in scope. The guard leads the command's session.
    fn is_in_scope(&self, process: &ProcessEntry, of: ProcessScope) -> bool {
        of == ProcessScope::All || process.session == self.id().as_raw_nonzero().get()
    }

    fn has_members(&self) -> bool {
        rustix::process::test_kill_process_group(self.id()).is_ok()
    }

    /// Returns whether a member of the group runs, or processes cannot be listed.
    fn may_have_running_member(&self) -> bool {
        let group = self.id().as_raw_nonzero().get();
        running_processes().is_none_or(|all| all.iter().any(|process| process.group == group))
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.leader)
    }
}

impl Drop for ProcessGroup {
    /// Leaves no process running unseen, for example after a panic in a callback.
    fn drop(&mut self) {
        let goes_on = matches!(self.leader_exit(), Ok(Some(_))) && !self.guard_was_killed();
        for _ in 0..KILL_ATTEMPTS {
            if goes_on || self.are_processes_gone(ProcessScope::All) {
                break;
            }
            self.signal(Signal::KILL, ProcessScope::All);
            std::thread::sleep(KILL_INTERVAL);
        }
        match (self.status, &mut self.guard_handle) {
            (Some(_), _) => {}
            // The guard goes on watching its processes.
            (None, Some(watched)) => watched.detach(),
            (None, None) => drop(self.leader.wait()),
        }
    }
}
