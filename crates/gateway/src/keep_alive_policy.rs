//! The policy that keeps caches alive while clients pause.

use std::time::Duration;

use crate::exchange::Exchange;

/// Decides whether and when caches are kept alive.
pub trait KeepAlivePolicy: Send + Sync {
    /// Returns the time from a request to its `nth` refresh, counted from 1; `None` for no refresh.
    fn refresh_delay(&self, exchange: &Exchange, nth: u32) -> Option<Duration>;

    /// Returns whether the refresh is expected to pay, asked when it is due. `late` is the time
    /// since then.
    fn is_worthwhile(&self, exchange: &Exchange, nth: u32, late: Duration) -> bool;
}
