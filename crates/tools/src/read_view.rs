//! How much of a file a read shows.

use foveal_context::views::{Amount, Wanted};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::settings::LARGE_SHARE_MAX;

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
        /// With more lines than this it has little room.
        large: Option<u32>,
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
        matches!(self, Self::Auto { small, .. } if text.lines().count() <= *small as usize)
    }

    /// How much is wanted of `text`, where a curator would be asked for this.
    pub(crate) fn wanted_of(&self, text: &str, wanted: Wanted) -> Wanted {
        match self {
            Self::Auto { large: Some(large), .. } if text.lines().count() > *large as usize => {
                Wanted::Curated(Amount::Share(LARGE_SHARE_MAX))
            }
            Self::Auto { .. } | Self::Curated | Self::Whole | Self::Lines(_) => wanted,
        }
    }
}
