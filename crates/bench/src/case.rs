//! What is asked of a curator.

use foveal_code::curate::Question;
use serde::{Deserialize, Serialize};

/// A file, a question about it, and the lines that its answer needs.
///
/// As JSON, `id`, `path`, `content_before` and `query` are required; other fields than those
/// here are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Names the case; the same in every run.
    pub id: String,
    /// The repository it comes from; empty if unknown.
    #[serde(default)]
    pub repo: String,
    /// The language by the path; empty if unknown.
    #[serde(default)]
    pub language: String,
    /// The path of the file inside its repository.
    pub path: String,
    /// The file as the curator sees it.
    pub content_before: String,
    /// The question.
    pub query: String,
    /// The question with what a conversation knows besides; `None` where `query` is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Question>,
    /// Lines to be kept, from 1, ascending; `None` where nobody knows them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gold_lines: Option<Vec<u32>>,
}

/// How much of a file may be kept.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// At most this share of the lines, from 0 to 1.
    Share(f64),
    /// As much as the curator finds worth showing.
    Adaptive,
}

/// The budgets that are measured, in the order of the tables.
pub const BUDGETS: [Budget; 5] = [
    Budget::Share(0.1),
    Budget::Share(0.2),
    Budget::Share(0.3),
    Budget::Share(0.5),
    Budget::Adaptive,
];

impl Case {
    /// What is asked of the file.
    pub fn question(&self) -> Question {
        self.conversation.clone().unwrap_or_else(|| Question::of_text(&self.query))
    }
}

impl Budget {
    /// Most lines that may be kept of `lines`; rounded down, so that a share is never passed.
    pub fn lines_max(self, lines: u32) -> u32 {
        match self {
            // Half a billionth keeps 0.3 * 10 = 2.9999999999999996 from losing a line.
            Budget::Share(share) => (f64::from(lines) * share + 5e-10).floor() as u32,
            Budget::Adaptive => lines,
        }
    }
}
