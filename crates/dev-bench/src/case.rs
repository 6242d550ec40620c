//! Questions about files, with the lines that their answers need.

use foveal_relevance::curation::{self, CurationQuery};
use serde::{Deserialize, Serialize};

/// A file, a question about it, and the lines that its answer needs.
///
/// As JSON, `id`, `path`, `content_before` and `query` are required; other fields than those
/// here are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct CurationCase {
    /// The name of the case, stable across runs.
    pub(crate) id: String,
    /// The repository it comes from; empty if unknown.
    #[serde(default)]
    pub(crate) repo: String,
    /// The language by the path; empty if unknown.
    #[serde(default)]
    pub(crate) language: String,
    /// The path of the file inside its repository.
    pub(crate) path: String,
    /// The file as the curator sees it.
    pub(crate) content_before: String,
    /// The question.
    pub(crate) query: String,
    /// The question with the context of its conversation; `None` if `query` is complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) conversation: Option<CurationQuery>,
    /// Lines to be kept, from 1, ascending; `None` if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) gold_lines: Option<Vec<u32>>,
}

/// The limit of the kept lines of a file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LineBudget {
    /// At most this share of the lines, from 0 to 1.
    Share(f64),
    /// As many lines as the curator finds relevant.
    Adaptive,
}

/// The measured budgets, in the order of the tables.
pub(crate) const BUDGETS: [LineBudget; 5] = [
    LineBudget::Share(0.1),
    LineBudget::Share(0.2),
    LineBudget::Share(0.3),
    LineBudget::Share(0.5),
    LineBudget::Adaptive,
];

impl CurationCase {
    /// Returns the question to ask of the file.
    pub(crate) fn question(&self) -> CurationQuery {
        self.conversation.clone().unwrap_or_else(|| CurationQuery::from_text(&self.query))
    }
}

impl LineBudget {
    /// Returns the most lines that may be kept of `lines`, rounded down.
    pub(crate) fn lines_max(self, lines: u32) -> u32 {
        match self {
            // Half a billionth saves 0.3 * 10 = 2.9999999999999996 from losing a line.
            LineBudget::Share(share) => (f64::from(lines) * share + 5e-10).floor() as u32,
            LineBudget::Adaptive => lines,
        }
    }

    /// Returns the budget in the form that the engine's curator takes.
    pub(crate) fn for_curator(self) -> curation::ViewBudget {
        match self {
            LineBudget::Share(share) => curation::ViewBudget::Share(share),
            LineBudget::Adaptive => curation::ViewBudget::Adaptive,
        }
    }
}
