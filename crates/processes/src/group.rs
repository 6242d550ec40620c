//! A process and the group it leads: asked whether it is over, and ended as a whole.

use std::process::{Child, ExitStatus};

use rustix::process::{Pid, Signal};

use crate::listed::running;

/// A child that was started as leader of its own process group.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
    status: Option<ExitStatus>,
}

impl Group {
    pub(crate) fn new(leader: Child) -> Self {
        Self { leader, status: None }
    }

    /// How the leader ended; `None` while it runs.
    pub(crate) fn leader_status(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.leader.try_wait()?;
        }
        Ok(self.status)
    }

    /// Whether nobody of the group is left. Where the system does not list processes, a zombie
    /// that its parent has not asked about counts as left, so callers wait for this with a bound.
    pub(crate) fn is_over(&mut self) -> bool {
        let leader_runs = matches!(self.leader_status(), Ok(None));
        let has_others = || self.has_members() && self.may_have_running();
        !(leader_runs || has_others())
    }

    /// Sends to every process of the group that is left.
    pub(crate) fn signal(&self, signal: Signal) {
        // While the leader was not waited for, or while the group has members, the system gives
        // its number to nobody else.
        if (self.status.is_none() || self.has_members())
            && let Some(group) = self.id()
        {
            // A group that ended meanwhile is what was wanted.
            let _ = rustix::process::kill_process_group(group, signal);
        }
    }

    fn has_members(&self) -> bool {
        self.id().is_some_and(|group| rustix::process::test_kill_process_group(group).is_ok())
    }

    /// Whether one of the group runs, or nobody can say.
    fn may_have_running(&self) -> bool {
        let group = self.id().map(|id| id.as_raw_nonzero().get());
        running().is_none_or(|all| all.iter().any(|process| Some(process.group) == group))
    }

    fn id(&self) -> Option<Pid> {
        Pid::from_raw(i32::try_from(self.leader.id()).ok()?)
    }
}

impl Drop for Group {
    /// Whatever happens to who waits (a panic in a callback), nothing is left running.
    fn drop(&mut self) {
        if self.status.is_none() {
            self.signal(Signal::KILL);
            let _ = self.leader.wait();
        }
    }
}
