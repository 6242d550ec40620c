//! How long a server is waited for, and how often it is asked again.

use std::time::Duration;

/// The first wait before a server is asked again; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// How long a server is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the connection.
    pub connect_time: Duration,
    /// For one request as a whole.
    pub request_time: Duration,
    /// How often a request is repeated that the server was too busy for, or failed at.
    pub retries: u32,
    /// The longest wait before a request is repeated. A server that asks for more is left.
    pub wait_max: Duration,
}

impl Patience {
    /// For work in the background: a slow server is fast enough.
    pub const LONG: Self = Self {
        connect_time: Duration::from_secs(10),
        request_time: Duration::from_secs(180),
        retries: 5,
        wait_max: Duration::from_secs(60),
    };

    /// For somebody who waits: a server may have to load its model first.
    pub const SHORT: Self = Self {
        connect_time: Duration::from_secs(3),
        request_time: Duration::from_secs(15),
        retries: 1,
        wait_max: Duration::from_secs(2),
    };

    /// How long to wait before attempt `next` (1 is the first repetition); `None` to give up.
    pub(crate) fn wait(&self, next: u32, asked: Option<Duration>) -> Option<Duration> {
        let own = FIRST_WAIT.saturating_mul(1 << (next - 1).min(16)).min(self.wait_max);
        let wait = asked.unwrap_or(own);
        (next <= self.retries && wait <= self.wait_max).then_some(wait)
    }
}

/// The seconds in a `Retry-After` header. Dates are not read: they need the server's clock.
pub(crate) fn retry_after(header: Option<&str>) -> Option<Duration> {
    header?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let patience = Patience { retries: 4, wait_max: Duration::from_secs(2), ..Patience::LONG };
        let asked = |header| retry_after(Some(header));
        let waits = [
            patience.wait(1, None),
            patience.wait(2, None),
            patience.wait(3, None),
            patience.wait(4, None),
            patience.wait(5, None),
            patience.wait(1, asked(" 2 ")),
            patience.wait(1, asked("3")),
            patience.wait(1, asked("Wed, 21 Oct 2026 07:28:00 GMT")),
            patience.wait(1, asked("-1")),
        ];
        let seconds = waits.map(|wait| wait.map_or(-1.0, |wait| wait.as_secs_f32()));
        assert_eq!(seconds, [0.5, 1.0, 2.0, 2.0, -1.0, 2.0, -1.0, 0.5, 0.5]);
    }
}
