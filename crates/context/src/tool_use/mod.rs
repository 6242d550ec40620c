//! Which tools a user's sessions call. Definitions of the others can be shortened at the start of a
//! conversation, in front of all that is cached.
//!
//! Pure: names and prices go in, decisions and figures come out.

mod estimate;
mod rule;

pub use self::estimate::{Conversed, Defined, Estimate, carried, estimate};
pub use self::rule::{JUDGED, Judged, SESSIONS_MIN, ToolUse, Verdict, verdict};
