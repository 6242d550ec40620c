//! The back-off of rewrites after decisions that came too late.

/// The largest number of times that the back-off is doubled.
const DOUBLINGS_MAX: u32 = 6;

/// After a late decision, old results stay unchanged for some requests, because rewrites take the
/// longest. Each late decision in a row doubles their number.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RewriteBackoff {
    /// The number of late decisions in a row.
    late_decisions: u32,
    /// The number of requests that still have to pass before old results may be rewritten.
    requests_left: u32,
}

impl RewriteBackoff {
    /// Returns whether the next step may change results that were already sent.
    pub(crate) fn allows_rewrite(&self) -> bool {
        self.requests_left == 0
    }

    /// Returns whether the step after the next request may do so.
    pub(crate) fn allows_next_rewrite(&self) -> bool {
        self.requests_left <= 1
    }

    /// Notes that a decision was in time.
    pub(crate) fn note_in_time(&mut self) {
        match self.requests_left {
            0 => self.late_decisions = 0,
            _ => self.requests_left -= 1,
        }
    }

    /// Notes that a decision was late.
    pub(crate) fn note_late(&mut self) {
        if self.requests_left > 0 {
            // No rewrite was tried, so the delay has another cause.
            return;
        }
        self.late_decisions = (self.late_decisions + 1).min(DOUBLINGS_MAX);
        self.requests_left = (1 << self.late_decisions) - 1;
    }
}
