//! The part of a file that a read shows.

use foveal_engine::views::{CurationAmount, ViewRequest};
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

/// The part of a file that one read shows, after its mode and what was shown before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadView {
    /// The whole file up to a number of lines, else a curated view.
    Auto {
        /// The most lines of a file that is shown whole.
        small: u32,
        /// The most lines of a file whose view may have any size; larger files get a fifth at most.
        large: Option<u32>,
    },
    /// The lines that matter to the question.
    Curated,
    /// The whole file, except for content that is still visible.
    Whole,
    /// These lines, as inclusive ranges.
    Lines(Vec<(u32, u32)>),
}

impl ReadView {
    /// Returns whether the view shows all of `text` because it is short.
    pub(crate) fn is_short(&self, text: &str) -> bool {
        matches!(self, Self::Auto { small, .. } if text.lines().count() <= *small as usize)
    }

    /// Returns the selection target for a curator of `text`, by default `wanted`.
    pub(crate) fn selection_target(&self, text: &str, wanted: ViewRequest) -> ViewRequest {
        match self {
            Self::Auto { large: Some(large), .. } if text.lines().count() > *large as usize => {
                ViewRequest::Curated(CurationAmount::Share(LARGE_SHARE_MAX))
            }
            Self::Auto { .. } | Self::Curated | Self::Whole | Self::Lines(_) => wanted,
        }
    }
}
