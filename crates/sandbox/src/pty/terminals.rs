//! The terminals of an agent, limited in number.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::terminal::{self, INPUT_BYTES_MAX, Terminal, TerminalCommand};
use super::terminal_output::{OutputWait, TerminalReading, WaitControl};
use crate::{CommandError, OutputRetention, ProcessExit, SandboxStatus};

/// Identifies a terminal within one [`TerminalPool`]; never reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TerminalId(pub u32);

impl fmt::Display for TerminalId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// Limits for the terminals of a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalLimits {
    /// Terminals at once.
    pub sessions_max: usize,
    /// How much unread output of each is kept.
    pub keep: OutputRetention,
    /// How long a terminal may be unused before [`TerminalPool::close_idle`] ends it.
    pub idle: Duration,
    /// The time between asking its processes to end and killing them.
    pub grace: Duration,
}

impl Default for TerminalLimits {
    /// Eight terminals, 256 KiB kept of each, half an hour, half a second.
    fn default() -> Self {
        Self {
            sessions_max: 8,
            keep: OutputRetention { head: 64 * 1024, tail: 192 * 1024 },
            idle: Duration::from_secs(30 * 60),
            grace: Duration::from_millis(500),
        }
    }
}

/// The state of an open terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalSummary {
    /// Its id.
    pub id: TerminalId,
    /// The text that it was started with.
    pub text: String,
    /// How the program ended; `None` while it runs.
    pub ending: Option<ProcessExit>,
    /// Bytes of unread output.
    pub unread_bytes: u64,
    /// When it was last written to or read from.
    pub last_used: Instant,
    /// How far its sandbox is enforced; `None` without one.
    pub sandbox_status: Option<SandboxStatus>,
}

/// Why a terminal could not be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum TerminalError {
    #[error("there is no terminal {0}; it was closed, or never started")]
    Unknown(TerminalId),
    #[error("{0} terminals are open, which is the maximum; close one first")]
    TooMany(usize),
    #[error(
        "terminal {0} does not read its input, and more than {INPUT_BYTES_MAX} bytes would be \
         queued; read its output, or close it"
    )]
    InputFull(TerminalId),
    /// Its command cannot be run.
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("the terminal failed: {0}")]
    System(#[from] std::io::Error),
}

/// The terminals of one agent. All methods may be called from several threads, and a wait does not
/// block other calls. Dropping it ends all programs in them without grace.
pub struct TerminalPool {
    limits: TerminalLimits,
    open: Mutex<OpenTerminals>,
}

#[derive(Default)]
struct OpenTerminals {
    last_id: u32,
    terminals: BTreeMap<TerminalId, Arc<Terminal>>,
}

impl TerminalPool {
    /// Creates a pool without terminals.
    #[must_use]
    pub fn new(limits: TerminalLimits) -> Self {
        Self { limits, open: Mutex::default() }
    }

    /// Starts a command in a new terminal and waits for its first output. `now` is its time of last
    /// use.
    ///
    /// If no further terminal is allowed, one is closed whose program has ended and whose output
    /// was read.
    ///
    /// # Errors
    /// If too many terminals are open, or the command cannot be started.
    pub fn start_terminal(
        &self,
        command: &TerminalCommand,
        wait: OutputWait,
        waiting: WaitControl<'_>,
        now: Instant,
    ) -> Result<(TerminalId, TerminalReading), TerminalError> {
        terminal::check_command(command)?;
        let (id, terminal) = {
            let mut open = self.lock();
            if open.terminals.len() >= self.limits.sessions_max {
                let spent = open.terminals.iter().find(|(_, terminal)| terminal.is_finished());
                let spent = spent.map(|(id, _)| *id);
                let spent = spent.ok_or(TerminalError::TooMany(self.limits.sessions_max))?;
                open.terminals.remove(&spent);
            }
            let terminal = Arc::new(Terminal::spawn(command, self.limits.keep, now)?);
            open.last_id += 1;
            let id = TerminalId(open.last_id);
            open.terminals.insert(id, Arc::clone(&terminal));
            (id, terminal)
        };
        Ok((id, terminal.read_output(wait, None, waiting)))
    }

    /// Types `text` (control characters included: `\u{3}` is ctrl-C, `\r` or `\n` the enter key)
    /// and waits for output.
    ///
    /// # Errors
    /// If there is no such terminal, or it does not read its earlier input.
    pub fn write_stdin(
        &self,
        id: TerminalId,
        text: &str,
        wait: OutputWait,
        waiting: WaitControl<'_>,
        now: Instant,
    ) -> Result<TerminalReading, TerminalError> {
        let terminal = self.find_terminal(id, now)?;
        let typed = Instant::now();
        if !terminal.queue_input(text) {
            return Err(TerminalError::InputFull(id));
        }
        Ok(terminal.read_output(wait, Some(typed), waiting))
    }

    /// Waits for output and takes what arrived since the last reading.
    ///
    /// # Errors
    /// If there is no such terminal.
    pub fn read_output(
        &self,
        id: TerminalId,
        wait: OutputWait,
        waiting: WaitControl<'_>,
        now: Instant,
    ) -> Result<TerminalReading, TerminalError> {
        Ok(self.find_terminal(id, now)?.read_output(wait, None, waiting))
    }

    /// Ends all programs in the terminal and returns their last output.
    ///
    /// # Errors
    /// If there is no such terminal.
    pub fn close(&self, id: TerminalId) -> Result<TerminalReading, TerminalError> {
        let terminal = self.lock().terminals.remove(&id).ok_or(TerminalError::Unknown(id))?;
        terminal.terminate(self.limits.grace);
        Ok(terminal.read_output(FINAL_WAIT, None, WaitControl::SILENT))
    }

    /// Returns all open terminals, ordered by id.
    #[must_use]
    pub fn list(&self) -> Vec<TerminalSummary> {
        let terminals: Vec<_> = self
            .lock()
            .terminals
            .iter()
            .map(|(id, terminal)| (*id, Arc::clone(terminal)))
            .collect();
        let listed = |(id, terminal): (TerminalId, Arc<Terminal>)| TerminalSummary {
            id,
            text: terminal.command_text.clone(),
            ending: terminal.program_exit(),
            unread_bytes: terminal.unread_bytes(),
            last_used: terminal.last_used(),
            sandbox_status: terminal.sandbox_status.clone(),
        };
        terminals.into_iter().map(listed).collect()
    }

    /// Closes the terminals that were not used for [`TerminalLimits::idle`], and returns their ids.
    pub fn close_idle(&self, now: Instant) -> Vec<TerminalId> {
        let idle = self.limits.idle;
        let expired: Vec<_> = {
            let mut open = self.lock();
            let is_idle = |_: &TerminalId, terminal: &mut Arc<Terminal>| {
                now.saturating_duration_since(terminal.last_used()) >= idle
            };
            open.terminals.extract_if(.., is_idle).collect()
        };
        for (_, terminal) in &expired {
            terminal.terminate(self.limits.grace);
        }
        expired.into_iter().map(|(id, _)| id).collect()
    }

    fn find_terminal(&self, id: TerminalId, now: Instant) -> Result<Arc<Terminal>, TerminalError> {
        let terminal = self.lock().terminals.get(&id).cloned().ok_or(TerminalError::Unknown(id))?;
        terminal.mark_used(now);
        Ok(terminal)
    }

    fn lock(&self) -> MutexGuard<'_, OpenTerminals> {
        // No panic can leave the state inconsistent.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The processes are gone, so the rest of the output arrives at once, and its end with it, unless
/// one of them left the session and holds the terminal.
const FINAL_WAIT: OutputWait =
    OutputWait { longest: Duration::from_millis(200), pause: Duration::from_millis(200) };
