//! How far a result has been reduced, and how long it has been in the prompt.

use serde::{Deserialize, Serialize};

/// How far a result has been reduced.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub enum Level {
    /// As it was shaped when it came.
    #[default]
    Arrival,
    /// What matters of it.
    Reduced,
    /// A note with its handle.
    Note,
}

impl Level {
    /// The levels that show more, nearest first.
    pub(crate) fn below(self) -> &'static [Level] {
        match self {
            Level::Arrival => &[],
            Level::Reduced => &[Level::Arrival],
            Level::Note => &[Level::Reduced, Level::Arrival],
        }
    }
}

/// When a result came and was last used, in requests.
#[derive(Debug, Clone, Copy, Default)]
pub struct Life {
    /// The request it was first sent with.
    pub arrived: u32,
    /// The last request before which something showed that it still matters.
    pub last_use: u32,
    /// The request since which it has been dead weight without a break.
    pub dead_since: Option<u32>,
}
