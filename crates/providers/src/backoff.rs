//! The delay before a request is repeated.

use std::time::Duration;

/// The first delay; each further one is twice as long.
const FIRST_DELAY: Duration = Duration::from_millis(500);

/// Returns the delay before attempt `next` (1 is the first repetition) of at most `retries`; `None`
/// to give up. `asked` is the delay that the server asked for. The function gives up if that is
/// longer than `wait_max`.
pub(crate) fn backoff_delay(
    next: u32,
    asked: Option<Duration>,
    retries: u32,
    wait_max: Duration,
) -> Option<Duration> {
    let own = FIRST_DELAY.saturating_mul(1 << next.saturating_sub(1).min(16)).min(wait_max);
    let wait = asked.unwrap_or(own);
    (next <= retries && wait <= wait_max).then_some(wait)
}

/// Parses the seconds of a `Retry-After` header. Dates are ignored: they need the server's clock.
pub(crate) fn parse_retry_after(header: Option<&str>) -> Option<Duration> {
    header?.trim().parse().ok().map(Duration::from_secs)
}

/// Returns the advice to the user when to try again, given the delay that the server asked for.
pub(crate) fn retry_advice(wait: Option<Duration>) -> String {
    wait.map_or("later".to_owned(), |wait| format!("in {} s", wait.as_secs().max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_grow_and_end() {
        let wait = |next, asked| backoff_delay(next, asked, 4, Duration::from_secs(2));
        let asked = |header| parse_retry_after(Some(header));
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
