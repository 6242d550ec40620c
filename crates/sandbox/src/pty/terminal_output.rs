//! The unread output of a terminal, and waiting for more of it.

use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use serde::{Deserialize, Serialize};

use crate::{BoundedOutputBuffer, CapturedOutput, OutputRetention, ProcessExit, Utf8StreamDecoder};

/// The longest time between two checks of the cancellation token.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Bytes of output that may wait to be streamed; of more, the last are streamed. The reading
/// contains all of it.
const UNSTREAMED_BYTES_MAX: usize = 64 * 1024;

/// Bytes per read.
const READ_BYTES: usize = 16 * 1024;

/// How long to wait for output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OutputWait {
    /// The longest wait.
    pub longest: Duration,
    /// Once output has arrived: how long none must arrive for the wait to end.
    pub pause: Duration,
}

impl OutputWait {
    /// Takes the available output without waiting.
    pub const IMMEDIATE: Self = Self { longest: Duration::ZERO, pause: Duration::ZERO };
}

/// The cancellation token and the output callback of a wait.
#[derive(Clone, Copy)]
pub struct WaitControl<'a> {
    /// Checked at least every 20 ms; ends the wait.
    pub cancel: &'a CancelToken<'a>,
    /// Receives the output as it arrives, in pieces of complete characters; of output that arrives
    /// too fast, the last.
    pub stream: &'a (dyn Fn(&str) + Sync),
}

impl WaitControl<'_> {
    /// Waits without a cancellation token and without streaming.
    pub const SILENT: WaitControl<'static> =
        WaitControl { cancel: &CancelToken::NEVER, stream: &|_| {} };
}

impl std::fmt::Debug for WaitControl<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WaitControl").finish_non_exhaustive()
    }
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WaitOutcome {
    /// Output arrived, and then none for the pause.
    Quiet,
    /// The longest wait is over; more output may follow at once.
    Deadline,
    /// The program has ended and all its output was read.
    Ended,
    /// The wait was cancelled.
    Cancelled,
}

/// The output of a terminal since the last reading.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalReading {
    /// The output, bounded; omissions are counted.
    pub output: CapturedOutput,
    /// Why the wait ended.
    pub paused: WaitOutcome,
    /// How the program ended; `None` while it runs.
    pub ending: Option<ProcessExit>,
}

/// Output between the thread that reads the terminal and the caller that takes it.
#[derive(Debug)]
pub(super) struct UnreadOutput {
    state: Mutex<UnreadOutputState>,
    changed: Condvar,
    keep: OutputRetention,
}

#[derive(Debug)]
struct UnreadOutputState {
    output: BoundedOutputBuffer,
    /// Output that is not streamed yet.
    unstreamed: String,
    decoder: Utf8StreamDecoder,
    /// Replaced bytes that earlier readings reported.
    reported_replaced_bytes: u64,
    last_output: Option<Instant>,
    is_ended: bool,
}

impl UnreadOutput {
    /// Starts a thread that reads `source` to its end.
    pub(super) fn spawn_reader(
        mut source: Box<dyn Read + Send>,
        keep: OutputRetention,
    ) -> std::io::Result<Arc<Self>> {
        let state = UnreadOutputState {
            output: BoundedOutputBuffer::new(keep),
            unstreamed: String::new(),
            decoder: Utf8StreamDecoder::default(),
            reported_replaced_bytes: 0,
            last_output: None,
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
            ours.finish();
        })?;
        Ok(unread)
    }

    fn push(&self, bytes: &[u8]) {
        let mut state = self.lock();
        let text = state.decoder.push(bytes);
        state.append(&text);
        state.last_output = Some(Instant::now());
        self.changed.notify_all();
    }

    fn finish(&self) {
        let mut state = self.lock();
        let text = state.decoder.finish();
        state.append(&text);
        state.is_ended = true;
        self.changed.notify_all();
    }

    /// Returns the number of unread bytes.
    pub(super) fn unread_bytes(&self) -> u64 {
        self.lock().output.bytes()
    }

    /// Returns whether the terminal is closed for output.
    pub(super) fn is_source_closed(&self) -> bool {
        self.lock().is_ended
    }

    /// Waits, then takes the output. Output from before `since` is taken too but does not end the
    /// wait, since it cannot be the response to what was typed then.
    pub(super) fn await_output(
        &self,
        wait: OutputWait,
        since: Option<Instant>,
        waiting: WaitControl<'_>,
    ) -> (CapturedOutput, WaitOutcome) {
        let until = Instant::now() + wait.longest.min(WAIT_MAX);
        let mut state = self.lock();
        let paused = loop {
            // The callbacks are the caller's code and run without the lock.
            let fresh = std::mem::take(&mut state.unstreamed);
            drop(state);
            if !fresh.is_empty() {
                (waiting.stream)(&fresh);
            }
            state = self.lock();
            if let Some(paused) = state.wait_outcome(wait, since, until) {
                break paused;
            }
            drop(state);
            if waiting.cancel.is_cancelled() {
                state = self.lock();
                break WaitOutcome::Cancelled;
            }
            state = self.lock();
            if !state.unstreamed.is_empty() || state.wait_outcome(wait, since, until).is_some() {
                continue;
            }
            let waited = self.changed.wait_timeout(state, POLL_INTERVAL);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        };
        let fresh = std::mem::take(&mut state.unstreamed);
        let taken = std::mem::replace(&mut state.output, BoundedOutputBuffer::new(self.keep));
        let replaced = state.decoder.replaced_bytes();
        let mut output = taken.finish();
        output.replaced_bytes = replaced - state.reported_replaced_bytes;
        state.reported_replaced_bytes = replaced;
        drop(state);
        if !fresh.is_empty() {
            (waiting.stream)(&fresh);
        }
        (output, paused)
    }

    fn lock(&self) -> MutexGuard<'_, UnreadOutputState> {
        // No panic can leave the state inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Longer waits are cut to this, which the clock can represent.
const WAIT_MAX: Duration = Duration::from_secs(24 * 60 * 60);

impl UnreadOutputState {
    fn append(&mut self, text: &str) {
        self.output.push(text.as_bytes());
        self.unstreamed.push_str(text);
        if self.unstreamed.len() > UNSTREAMED_BYTES_MAX {
            let from = self.unstreamed.len() - UNSTREAMED_BYTES_MAX;
            self.unstreamed.drain(..self.unstreamed.ceil_char_boundary(from));
        }
    }

    /// Returns why the wait ends now; `None` if it goes on.
    fn wait_outcome(
        &self,
        wait: OutputWait,
        since: Option<Instant>,
        until: Instant,
    ) -> Option<WaitOutcome> {
        let now = Instant::now();
        if self.is_ended {
            return Some(WaitOutcome::Ended);
        }
        let is_quiet = |last: Instant| now.saturating_duration_since(last) >= wait.pause;
        let is_answer = |last: Instant| since.is_none_or(|since| last >= since);
        if self.output.bytes() > 0
            && self.last_output.is_some_and(|last| is_answer(last) && is_quiet(last))
        {
            return Some(WaitOutcome::Quiet);
        }
        (now >= until).then_some(WaitOutcome::Deadline)
    }
}
