//! Who says whether and when caches are kept warm while clients pause.

use std::time::Duration;

use crate::exchange::Exchange;

/// Says whether and when caches are kept warm.
pub trait KeepsWarm: Send + Sync {
    /// How long after a request its prompt is to be read again for the `nth` time, counted from 1;
    /// `None`: not at all.
    fn after(&self, exchange: &Exchange, nth: u32) -> Option<Duration>;

    /// Whether that is expected to pay, asked when its time has come. `late` is by how much that is
    /// over already.
    fn pays(&self, exchange: &Exchange, nth: u32, late: Duration) -> bool;
}
