//! Planning of one edit of a text.

use super::planned_edit::{Edit, EditMatch, PlannedEdit, TextChange, TextReplacement};
use super::refusal::EditRefusal;
use super::text_lines::LineCounter;
use super::{exact_match, lookalike_characters, placeholders, similar_blocks, whitespace_match};

/// Plans one edit of `text`.
///
/// # Errors
/// Returns an [`EditRefusal`] if the old text does not match or is ambiguous, if the edit would
/// change nothing, or if the new text contains a placeholder.
pub fn plan_edit(text: &str, edit: &Edit) -> Result<PlannedEdit, EditRefusal> {
    if edit.old.is_empty() {
        return Err(EditRefusal::EmptyOld);
    }
    if edit.old == edit.new {
        return Err(EditRefusal::SameText);
    }
    if let Some(found) = placeholders::find_new_placeholder(text, &edit.new) {
        return Err(EditRefusal::Placeholder(found));
    }
    let (replacements, how) = match exact_match::find_exact(text, edit)? {
        Some(replacements) => (replacements, EditMatch::Exact),
        None => {
            let found = exact_match::find_ignoring_line_endings(text, edit)?;
            let found = match found {
                Some(found) => Some(found),
                None => whitespace_match::find_ignoring_whitespace(text, edit)?,
            };
            match found {
                Some((replacements, differences)) => {
                    (replacements, EditMatch::WhiteSpace(differences))
                }
                None => return Err(not_found_refusal(text, edit)),
            }
        }
    };
    let planned = apply_replacements(text, replacements, how);
    if planned.text == text {
        return Err(EditRefusal::NothingChanges);
    }
    Ok(planned)
}

fn not_found_refusal(text: &str, edit: &Edit) -> EditRefusal {
    EditRefusal::NotFound {
        candidates: similar_blocks::find_similar_blocks(text, &edit.old),
        lookalike: lookalike_characters::find_difference(text, &edit.old),
        numbered: placeholders::has_number_gutter(&edit.old),
    }
}

/// Applies `replacements`, which are ascending and do not overlap.
fn apply_replacements(
    text: &str,
    replacements: Vec<TextReplacement>,
    how: EditMatch,
) -> PlannedEdit {
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    let mut counter = LineCounter::new(text);
    let mut changed: Vec<TextChange> = Vec::with_capacity(replacements.len());
    for (bytes, new) in replacements {
        after.push_str(&text[at..bytes.start]);
        let start = after.len();
        after.push_str(&new);
        at = bytes.end;
        let before = counter.line_span(&bytes);
        changed.push(TextChange { bytes, new_bytes: start..after.len(), before, after: before });
    }
    after.push_str(&text[at..]);
    let mut counter = LineCounter::new(&after);
    for change in &mut changed {
        change.after = counter.line_span(&change.new_bytes);
    }
    PlannedEdit { text: after, changed, how }
}
