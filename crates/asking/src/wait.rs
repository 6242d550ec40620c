//! How long to wait before a request is repeated.

use std::time::Duration;

/// The first wait before a server is asked again; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(500);

/// How long to wait before attempt `next` (1 is the first repetition) of at most `retries`, where
/// the server `asked` to be left alone so long; `None` to give up. A server that asks for more than
/// `wait_max` is left.
pub fn wait_before(
    next: u32,
    asked: Option<Duration>,
    retries: u32,
    wait_max: Duration,
) -> Option<Duration> {
    let own = FIRST_WAIT.saturating_mul(1 << next.saturating_sub(1).min(16)).min(wait_max);
    let wait = asked.unwrap_or(own);
    (next <= retries && wait <= wait_max).then_some(wait)
}

/// The seconds in a `Retry-After` header. Dates are not read: they need the server's clock.
pub fn retry_after(header: Option<&str>) -> Option<Duration> {
    header?.trim().parse().ok().map(Duration::from_secs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let wait = |next, asked| wait_before(next, asked, 4, Duration::from_secs(2));
        let asked = |header| retry_after(Some(header));
        let waits = [
            wait(1, None),
            wait(2, None),
            wait(3, None),
            wait(4, None),
            wait(5, None),
            wait(1, asked(" 2 ")),
            wait(1, asked("3")),
            wait(1, asked("Wed, 21 Oct 2026 07:28:00 GMT")),
            wait(1, asked("-1")),
        ];
        let seconds = waits.map(|wait| wait.map_or(-1.0, |wait| wait.as_secs_f32()));
        assert_eq!(seconds, [0.5, 1.0, 2.0, 2.0, -1.0, 2.0, -1.0, 0.5, 0.5]);
    }
}
