//! What a terminal wrote since it was last read, and waiting for more of it.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use serde::{Deserialize, Serialize};

use crate::{BoundedOutput, Decoder, Ending, KeepBytes, Output};

/// The longest wait without asking whether to go on.
const TICK: Duration = Duration::from_millis(20);

/// Output that waits to be streamed, in bytes; of more, the last. All of it is in the reading.
const FRESH_BYTES_MAX: usize = 64 * 1024;

/// Bytes read at once.
const READ_BYTES: usize = 16 * 1024;

/// How long to wait for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wait {
    /// In all.
    pub longest: Duration,
    /// After output has come: until none came for this long.
    pub pause: Duration,
}

impl Wait {
    /// Takes what is there.
    pub const NONE: Self = Self { longest: Duration::ZERO, pause: Duration::ZERO };
}

/// Who waits for output.
#[derive(Clone, Copy)]
pub struct Waiting<'a> {
    /// Asked at least every 20 ms; `false` ends the wait.
    pub cancel: &'a Cancel<'a>,
    /// Gets the output as it comes, in pieces of whole characters; of what comes too fast, the
    /// last.
    pub stream: &'a (dyn Fn(&str) + Sync),
}

impl Waiting<'_> {
    /// Waits to the end and looks at the reading alone.
    pub const QUIET: Waiting<'static> = Waiting { cancel: &Cancel::NEVER, stream: &|_| {} };
}

impl std::fmt::Debug for Waiting<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Waiting").finish_non_exhaustive()
    }
}

/// Why a wait was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Paused {
    /// Output came, and then none for a while.
    Quiet,
    /// The longest time was over; more may come at once.
    Deadline,
    /// The program has ended and all its output was read.
    Ended,
    /// Who waits asked to stop.
    Cancelled,
}

/// What a terminal wrote since the last reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The output, bounded; what was left out is counted.
    pub output: Output,
    /// Why the wait was over.
    pub paused: Paused,
    /// How the program ended; `None` while it runs.
    pub ending: Option<Ending>,
}

/// Output on its way from the thread that reads the terminal to who asks for it.
#[derive(Debug)]
pub(super) struct Unread {
    state: Mutex<State>,
    changed: Condvar,
    keep: KeepBytes,
}

#[derive(Debug)]
struct State {
    output: BoundedOutput,
    /// What was not streamed yet.
    fresh: String,
    decoder: Decoder,
    /// Of the replaced bytes, those that an earlier reading told of.
    replaced_told: u64,
    last: Option<Instant>,
    is_ended: bool,
}

impl Unread {
    /// Starts a thread that reads `source` to its end.
    pub(super) fn follow(
        mut source: Box<dyn Read + Send>,
        keep: KeepBytes,
    ) -> std::io::Result<Arc<Self>> {
        let state = State {
            output: BoundedOutput::new(keep),
            fresh: String::new(),
            decoder: Decoder::default(),
            replaced_told: 0,
            last: None,
            is_ended: false,
        };
        let unread = Arc::new(Self { state: Mutex::new(state), changed: Condvar::new(), keep });
        let ours = Arc::clone(&unread);
        std::thread::Builder::new().name("terminal output".to_owned()).spawn(move || {
            let mut buffer = vec![0; READ_BYTES];
            loop {
                match source.read(&mut buffer) {
                    Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => break,
                    Ok(read) => ours.push(&buffer[..read]),
                }
            }
            ours.end();
        })?;
        Ok(unread)
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.lock();
        let text = state.decoder.push(bytes);
        state.put(&text);
        state.last = Some(Instant::now());
        self.changed.notify_all();
    }

    fn end(&self) {
        let mut state = self.lock();
        let text = state.decoder.finish();
        state.put(&text);
        state.is_ended = true;
        self.changed.notify_all();
    }

    /// Bytes that wait to be read.
    pub(super) fn bytes(&self) -> u64 {
        self.lock().output.bytes()
    }

    /// Whether the terminal will write no more.
    pub(super) fn is_ended(&self) -> bool {
        self.lock().is_ended
    }

    /// Waits as told, then takes what came. Output from before `since` is taken too, but does
    /// not end the wait: it is no answer to what was typed then.
    pub(super) fn take(
        &self,
        wait: Wait,
        since: Option<Instant>,
        waiting: Waiting<'_>,
    ) -> (Output, Paused) {
        let until = Instant::now() + wait.longest.min(LONGEST);
        let mut state = self.lock();
        let paused = loop {
            // Not under the lock: the callbacks are the caller's code.
            let fresh = std::mem::take(&mut state.fresh);
            drop(state);
            if !fresh.is_empty() {
                (waiting.stream)(&fresh);
            }
            state = self.lock();
            if let Some(paused) = state.paused(wait, since, until) {
                break paused;
            }
            drop(state);
            if waiting.cancel.is_cancelled() {
                state = self.lock();
                break Paused::Cancelled;
            }
            state = self.lock();
            if !state.fresh.is_empty() || state.paused(wait, since, until).is_some() {
                continue;
            }
            let waited = self.changed.wait_timeout(state, TICK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        let fresh = std::mem::take(&mut state.fresh);
        let taken = std::mem::replace(&mut state.output, BoundedOutput::new(self.keep));
        let replaced = state.decoder.replaced_bytes();
        let mut output = taken.finish();
        output.replaced_bytes = replaced - state.replaced_told;
        state.replaced_told = replaced;
        drop(state);
        if !fresh.is_empty() {
            (waiting.stream)(&fresh);
        }
        (output, paused)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing is left half done where a panic could happen.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A wait that is longer is as good as for ever, and fits a clock.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

impl State {
    fn put(&mut self, text: &str) {
        self.output.push(text.as_bytes());
        self.fresh.push_str(text);
        if self.fresh.len() > FRESH_BYTES_MAX {
            let from = self.fresh.len() - FRESH_BYTES_MAX;
            self.fresh.drain(..self.fresh.ceil_char_boundary(from));
        }
    }

    /// Why a wait is over now, if it is.
    fn paused(&self, wait: Wait, since: Option<Instant>, until: Instant) -> Option<Paused> {
        let now = Instant::now();
        if self.is_ended {
            return Some(Paused::Ended);
        }
        let is_quiet = |last: Instant| now.saturating_duration_since(last) >= wait.pause;
        let is_answer = |last: Instant| since.is_none_or(|since| last >= since);
        if self.output.bytes() > 0
            && self.last.is_some_and(|last| is_answer(last) && is_quiet(last))
        {
            return Some(Paused::Quiet);
        }
        (now >= until).then_some(Paused::Deadline)
    }
}
