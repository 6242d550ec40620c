//! The terminals of an agent: started, written to, read, closed; so many at a time.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::reading::{Reading, Wait, Waiting};
use super::terminal::{self, INPUT_BYTES_MAX, Terminal, TerminalCommand};
use crate::{CommandError, Ending, Holding, KeepBytes, guard};

/// Names a terminal among those of one [`Terminals`]; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct TerminalId(pub u32);

impl fmt::Display for TerminalId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

/// What all terminals together may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalLimits {
    /// How many there may be at once.
    pub sessions_max: usize,
    /// How much output of each is kept until it is read.
    pub keep: KeepBytes,
    /// How long one may go unused before [`Terminals::expire`] ends it.
    pub idle: Duration,
    /// Between asking its processes to end and killing them.
    pub grace: Duration,
}

impl Default for TerminalLimits {
    /// Eight terminals, 256 KiB kept of each, half an hour, half a second.
    fn default() -> Self {
        Self {
            sessions_max: 8,
            keep: KeepBytes { head: 64 * 1024, tail: 192 * 1024 },
            idle: Duration::from_secs(30 * 60),
            grace: Duration::from_millis(500),
        }
    }
}

/// A terminal in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub id: TerminalId,
    /// What it was started with.
    pub text: String,
    /// How the program ended; `None` while it runs.
    pub ending: Option<Ending>,
    /// Bytes of output that nobody has read.
    pub unread_bytes: u64,
    /// When it was last written to or read from.
    pub used: Instant,
    /// How far its sandbox holds; `None` without one.
    pub holding: Option<Holding>,
}

/// Why a terminal could not be used.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum TerminalError {
    #[error("there is no terminal {0}; it was closed, or never started")]
    Unknown(TerminalId),
    #[error("{0} terminals are open, which is the most; close one first")]
    TooMany(usize),
    #[error(
        "terminal {0} does not read its input, and more than {INPUT_BYTES_MAX} bytes would wait; \
         read its output, or close it"
    )]
    InputFull(TerminalId),
    /// What should run cannot be.
    #[error(transparent)]
    Command(#[from] CommandError),
    #[error("the terminal failed: {0}")]
    System(#[from] std::io::Error),
}

/// The terminals of one agent. All methods may be called from several threads; one that waits
/// holds up no other. Dropped, it ends all that runs in them, without grace.
pub struct Terminals {
    limits: TerminalLimits,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    last: u32,
    terminals: BTreeMap<TerminalId, Arc<Terminal>>,
}

impl Terminals {
    /// None yet.
    #[must_use]
    pub fn new(limits: TerminalLimits) -> Self {
        Self { limits, open: Mutex::default() }
    }

    /// Starts a command in a terminal of its own and waits for its first output. `now` is when
    /// it counts as used.
    ///
    /// Where no more may be started, a terminal whose program has ended, and whose output was
    /// all read, makes room.
    ///
    /// # Errors
    /// When too many are open, or the command cannot be started.
    pub fn exec(
        &self,
        command: &TerminalCommand,
        wait: Wait,
        waiting: Waiting<'_>,
        now: Instant,
    ) -> Result<(TerminalId, Reading), TerminalError> {
        terminal::check(command)?;
        guard::reap();
        let (id, terminal) = {
            let mut open = self.lock();
            if open.terminals.len() >= self.limits.sessions_max {
                let spent = open.terminals.iter().find(|(_, terminal)| terminal.is_spent());
                let spent = spent.map(|(id, _)| *id);
                let spent = spent.ok_or(TerminalError::TooMany(self.limits.sessions_max))?;
                open.terminals.remove(&spent);
            }
            let terminal = Arc::new(Terminal::start(command, self.limits.keep, now)?);
            open.last += 1;
            let id = TerminalId(open.last);
            open.terminals.insert(id, Arc::clone(&terminal));
            (id, terminal)
        };
        Ok((id, terminal.read(wait, None, waiting)))
    }

    /// Types `text` (control characters and all: `\u{3}` is ctrl-C, `\r` or `\n` the enter key)
    /// and waits for output.
    ///
    /// # Errors
    /// When there is no such terminal, or it does not read what was typed before.
    pub fn write_stdin(
        &self,
        id: TerminalId,
        text: &str,
        wait: Wait,
        waiting: Waiting<'_>,
        now: Instant,
    ) -> Result<Reading, TerminalError> {
        let terminal = self.find(id, now)?;
        let typed = Instant::now();
        if !terminal.write(text) {
            return Err(TerminalError::InputFull(id));
        }
        Ok(terminal.read(wait, Some(typed), waiting))
    }

    /// Waits for output and takes what came since the last reading.
    ///
    /// # Errors
    /// When there is no such terminal.
    pub fn read(
        &self,
        id: TerminalId,
        wait: Wait,
        waiting: Waiting<'_>,
        now: Instant,
    ) -> Result<Reading, TerminalError> {
        Ok(self.find(id, now)?.read(wait, None, waiting))
    }

    /// Ends everything that runs in the terminal and tells what it wrote last.
    ///
    /// # Errors
    /// When there is no such terminal.
    pub fn close(&self, id: TerminalId) -> Result<Reading, TerminalError> {
        let terminal = self.lock().terminals.remove(&id).ok_or(TerminalError::Unknown(id))?;
        terminal.end(self.limits.grace);
        Ok(terminal.read(LAST_OUTPUT, None, Waiting::QUIET))
    }

    /// All terminals that are not closed, by their ids.
    #[must_use]
    pub fn list(&self) -> Vec<Listed> {
        let terminals: Vec<_> = self
            .lock()
            .terminals
            .iter()
            .map(|(id, terminal)| (*id, Arc::clone(terminal)))
            .collect();
        let listed = |(id, terminal): (TerminalId, Arc<Terminal>)| Listed {
            id,
            text: terminal.text.clone(),
            ending: terminal.ending(),
            unread_bytes: terminal.unread_bytes(),
            used: terminal.used(),
            holding: terminal.holding.clone(),
        };
        terminals.into_iter().map(listed).collect()
    }

    /// Closes the terminals that were not used for [`TerminalLimits::idle`], and names them.
    pub fn expire(&self, now: Instant) -> Vec<TerminalId> {
        let idle = self.limits.idle;
        let expired: Vec<_> = {
            let mut open = self.lock();
            let is_idle = |_: &TerminalId, terminal: &mut Arc<Terminal>| {
                now.saturating_duration_since(terminal.used()) >= idle
            };
            open.terminals.extract_if(.., is_idle).collect()
        };
        for (_, terminal) in &expired {
            terminal.end(self.limits.grace);
        }
        expired.into_iter().map(|(id, _)| id).collect()
    }

    fn find(&self, id: TerminalId, now: Instant) -> Result<Arc<Terminal>, TerminalError> {
        let terminal = self.lock().terminals.get(&id).cloned().ok_or(TerminalError::Unknown(id))?;
        terminal.touch(now);
        Ok(terminal)
    }

    fn lock(&self) -> MutexGuard<'_, Open> {
        // Nothing is left half done where a panic could happen.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The processes are gone, so the rest of the output comes at once, and its end with it, unless
/// one of them left the session and holds the terminal.
const LAST_OUTPUT: Wait =
    Wait { longest: Duration::from_millis(200), pause: Duration::from_millis(200) };
