//! A process and what it started: its process namespace, or else the group that it leads.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::ProcessExit;
use crate::guard::GuardReport;
use crate::process_table::{descendants, running_processes, send_signal};

/// How often, and how far apart, an abandoned group is killed.
const KILL_ATTEMPTS: u32 = 50;
const KILL_INTERVAL: Duration = Duration::from_millis(5);

/// A child with the processes that it started.
#[derive(Debug)]
pub(crate) struct ProcessGroup {
    /// With a namespace, bubblewrap, which ends after all processes of that; otherwise the leader of
    /// the group.
    leader: Child,
    status: Option<ExitStatus>,
    /// The reports of the namespace's first process, the guard.
    namespace: Option<GuardReport>,
}

impl ProcessGroup {
    /// Follows a started child.
    pub(crate) fn new(leader: Child, namespace: Option<GuardReport>) -> Self {
        Self { leader, status: None, namespace }
    }

    /// Returns how the program ended; `None` while it runs.
    pub(crate) fn leader_exit(&mut self) -> std::io::Result<Option<ProcessExit>> {
        // A guard reports the exit of its program before it ends itself.
        let status = self.leader_status()?;
        let reported = self.namespace.as_mut().and_then(GuardReport::program_exit);
        Ok(reported.or(status.map(ProcessExit::from)))
    }

    fn leader_status(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.leader.try_wait()?;
        }
        Ok(self.status)
    }

    /// Returns whether no process is left. If the system does not list processes, an unreaped zombie
    /// counts as left, so that callers must bound their wait.
    pub(crate) fn are_processes_gone(&mut self) -> bool {
        let leader_runs = matches!(self.leader_status(), Ok(None));
        let has_others =
            self.namespace.is_none() && self.has_members() && self.may_have_running_member();
        !leader_runs && !has_others
    }

    /// Sends a signal to every remaining process. A kill of a namespace's first process, which
    /// ignores other signals, ends all at once.
    pub(crate) fn signal(&self, signal: Signal) {
        if self.namespace.is_some() {
            send_signal(signal, descendants(self.id()));
        } else if self.status.is_none() || self.has_members() {
            // The system does not reuse the number while the leader is not reaped or the group has
            // members. A group that has ended meanwhile needs no signal.
            let _ = rustix::process::kill_process_group(self.id(), signal);
        }
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
        for _ in 0..KILL_ATTEMPTS {
            if self.are_processes_gone() {
                break;
            }
            self.signal(Signal::KILL);
            std::thread::sleep(KILL_INTERVAL);
        }
        if self.status.is_none() {
            drop(self.leader.wait());
        }
    }
}
