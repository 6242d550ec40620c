//! A curated view: the kept lines, the reasons for them, and the gaps.

use foveal_engine::note::MachineFileKind;
use foveal_syntax::{LineRange, OmittedLines, ParsedFile};
use serde::{Deserialize, Serialize};

use crate::numbered_listing::render_rows;
use crate::outline_listing::listing_rows;

/// The number of lines of a file that may be kept.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum ViewBudget {
    /// At most this share of the lines, 0 to 1.
    Share(f64),
    /// As many as the query needs, between a floor and a ceiling; all lines where the view would
    /// save little.
    Adaptive,
}

impl ViewBudget {
    /// Returns the number of lines that may be kept of `lines`, rounded down so that a share is
    /// never exceeded.
    pub fn lines_max(self, lines: usize) -> usize {
        match self {
            // The addend compensates for rounding errors: 0.3 * 10 = 2.9999999999999996.
            Self::Share(share) => {
                ((lines as f64 * share.clamp(0.0, 1.0) + 5e-10).floor() as usize).min(lines)
            }
            Self::Adaptive => lines,
        }
    }
}

/// Adjacent lines that a view keeps.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ViewPart {
    /// The lines.
    pub lines: LineRange,
    /// The names of the signals that favour the lines most, the strongest first; `header` for the
    /// header of an enclosing entity.
    pub reasons: Vec<Box<str>>,
}

/// The lines of a file that matter to a query. Parts and gaps together cover the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuratedView {
    /// The kept lines in order; parts neither overlap nor touch.
    pub parts: Vec<ViewPart>,
    /// The omitted lines in order.
    pub gaps: Vec<OmittedLines>,
    /// The number of lines of the file.
    pub line_count: u32,
    /// The kind of a machine-written file, of which little more than the ends is kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sort: Option<MachineFileKind>,
}

impl CuratedView {
    /// Renders the view: kept lines with their numbers as `12→`, and for each gap a line with its
    /// range and symbols. `parsed` and `text` must belong to the file.
    pub fn render(&self, parsed: &ParsedFile, text: &str) -> String {
        render_rows(&listing_rows(
            self.parts.iter().map(|part| part.lines),
            &self.gaps,
            parsed,
            text,
        ))
    }

    /// Returns the number of kept lines.
    pub fn kept_line_count(&self) -> u32 {
        self.parts.iter().map(|part| part.lines.line_count()).sum()
    }
}
