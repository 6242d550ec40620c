//! Planning of edits over a text: which bytes go, what stands there instead, or why not.
//!
//! Nothing here reads or writes a file. What is asked to be replaced is looked for as it is
//! spelled, then with other white space; what is only alike is shown and never replaced.

mod blend;
mod changes;
mod closest;
mod diff;
mod exact;
mod placeholders;
mod refusal;
mod runs;
mod several;
mod span;
mod text;
mod white_space;

pub use changes::{Delta, changed_since};
pub use closest::Candidate;
pub use placeholders::{PlaceholderFound, PlaceholderKind, refuse_placeholders};
pub use refusal::{EditRefusal, Found};
pub use runs::{Run, altered_lines, differing_lines};
pub use several::{EditOf, Overlap, PlannedText, PlannedTexts, RefusedEdit, plan_edits};
pub use span::{LineNumber, LineSpan};
pub use white_space::Differences;

use std::ops::Range;

use text::LineCounter;

/// One replacement in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// What stands there now.
    pub old: String,
    /// What is to stand there.
    pub new: String,
    /// Whether every place is meant, or the only one.
    pub replace_all: bool,
}

/// How the old text of an edit was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// As it was spelled.
    Exact,
    /// With other white space, which the new text was given too.
    WhiteSpace(Differences),
}

/// One replaced place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The bytes of the text before that are gone.
    pub bytes: Range<usize>,
    /// The bytes of the text after that stand there instead.
    pub new_bytes: Range<usize>,
    /// The whole lines of the text before that are touched.
    pub before: LineSpan,
    /// The whole lines of the text after that are touched.
    pub after: LineSpan,
}

/// A text after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The text after.
    pub text: String,
    /// The replaced places, in the order of the text; at least one.
    pub changed: Vec<Change>,
    /// How the old text was found.
    pub how: How,
}

/// Plans one edit of `text`.
///
/// # Errors
/// An [`EditRefusal`] where it is not plain which bytes are meant, where nothing would
/// change, and where the new text holds a placeholder.
pub fn plan_edit(text: &str, edit: &Edit) -> Result<Planned, EditRefusal> {
    if edit.old.is_empty() {
        return Err(EditRefusal::EmptyOld);
    }
    if edit.old == edit.new {
        return Err(EditRefusal::SameText);
    }
    if let Some(found) = refuse_placeholders(text, &edit.new) {
        return Err(EditRefusal::Placeholder(found));
    }
    let (replacements, how) = match exact::find(text, edit)? {
        Some(replacements) => (replacements, How::Exact),
        None => {
            let found = exact::find_by_endings(text, edit)?;
            let found = match found {
                Some(found) => Some(found),
                None => white_space::find(text, edit)?,
            };
            match found {
                Some((replacements, differences)) => (replacements, How::WhiteSpace(differences)),
                None => return Err(not_found(text, edit)),
            }
        }
    };
    let planned = apply(text, replacements, how);
    if planned.text == text {
        return Err(EditRefusal::NothingChanges);
    }
    Ok(planned)
}

fn not_found(text: &str, edit: &Edit) -> EditRefusal {
    EditRefusal::NotFound {
        candidates: closest::candidates(text, &edit.old),
        numbered: placeholders::has_gutter(&edit.old),
    }
}

/// Bytes of a text, and what stands there instead.
type Replacement = (Range<usize>, String);

/// Carries out `replacements`, which ascend and do not overlap.
fn apply(text: &str, replacements: Vec<Replacement>, how: How) -> Planned {
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    let mut counter = LineCounter::new(text);
    let mut changed: Vec<Change> = Vec::with_capacity(replacements.len());
    for (bytes, new) in replacements {
        after.push_str(&text[at..bytes.start]);
        let start = after.len();
        after.push_str(&new);
        at = bytes.end;
        let before = counter.span(&bytes);
        changed.push(Change { bytes, new_bytes: start..after.len(), before, after: before });
    }
    after.push_str(&text[at..]);
    let mut counter = LineCounter::new(&after);
    for change in &mut changed {
        change.after = counter.span(&change.new_bytes);
    }
    Planned { text: after, changed, how }
}
