//! Reasons for refusing an edit.

use std::fmt;

use foveal_transcript::LineNumber;

use super::lookalike_characters::LookalikeDifference;
use super::placeholders::PlaceholderError;
use super::similar_blocks::SimilarBlock;
use super::text_lines::LineCounter;

/// Matches whose lines are reported; more are counted.
const REPORTED_LINES_MAX: usize = 20;

/// Matches that are searched for; there may be more.
pub(super) const MATCHES_MAX: usize = 1000;

/// How an ambiguous text matched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchMethod {
    /// Byte by byte.
    Exact,
    /// But for line endings.
    LineEndings,
    /// But for white space.
    WhiteSpace,
}

/// The reason for refusing an edit. The text stays unchanged.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EditRefusal {
    #[error("old_str is empty: give the text to replace, or write the whole file")]
    EmptyOld,
    #[error("old_str and new_str are the same: nothing would change")]
    SameText,
    /// The text already has this content, once the edit has the file's white space.
    #[error("nothing would change: the file already reads like new_str")]
    NothingChanges,
    /// The old text matches several places.
    #[error("{}", ambiguity_message(lines, *total, *found))]
    Ambiguous {
        /// The first line of each match, ascending; at most 20.
        lines: Vec<LineNumber>,
        /// The number of matches; 1000 stands for 1000 or more.
        total: usize,
        /// How the matches were found.
        found: MatchMethod,
    },
    /// The old text matches nowhere.
    #[error("{}", not_found_message(candidates, *numbered, lookalike.as_ref()))]
    NotFound {
        /// The most similar blocks, best first; at most 3.
        candidates: Vec<SimilarBlock>,
        /// Whether the old text contains line numbers as a view prints them.
        numbered: bool,
        /// The first character in which the old text differs from a place that looks like it, if it
        /// differs in nothing else.
        lookalike: Option<LookalikeDifference>,
    },
    /// The edit refers to a text that does not exist.
    #[error("it names text {} of {of}", text + 1)]
    NoSuchText {
        /// The index of the text, from 0.
        text: usize,
        /// The number of texts.
        of: usize,
    },
    /// The new text contains a placeholder.
    #[error("{0}")]
    Placeholder(PlaceholderError),
}

impl EditRefusal {
    /// Returns the refusal for several matches in `text`, given by their first bytes in ascending
    /// order.
    pub(super) fn ambiguous(text: &str, places: &[usize], found: MatchMethod) -> Self {
        let mut counter = LineCounter::new(text);
        let told = places.iter().take(REPORTED_LINES_MAX);
        let lines = told.map(|at| LineNumber::from_index(counter.line_index_at(*at))).collect();
        Self::Ambiguous { lines, total: places.len(), found }
    }
}

fn ambiguity_message(lines: &[LineNumber], total: usize, found: MatchMethod) -> String {
    let listed: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let more = match total.saturating_sub(lines.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (how, remedy) = match found {
        MatchMethod::Exact => ("", "give more lines around the one meant, or set replace_all"),
        MatchMethod::LineEndings => (
            " but for its line endings",
            "give more lines around the one meant, or set replace_all",
        ),
        MatchMethod::WhiteSpace => {
            (" but for white space", "give more lines around the one meant, spelled as in the file")
        }
    };
    let or_more = if total >= MATCHES_MAX { " or more" } else { "" };
    format!(
        "old_str matches {total}{or_more} places{how}: lines {}{more}; {remedy}",
        listed.join(", ")
    )
}

fn not_found_message(
    candidates: &[SimilarBlock],
    numbered: bool,
    lookalike: Option<&LookalikeDifference>,
) -> String {
    use fmt::Write as _;
    let mut text = "old_str is not in the file".to_owned();
    if numbered {
        text.push_str("; it holds line numbers, which are no part of the file: leave them out");
    }
    if let Some(difference) = lookalike {
        write!(text, "; {difference}").expect("writing to a string does not fail");
    }
    if candidates.is_empty() && lookalike.is_none() {
        text.push_str("; read the file again and copy the text to replace");
        return text;
    }
    if candidates.is_empty() {
        return text;
    }
    text.push_str("; nothing was changed. Most alike (`-` yours, `+` the file's):");
    for candidate in candidates {
        let SimilarBlock { lines, percent, diff } = candidate;
        let how = match percent {
            100 => "only blanks differ: spaces, tabs or line breaks".to_owned(),
            percent => format!("{percent} % alike"),
        };
        write!(text, "\n{lines} ({how})\n{diff}").expect("writing to a string does not fail");
    }
    text
}
