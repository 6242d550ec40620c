//! Keeping a provider's cache warm while a client pauses: the cached prompt is read again shortly
//! before it expires, which costs little, so that the next request need not write it again, which
//! costs much.
//!
//! Pure: pauses and prices go in, decisions and figures come out. Who keeps prompts warm has the
//! clock.

mod estimate;
mod pause;
mod rule;

pub use self::estimate::{Estimate, Refreshed, estimate};
pub use self::pause::{Pause, Pauses, Prefix};
pub use self::rule::{History, JUDGED, has_not_paid, pays};
