//! A curated view: the lines kept, why, and what lies in the gaps.

use foveal_context::note::FileSort;
use serde::{Deserialize, Serialize};

use crate::entity::Parsed;
use crate::lines::LineRange;
use crate::listing::text_of;
use crate::outline::{self, Gap};

/// How much of a file may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Budget {
    /// At most this share of the lines, from 0 to 1.
    Share(f64),
    /// As much as the question demands, between a floor and a ceiling; all lines where little
    /// would be saved.
    Adaptive,
}

impl Budget {
    /// Most lines that may be kept of `lines`; rounded down, so that a share is never passed.
    pub fn lines_max(self, lines: usize) -> usize {
        match self {
            // Half a billionth keeps 0.3 * 10 = 2.9999999999999996 from losing a line.
            Self::Share(share) => {
                ((lines as f64 * share.clamp(0.0, 1.0) + 5e-10).floor() as usize).min(lines)
            }
            Self::Adaptive => lines,
        }
    }
}

/// Lines that a view keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptPart {
    /// Which lines.
    pub lines: LineRange,
    /// The signals that spoke most for them, the strongest first; `header` where they show
    /// what the lines after them are in.
    pub reasons: Vec<Box<str>>,
}

/// The lines of a file that matter to a question. Parts and gaps together are all its lines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuratedView {
    /// The lines kept, in order; they share none and do not touch.
    pub parts: Vec<KeptPart>,
    /// The lines left out, in order.
    pub gaps: Vec<Gap>,
    /// How many lines the file has.
    pub line_count: u32,
    /// What sort of file it is, where little more than its ends is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<FileSort>,
}

impl CuratedView {
    /// The view as text: kept lines of `text` with their numbers as `12→`, and for each gap a
    /// line that names its range and the symbols in it. `parsed` and `text` have to be those
    /// of the file.
    pub fn render(&self, parsed: &Parsed, text: &str) -> String {
        text_of(&outline::rows(self.parts.iter().map(|part| part.lines), &self.gaps, parsed, text))
    }

    /// How many lines are kept.
    pub fn lines_kept(&self) -> u32 {
        self.parts.iter().map(|part| part.lines.count()).sum()
    }
}
