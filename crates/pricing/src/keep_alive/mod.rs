//! Keep-alive: while a client pauses, the cached prompt is read again shortly before it expires.
//! That costs little, and spares the next request an expensive write.
//!
//! Pure: pauses and prices in, decisions and figures out. The caller has the clock.

mod estimate;
mod pause;
mod refresh_rule;

pub use self::estimate::{KeepAliveEstimate, RefreshTotals, estimate_keep_alive};
pub use self::pause::{CachedPrefix, Pause, PauseTracker};
pub use self::refresh_rule::{JUDGED_PAUSES, PauseHistory, is_unprofitable, refresh_pays};
