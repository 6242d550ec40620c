//! The share of a file's lines that an answer shows.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// The lines of a file and the number of them that are shown. Displays the percentage with one
/// decimal, rounded down, so that only a whole file has `100 %`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewLineCounts {
    /// The shown lines.
    pub shown: u32,
    /// All lines.
    pub all: u32,
}

impl Display for ViewLineCounts {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let tenths = u64::from(self.shown) * 1_000;
        match tenths.checked_div(u64::from(self.all)) {
            Some(tenths) if self.shown < self.all => {
                write!(f, "{}.{} %", tenths / 10, tenths % 10)
            }
            _ => f.write_str("100 %"),
        }
    }
}
