//! How much of a file a read shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a file is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ReadMode {
    #[default]
    Auto,
    Full,
    Curated,
    Structure,
}

/// What one read is to show, by its mode and by what was shown before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadView {
    /// The whole file where it has at most so many lines, else a curated view.
    Auto {
        /// Lines.
        small: u32,
    },
    /// What matters to the question.
    Curated,
    /// The whole file, but for what is shown above.
    Whole,
    /// These lines, as ranges with both ends.
    Lines(Vec<(u32, u32)>),
}

impl ReadView {
    /// Whether `text` is shown whole because it is short.
    pub(crate) fn is_short(&self, text: &str) -> bool {
        matches!(self, Self::Auto { small } if text.lines().count() <= *small as usize)
    }
}
