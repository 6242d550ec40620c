//! Ctrl+C and other termination signals: the first one asks the program to stop and show its
//! results so far, the second one ends it at once. At a question there is nothing to show yet, so
//! there the first one ends it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_transcript::CancelToken;

use crate::exit_code::INTERRUPTED;

/// The flag that a termination request sets.
#[derive(Debug, Clone)]
pub(crate) struct InterruptFlag {
    is_set: Arc<AtomicBool>,
    /// Clean-up before an immediate exit.
    before_exit: fn(),
}

impl InterruptFlag {
    /// Installs a handler for Ctrl+C that sets the flag; if that fails, Ctrl+C ends the program as
    /// usual. The second Ctrl+C runs `before_exit` and exits.
    pub(crate) fn install_handler(before_exit: fn()) -> Self {
        let asked = Self { is_set: Arc::default(), before_exit };
        let pressed = asked.clone();
        drop(ctrlc::set_handler(move || pressed.request_stop()));
        asked
    }

    /// Returns the cancellation token for this flag.
    pub(crate) fn cancellation(&self) -> CancelToken<'static> {
        CancelToken::from(Arc::clone(&self.is_set))
    }

    /// Records a termination request. The second one exits at once, and any at an open question.
    pub(crate) fn request_stop(&self) {
        let close_question = *OPEN_QUESTION.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(close_question) = close_question {
            close_question();
        }
        if self.is_set.swap(true, Ordering::SeqCst) || close_question.is_some() {
            (self.before_exit)();
            std::process::exit(i32::from(INTERRUPTED));
        }
    }
}

/// Ends the line of the question that the program waits at, if it waits at one. One for the
/// process, as signals are.
static OPEN_QUESTION: Mutex<Option<fn()>> = Mutex::new(None);

/// Returns the result of `ask`, which asks the user a question. A termination request meanwhile
/// calls `close_question` and exits.
pub(crate) fn exit_at_question<T>(close_question: fn(), ask: impl FnOnce() -> T) -> T {
    let set = |open| *OPEN_QUESTION.lock().unwrap_or_else(PoisonError::into_inner) = open;
    set(Some(close_question));
    let answer = ask();
    set(None);
    answer
}

/// Returns a cancellation token for Ctrl+C.
pub(crate) fn cancel_on_ctrl_c() -> CancelToken<'static> {
    InterruptFlag::install_handler(|| {}).cancellation()
}

/// The signals that this process inherited as ignored, as after `nohup`.
#[cfg(unix)]
pub(crate) struct IgnoredSignals(u64);

#[cfg(unix)]
impl IgnoredSignals {
    /// Reads the mask from `/proc/self/status`; empty if the system has none.
    pub(crate) fn from_proc_status() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        Self(mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0))
    }

    /// Returns true if the signal with this number is ignored.
    pub(crate) fn contains(&self, signal: i32) -> bool {
        self.0 & (1 << (signal - 1)) != 0
    }
}
