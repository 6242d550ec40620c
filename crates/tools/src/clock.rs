//! The clock of the tools.

use std::time::{SystemTime, UNIX_EPOCH};

use foveal_transcript::Timestamp;

/// A source of time; tests provide their own.
pub trait Clock: std::fmt::Debug + Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;

    /// Returns hour (0–23), minute and second of `time` in the user's time zone.
    fn local_time(&self, time: Timestamp) -> (u8, u8, u8);
}

/// The clock and the time zone of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn local_time(&self, time: Timestamp) -> (u8, u8, u8) {
        let time = jiff::Timestamp::from_millisecond(time.0).unwrap_or_default();
        let local = time.to_zoned(jiff::tz::TimeZone::system());
        // None of the parts is ever negative.
        let part = |part: i8| part.unsigned_abs();
        (part(local.hour()), part(local.minute()), part(local.second()))
    }
}
