//! A process and the group it leads: asked whether it is over, and ended as a whole.

use std::process::{Child, ExitStatus};
use std::time::Duration;

use rustix::process::{Pid, Signal};

use crate::Ending;
use crate::guard::Watched;
use crate::listed::{Listed, name_of, running};
use crate::sandbox::Confinement;

/// How often, and how long apart, is tried to kill what nobody waits for any longer.
const KILLED_TICKS: u32 = 50;
const KILLED_TICK: Duration = Duration::from_millis(5);

/// Which of the processes that a command started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Of {
    /// Those that did not leave its session.
    Session,
    /// Those too, as far as they can be found: a guard finds them all.
    All,
}

/// A child that was started as leader of its own process group; behind a guard, the child is the
/// guard.
#[derive(Debug)]
pub(crate) struct Group {
    leader: Child,
    status: Option<ExitStatus>,
    watched: Option<Watched>,
}

impl Group {
    /// Follows what was started; a guard starts the program now.
    pub(crate) fn new(
        leader: Child,
        watched: Option<Watched>,
        confinement: Option<&Confinement>,
    ) -> std::io::Result<Self> {
        let mut group = Self { leader, status: None, watched };
        let id = group.id();
        if let Some(watched) = &mut group.watched {
            watched.started(Some(id), confinement)?;
        }
        Ok(group)
    }

    /// How the leader ended; `None` while it runs.
    pub(crate) fn ending(&mut self) -> std::io::Result<Option<Ending>> {
        // A guard tells it before it ends itself.
        let status = self.leader_status()?;
        let told = self.watched.as_ref().and_then(Watched::ending);
        Ok(told.or(status.map(Ending::from)))
    }

    fn leader_status(&mut self) -> std::io::Result<Option<ExitStatus>> {
        if self.status.is_none() {
            self.status = self.leader.try_wait()?;
        }
        Ok(self.status)
    }

    /// Whether nobody of them is left. Where the system does not list processes, a zombie
    /// that its parent has not asked about counts as left, so callers wait for this with a bound.
    pub(crate) fn is_over(&mut self, of: Of) -> bool {
        let leader_runs = matches!(self.leader_status(), Ok(None));
        let was_killed = self.guard_was_killed();
        match &self.watched {
            // A guard ends after all others, unless it was killed; one that has just been started
            // has others soon.
            Some(watched) => {
                let is_told = watched.ending().is_some();
                if leader_runs && (of == Of::All || !is_told) {
                    return false;
                }
                let is_meant = |process: &Listed| self.is_meant(process, of);
                let is_after_all = !leader_runs && is_told && !was_killed;
                is_after_all || !watched.processes().iter().any(is_meant)
            }
            None => !(leader_runs || self.has_members() && self.may_have_running()),
        }
    }

    /// Sends to every process of them that is left.
    pub(crate) fn signal(&self, signal: Signal, of: Of) {
        if let Some(watched) = &self.watched {
            watched.signal(signal, |process| self.is_meant(process, of));
            return;
        }
        // While the leader was not waited for, or while the group has members, the system gives
        // its number to nobody else.
        if self.status.is_none() || self.has_members() {
            // A group that ended meanwhile is what was wanted.
            let _ = rustix::process::kill_process_group(self.id(), signal);
        }
    }

    /// The names of the processes behind the guard that left the session and go on.
    pub(crate) fn daemons(&mut self) -> Vec<String> {
        // Where the guard has ended nobody is left, and no process has to be listed. What it can
        // watch over no more is about to end.
        if self.guard_was_killed() || self.is_over(Of::All) {
            return Vec::new();
        }
        let processes = self.watched.iter().flat_map(Watched::processes);
        processes.filter_map(|process| name_of(process.id)).collect()
    }

    /// Whether the guard could not wait for the others.
    fn guard_was_killed(&mut self) -> bool {
        let ended = self.leader_status().ok().flatten();
        self.watched.is_some() && ended.is_some_and(|status| status.code().is_none())
    }

    /// Whether a process behind the guard is one of them. The guard leads the session of the
    /// command.
    fn is_meant(&self, process: &Listed, of: Of) -> bool {
        of == Of::All || process.session == self.id().as_raw_nonzero().get()
    }

    fn has_members(&self) -> bool {
        rustix::process::test_kill_process_group(self.id()).is_ok()
    }

    /// Whether one of the group runs, or nobody can say.
    fn may_have_running(&self) -> bool {
        let group = self.id().as_raw_nonzero().get();
        running().is_none_or(|all| all.iter().any(|process| process.group == group))
    }

    fn id(&self) -> Pid {
        Pid::from_child(&self.leader)
    }
}

impl Drop for Group {
    /// Whatever happens to who waits (a panic in a callback), nothing is left running unseen.
    fn drop(&mut self) {
        let goes_on = matches!(self.ending(), Ok(Some(_))) && !self.guard_was_killed();
        for _ in 0..KILLED_TICKS {
            if goes_on || self.is_over(Of::All) {
                break;
            }
            self.signal(Signal::KILL, Of::All);
            std::thread::sleep(KILLED_TICK);
        }
        match (self.status, &mut self.watched) {
            (Some(_), _) => {}
            // It goes on watching over what is left.
            (None, Some(watched)) => watched.leave(),
            (None, None) => drop(self.leader.wait()),
        }
    }
}
