//! Ctrl+C, and other signals by which a program is asked to end: the first asks to stop and show what
//! is done, the second stops at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use foveal_cancel::Cancel;

use crate::exit_code::INTERRUPTED;

/// Whether this program has been asked to end.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    is_asked: Arc<AtomicBool>,
    /// What is put right before the program ends at once.
    before_exit: fn(),
}

impl Asked {
    /// Is asked by Ctrl+C. Where that cannot be listened for, Ctrl+C ends the program as it would
    /// without this. The second time, `before_exit` is all that is done.
    pub(crate) fn by_person(before_exit: fn()) -> Self {
        let asked = Self { is_asked: Arc::default(), before_exit };
        let pressed = asked.clone();
        drop(ctrlc::set_handler(move || pressed.take()));
        asked
    }

    /// Is cancelled once it has been asked.
    pub(crate) fn cancel(&self) -> Cancel<'static> {
        Cancel::from(Arc::clone(&self.is_asked))
    }

    /// Takes one more request to end. The second one is not waited for.
    pub(crate) fn take(&self) {
        if self.is_asked.swap(true, Ordering::SeqCst) {
            (self.before_exit)();
            std::process::exit(i32::from(INTERRUPTED));
        }
    }
}

/// Is cancelled by Ctrl+C.
pub(crate) fn listen() -> Cancel<'static> {
    Asked::by_person(|| {}).cancel()
}

/// The signals that whoever started this program had it ignore, as after `nohup`.
#[cfg(unix)]
pub(crate) struct Ignored(u64);

#[cfg(unix)]
impl Ignored {
    /// Those that are ignored now; none where the system does not tell.
    pub(crate) fn now() -> Self {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        Self(mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0))
    }

    /// Whether the signal with this number is among them.
    pub(crate) fn has(&self, signal: i32) -> bool {
        self.0 & (1 << (signal - 1)) != 0
    }
}
