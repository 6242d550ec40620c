//! Tells the caller of a call that takes long that it goes on.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::control::{Control, Progress};

/// One running call. Whatever it tells, the number told rises: by the bytes of output, and by
/// one for each time that only says that the call goes on.
pub(crate) struct ProgressReporter<'a> {
    control: &'a Control<'a>,
    /// What goes on; empty where output is streamed, among which it would stand.
    what: &'a str,
    every: Duration,
    begun: Instant,
    /// Milliseconds from the beginning after which something is to be told.
    due_ms: AtomicU64,
    done: AtomicU64,
}

impl<'a> ProgressReporter<'a> {
    /// A call that begins now; every `every_ms` milliseconds something is told.
    pub(crate) fn new(control: &'a Control<'a>, every_ms: u64, what: &'a str) -> Self {
        let (every, due_ms) = (Duration::from_millis(every_ms), AtomicU64::new(every_ms));
        Self { control, what, every, begun: Instant::now(), due_ms, done: AtomicU64::new(0) }
    }

    /// Whether the caller wants it to end; says that it goes on where nothing was told for long.
    pub(crate) fn is_cancelled(&self) -> bool {
        let now_ms = self.now_ms();
        let due_ms = self.due_ms.load(Ordering::Relaxed);
        // One of the threads that ask tells it.
        if now_ms >= due_ms && self.put_off(due_ms, now_ms) {
            let seconds = now_ms / 1000;
            let message = match self.what {
                "" => String::new(),
                what => format!("{what}, {seconds} s"),
            };
            self.tell(1, message);
        }
        self.control.cancel.is_cancelled()
    }

    /// Passes output on.
    pub(crate) fn output(&self, piece: &str) {
        self.put_off(self.due_ms.load(Ordering::Relaxed), self.now_ms());
        self.tell(piece.len() as u64, piece.to_owned());
    }

    fn put_off(&self, due_ms: u64, now_ms: u64) -> bool {
        let next = now_ms.saturating_add(self.every.as_millis() as u64);
        self.due_ms.compare_exchange(due_ms, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn tell(&self, more: u64, message: String) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        (self.control.progress)(Progress { done, total: None, message, model: None });
    }
}
