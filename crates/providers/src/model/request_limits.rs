//! Time-outs, size limits and retries of model requests.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use crate::backoff::backoff_delay;

/// The limits of a model request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelRequestLimits {
    /// The time-out for the connection.
    pub connect_time: Duration,
    /// The time-out for the head of the response. A local server may have to load its model and to
    /// process a long prompt first.
    pub head_time: Duration,
    /// The time-out between two parts of an answer. Servers that think for long send keep-alive
    /// events.
    pub silence_time: Duration,
    /// The time-out for a whole answer, keep-alive events or not.
    pub answer_time: Duration,
    /// The maximum size of an answer in bytes; most of them belong to the events around its text. A
    /// longer answer counts as interrupted.
    pub answer_bytes_max: u64,
    /// The number of retries if the server was overloaded, failed, or broke off its answer.
    pub retries: u32,
    /// The longest delay before a retry. If the server asks for more, the request fails.
    pub wait_max: Duration,
}

impl Default for ModelRequestLimits {
    fn default() -> Self {
        Self {
            connect_time: Duration::from_secs(10),
            head_time: Duration::from_secs(600),
            silence_time: Duration::from_secs(180),
            answer_time: Duration::from_secs(3_600),
            answer_bytes_max: 256 << 20,
            retries: 5,
            wait_max: Duration::from_secs(90),
        }
    }
}

impl ModelRequestLimits {
    /// Returns the delay before attempt `next` (1 is the first retry); `None` to give up. Adds up
    /// to a quarter at random, so that clients that were rejected together do not return together.
    pub(crate) fn retry_delay(&self, next: u32, asked: Option<Duration>) -> Option<Duration> {
        let wait = backoff_delay(next, asked, self.retries, self.wait_max)?;
        // The keys of a new `RandomState` are random; nothing else here needs randomness.
        let chance = RandomState::new().build_hasher().finish() % 256;
        Some(wait + wait * u32::try_from(chance).unwrap_or_default() / 1_024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_spread_and_end() {
        let patience = ModelRequestLimits {
            retries: 3,
            wait_max: Duration::from_secs(4),
            ..ModelRequestLimits::default()
        };
        for (next, asked, least) in
            [(1, None, 500), (2, None, 1_000), (3, None, 2_000), (1, Some(3), 3_000)]
        {
            let asked = asked.map(Duration::from_secs);
            let waits: Vec<u128> = (0..50)
                .map(|_| patience.retry_delay(next, asked).expect("it is asked again").as_millis())
                .collect();
            assert!(waits.iter().all(|wait| (least..=least * 5 / 4).contains(wait)), "{waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
        }
        assert_eq!(patience.retry_delay(4, None), None);
        assert_eq!(patience.retry_delay(1, Some(Duration::from_secs(5))), None);
    }
}
