//! Progress reports of calls that take long.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::call_control::{CallControl, CallProgress};

/// The progress of one running call. The reported number rises with each report: by the bytes of
/// output, and by one for a report without output.
pub(crate) struct ProgressReporter<'a> {
    control: &'a CallControl<'a>,
    /// The activity in messages; empty where output is streamed, so that no message mixes with it.
    activity: &'a str,
    interval: Duration,
    started: Instant,
    /// Milliseconds from the start after which the next report is due.
    due_ms: AtomicU64,
    done: AtomicU64,
}

impl<'a> ProgressReporter<'a> {
    /// Creates a reporter for a call that begins now, with a report every `every_ms` milliseconds.
    pub(crate) fn new(control: &'a CallControl<'a>, every_ms: u64, activity: &'a str) -> Self {
        let (interval, due_ms) = (Duration::from_millis(every_ms), AtomicU64::new(every_ms));
        Self {
            control,
            activity,
            interval,
            started: Instant::now(),
            due_ms,
            done: AtomicU64::new(0),
        }
    }

    /// Returns whether the caller cancelled the call. Sends a report if one is due.
    pub(crate) fn is_cancelled(&self) -> bool {
        let now_ms = self.now_ms();
        let due_ms = self.due_ms.load(Ordering::Relaxed);
        // Several threads may poll; only one of them reports.
        if now_ms >= due_ms && self.postpone(due_ms, now_ms) {
            let seconds = now_ms / 1000;
            let message = match self.activity {
                "" => String::new(),
                what => format!("{what}, {seconds} s"),
            };
            self.report(1, message);
        }
        self.control.cancel.is_cancelled()
    }

    /// Reports a piece of output.
    pub(crate) fn report_output(&self, piece: &str) {
        self.postpone(self.due_ms.load(Ordering::Relaxed), self.now_ms());
        self.report(piece.len() as u64, piece.to_owned());
    }

    fn postpone(&self, due_ms: u64, now_ms: u64) -> bool {
        let next = now_ms.saturating_add(self.interval.as_millis() as u64);
        self.due_ms.compare_exchange(due_ms, next, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn report(&self, more: u64, message: String) {
        let done = self.done.fetch_add(more, Ordering::Relaxed) + more;
        (self.control.progress)(CallProgress { done, total: None, message, model: None });
    }
}
