//! How long a model is waited for, how much of an answer is read, and how often it is asked again.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::Duration;

use foveal_asking::wait_before;

/// How long a model is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// For the connection.
    pub connect_time: Duration,
    /// For the head of the answer: a local server may have to load its model and to read a long
    /// prompt first.
    pub head_time: Duration,
    /// Between two parts of an answer; servers that think for long send signs of life.
    pub silence_time: Duration,
    /// For one answer as a whole, signs of life or not.
    pub answer_time: Duration,
    /// Bytes of one answer that are read, whatever they say; most are those of the events around
    /// its words. A longer one counts as broken off.
    pub answer_bytes_max: u64,
    /// How often a request is repeated that the server was too busy for, failed at, or whose answer
    /// broke off.
    pub retries: u32,
    /// The longest wait before a request is repeated. A server that asks for more is left.
    pub wait_max: Duration,
}

impl Default for Patience {
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

impl Patience {
    /// How long to wait before attempt `next` (1 is the first repetition); `None` to give up. Where
    /// the server does not say how long, by chance up to a quarter more: those who were refused
    /// together do not come back together.
    pub(crate) fn wait(&self, next: u32, asked: Option<Duration>) -> Option<Duration> {
        let wait = wait_before(next, asked, self.retries, self.wait_max)?;
        // The keys of a new state are chance; nothing else here needs any.
        let chance = RandomState::new().build_hasher().finish() % 256;
        Some(wait + wait * u32::try_from(chance).unwrap_or_default() / 1_024)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_spread_and_end() {
        let patience =
            Patience { retries: 3, wait_max: Duration::from_secs(4), ..Patience::default() };
        for (next, asked, least) in
            [(1, None, 500), (2, None, 1_000), (3, None, 2_000), (1, Some(3), 3_000)]
        {
            let asked = asked.map(Duration::from_secs);
            let waits: Vec<u128> = (0..50)
                .map(|_| patience.wait(next, asked).expect("it is asked again").as_millis())
                .collect();
            assert!(waits.iter().all(|wait| (least..=least * 5 / 4).contains(wait)), "{waits:?}");
            assert!(waits.iter().any(|wait| *wait != waits[0]), "{waits:?}");
        }
        assert_eq!(patience.wait(4, None), None);
        assert_eq!(patience.wait(1, Some(Duration::from_secs(5))), None);
    }
}
