//! The processes of a terminal: those of its process namespace, or else of its session, whatever
//! groups a shell put them in.

use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, WaitIdStatus};

use crate::ProcessExit;
use crate::guard::GuardReport;
use crate::process_table::{ProcessEntry, descendants, running_processes, send_signal};

/// How long killed processes may take to be gone.
const KILL_TIMEOUT: Duration = Duration::from_millis(500);

/// The time between two kills.
const KILL_INTERVAL: Duration = Duration::from_millis(50);

/// How often to check whether the processes are gone.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// A process that leads its own session. Only [`TerminalSession::terminate`] reaps it, so that the
/// system does not reuse its id before.
#[derive(Debug)]
pub(super) struct TerminalSession {
    leader: Box<dyn portable_pty::Child + Send + Sync>,
    id: Option<Pid>,
    ending: Option<ProcessExit>,
    is_terminated: bool,
    /// The reports of the namespace's first process; `leader` is bubblewrap then.
    namespace: Option<GuardReport>,
}

impl TerminalSession {
    /// Follows a started process.
    pub(super) fn new(
        leader: Box<dyn portable_pty::Child + Send + Sync>,
        namespace: Option<GuardReport>,
    ) -> Self {
        let number = leader.process_id().and_then(|id| i32::try_from(id).ok());
        let id = number.and_then(Pid::from_raw);
        Self { leader, id, ending: None, is_terminated: false, namespace }
    }

    /// Returns how the leader ended; `None` while it runs.
    pub(super) fn leader_exit(&mut self) -> Option<ProcessExit> {
        if self.ending.is_none() {
            self.ending = self.namespace.as_mut().and_then(GuardReport::program_exit);
        }
        if self.ending.is_none()
            && let Some(status) = self.leader_status()
        {
            let code = status.exit_status().map(ProcessExit::Code);
            self.ending = code.or(status.terminating_signal().map(ProcessExit::Signal));
        }
        self.ending
    }

    /// Returns how the leader ended, without reaping it; `None` while it runs.
    fn leader_status(&self) -> Option<WaitIdStatus> {
        let without_reaping = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        rustix::process::waitid(WaitId::Pid(self.id?), without_reaping).ok()?
    }

    /// Asks all processes to end (SIGHUP, as when a terminal is closed, and SIGTERM), kills them
    /// after `grace`, and reaps the leader.
    pub(super) fn terminate(&mut self, grace: Duration) {
        if self.is_terminated {
            return;
        }
        self.send_signals(&[Signal::HUP, Signal::TERM, Signal::CONT]);
        self.wait_until_gone(grace);
        let begun = Instant::now();
        while !self.are_processes_gone() && begun.elapsed() < KILL_TIMEOUT {
            self.send_signals(&[Signal::KILL]);
            self.wait_until_gone(KILL_INTERVAL);
        }
        self.leader_exit();
        // A leader that is stuck in the kernel is not waited for.
        drop(self.leader.try_wait());
        self.is_terminated = true;
    }

    fn wait_until_gone(&mut self, longest: Duration) {
        let begun = Instant::now();
        while !self.are_processes_gone() && begun.elapsed() < longest {
            std::thread::sleep(END_CHECK_INTERVAL);
        }
    }

    fn are_processes_gone(&mut self) -> bool {
        match self.namespace {
            // bubblewrap ends after all others.
            Some(_) => self.leader_status().is_some(),
            None => self.leader_exit().is_some() && self.other_processes().is_empty(),
        }
    }

    fn send_signals(&self, signals: &[Signal]) {
        for signal in signals {
            if let Some(id) = self.id.filter(|_| self.namespace.is_none()) {
                // A group that has ended meanwhile needs no signal.
                let _ = rustix::process::kill_process_group(id, *signal);
            }
            send_signal(*signal, self.other_processes());
        }
    }

    /// Returns the running processes of the session except its leader, or of the namespace. Empty if the system does not
    /// list processes in `/proc`; then only the leader's group is reached.
    fn other_processes(&self) -> Vec<ProcessEntry> {
        let Some(session) = self.id else { return Vec::new() };
        if self.namespace.is_some() {
            return descendants(session);
        }
        let of_session = |process: &ProcessEntry| {
            process.id != session && process.session == session.as_raw_nonzero().get()
        };
        let all = running_processes().unwrap_or_default();
        all.into_iter().filter(of_session).collect()
    }
}

impl Drop for TerminalSession {
    fn drop(&mut self) {
        self.terminate(Duration::ZERO);
    }
}
