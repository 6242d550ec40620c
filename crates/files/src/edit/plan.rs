//! One edit of a text.

use super::change::{Change, Edit, How, Planned, Replacement};
use super::refusal::EditRefusal;
use super::text::LineCounter;
use super::{closest, exact, placeholders, white_space};

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
    if let Some(found) = placeholders::refuse_placeholders(text, &edit.new) {
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
