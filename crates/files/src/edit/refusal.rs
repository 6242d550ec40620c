//! Why an edit is not carried out.

use std::fmt;

use foveal_transcript::LineNumber;

use super::closest::Candidate;
use super::placeholders::PlaceholderFound;
use super::text::LineCounter;

/// Places that are told by their line; more are counted.
const PLACES_TOLD_MAX: usize = 20;

/// Places that are looked for; there may be more.
pub(super) const PLACES_MAX: usize = 1000;

/// How places were found that are more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MatchedBy {
    /// As they were spelled.
    Exact,
    /// With other line endings.
    LineEndings,
    /// With other white space.
    WhiteSpace,
}

/// Why an edit is refused. The text stays as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EditRefusal {
    #[error("old_str is empty: give the text to replace, or write the whole file")]
    EmptyOld,
    #[error("old_str and new_str are the same: nothing would change")]
    SameText,
    /// The edit leaves the text as it is, once it has the file's white space.
    #[error("nothing would change: the file already reads like new_str")]
    NothingChanges,
    /// More than one place is meant, or could be.
    #[error("{}", told(lines, *total, *found))]
    Ambiguous {
        /// The first line of each place, ascending; the first 20.
        lines: Vec<LineNumber>,
        /// How many places there are; 1000 stands for that and more.
        total: usize,
        /// How they were found.
        found: MatchedBy,
    },
    /// No place reads like the old text.
    #[error("{}", not_found(candidates, *numbered))]
    NotFound {
        /// The blocks most like it, best first; at most 3.
        candidates: Vec<Candidate>,
        /// The old text holds line numbers as a view prints them.
        numbered: bool,
    },
    /// An edit is about a text that is not there.
    #[error("it names text {} of {of}", text + 1)]
    NoSuchText {
        /// Which, from 0.
        text: usize,
        /// How many there are.
        of: usize,
    },
    /// The new text holds something that stands for other text.
    #[error("{0}")]
    Placeholder(PlaceholderFound),
}

impl EditRefusal {
    /// Several places of `text`, by their first byte, ascending.
    pub(super) fn ambiguous(text: &str, places: &[usize], found: MatchedBy) -> Self {
        let mut counter = LineCounter::new(text);
        let told = places.iter().take(PLACES_TOLD_MAX);
        let lines = told.map(|at| LineNumber::of_index(counter.index_at(*at))).collect();
        Self::Ambiguous { lines, total: places.len(), found }
    }
}

fn told(lines: &[LineNumber], total: usize, found: MatchedBy) -> String {
    let listed: Vec<String> = lines.iter().map(ToString::to_string).collect();
    let more = match total.saturating_sub(lines.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let (how, remedy) = match found {
        MatchedBy::Exact => ("", "give more lines around the one meant, or set replace_all"),
        MatchedBy::LineEndings => (
            " but for its line endings",
            "give more lines around the one meant, or set replace_all",
        ),
        MatchedBy::WhiteSpace => {
            (" but for white space", "give more lines around the one meant, spelled as in the file")
        }
    };
    let or_more = if total >= PLACES_MAX { " or more" } else { "" };
    format!(
        "old_str matches {total}{or_more} places{how}: lines {}{more}; {remedy}",
        listed.join(", ")
    )
}

fn not_found(candidates: &[Candidate], numbered: bool) -> String {
    use fmt::Write as _;
    let mut text = "old_str is not in the file".to_owned();
    if numbered {
        text.push_str("; it holds line numbers, which are no part of the file: leave them out");
    }
    if candidates.is_empty() {
        text.push_str("; read the file again and copy the text to replace");
        return text;
    }
    text.push_str("; nothing was changed. Most alike (`-` yours, `+` the file's):");
    for candidate in candidates {
        let Candidate { lines, percent, diff } = candidate;
        write!(text, "\n{lines} ({percent} % alike)\n{diff}")
            .expect("writing to a string does not fail");
    }
    text
}
