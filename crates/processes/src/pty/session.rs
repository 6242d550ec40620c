//! The processes of a terminal: all of its session, whatever groups a shell put them in.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions};

use crate::Ending;
use crate::guard::Watched;
use crate::listed::{Listed, running, send};
use crate::sandbox::Confinement;

/// How long killed processes may take to be gone.
const KILLED_WAIT: Duration = Duration::from_millis(500);

/// How long a kill is given before the next.
const KILL_AGAIN: Duration = Duration::from_millis(50);

/// How often is looked whether they are.
const TICK: Duration = Duration::from_millis(5);

/// A process that leads its own session, and that only [`Session::end`] waits for: until then
/// the system gives its number to nobody else.
#[derive(Debug)]
pub(super) struct Session {
    leader: Box<dyn portable_pty::Child + Send + Sync>,
    id: Option<Pid>,
    ending: Option<Ending>,
    is_over: bool,
    /// Behind a guard, the leader here is the guard, and what it tells is of the terminal's
    /// first process.
    watched: Option<Watched>,
}

impl Session {
    /// Follows what was started; a guard starts the program now.
    pub(super) fn new(
        leader: Box<dyn portable_pty::Child + Send + Sync>,
        watched: Option<Watched>,
        confinement: Option<&Confinement>,
    ) -> std::io::Result<Self> {
        let number = leader.process_id().and_then(|id| i32::try_from(id).ok());
        let id = number.and_then(Pid::from_raw);
        let mut session = Self { leader, id, ending: None, is_over: false, watched };
        if let Some(watched) = &mut session.watched {
            watched.started(id, confinement)?;
        }
        Ok(session)
    }

    /// How the leader ended; `None` while it runs.
    pub(super) fn ending(&mut self) -> Option<Ending> {
        if self.ending.is_none() {
            self.ending = self.watched.as_ref().and_then(Watched::ending);
        }
        if self.ending.is_none()
            && let Some(id) = self.id
        {
            let without_collecting =
                WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
            let status = rustix::process::waitid(WaitId::Pid(id), without_collecting).ok()??;
            let code = status.exit_status().map(Ending::Code);
            self.ending = code.or(status.terminating_signal().map(Ending::Signal));
        }
        self.ending
    }

    /// Asks all to end (SIGHUP, as when a terminal is closed, and SIGTERM), kills them after
    /// `grace`, and collects the leader.
    pub(super) fn end(&mut self, grace: Duration) {
        if self.is_over {
            return;
        }
        self.signal(&[Signal::HUP, Signal::TERM, Signal::CONT]);
        self.wait_until_gone(grace);
        let begun = Instant::now();
        while !self.is_gone() && begun.elapsed() < KILLED_WAIT {
            self.signal(&[Signal::KILL]);
            self.wait_until_gone(KILL_AGAIN);
        }
        self.ending();
        // A leader that is stuck in the kernel would hold up who waits here; it is left alone. A
        // guard is about to end.
        if !matches!(self.leader.try_wait(), Ok(Some(_)))
            && let Some(watched) = &mut self.watched
        {
            watched.leave();
        }
        self.is_over = true;
    }

    fn wait_until_gone(&mut self, longest: Duration) {
        let begun = Instant::now();
        while !self.is_gone() && begun.elapsed() < longest {
            std::thread::sleep(TICK);
        }
    }

    fn is_gone(&mut self) -> bool {
        self.ending().is_some() && self.followers().is_empty()
    }

    fn signal(&self, signals: &[Signal]) {
        for signal in signals {
            if let Some(watched) = &self.watched {
                watched.signal(*signal, |_| true);
                continue;
            }
            if let Some(id) = self.id {
                // Who ended meanwhile is what was wanted.
                let _ = rustix::process::kill_process_group(id, *signal);
            }
            send(*signal, self.followers());
        }
    }

    /// Processes of the session other than its leader, except those that have ended and only
    /// wait to be collected. Empty where the system does not list processes in `/proc`; there
    /// the group of the leader is all that is reached.
    fn followers(&self) -> Vec<Listed> {
        if let Some(watched) = &self.watched {
            return watched.processes();
        }
        let Some(session) = self.id else { return Vec::new() };
        let of_session = |process: &Listed| {
            process.id != session && process.session == session.as_raw_nonzero().get()
        };
        let all = running().unwrap_or_default();
        all.into_iter().filter(of_session).collect()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}
