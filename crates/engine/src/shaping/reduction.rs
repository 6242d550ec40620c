//! Reduces a result to the level of a rewrite, if no view was chosen for it.

use super::draft::{DraftGap, ShapeDraft};
use super::{excerpt, outline, view};
use crate::entry_facts::EntryFacts;
use crate::message_shape::ShapeKind;
use crate::note::{Counts, Note, NoteKind};
use crate::reduction_level::ReductionLevel;
use crate::views::ChosenView;
use foveal_tool_effects::EffectKind;

/// Largest size, in bytes, of the failure and summary lines kept of a reduced result.
pub(crate) const FAILURE_BYTES_MAX: usize = 600;

/// They may take one part in this many of the result.
const FAILURE_LINES_DIVISOR: usize = 4;

/// Largest content, in bytes, that is searched for these lines only to estimate their size.
const ESTIMATED_BYTES_MAX: usize = 1 << 16;

/// Returns for each line whether it is kept once the model has seen the result: lines on failures
/// and summaries are.
fn select_lasting_lines(draft: &ShapeDraft<'_>) -> Vec<bool> {
    let most = FAILURE_BYTES_MAX.min(draft.total_visible_len() / FAILURE_LINES_DIVISOR);
    excerpt::select_failure_lines(draft, most)
}

/// Returns the lines that are kept once the model has seen the result, and the number of gaps;
/// `None` if the content is too long for an estimate.
pub(crate) fn estimate_seen_result(content: &str, facts: &EntryFacts) -> Option<(String, u64)> {
    if content.len() > ESTIMATED_BYTES_MAX {
        return None;
    }
    let draft = ShapeDraft::new(content, facts);
    let keep = select_lasting_lines(&draft);
    let mut text = String::new();
    for at in (0..draft.len()).filter(|at| keep[*at]) {
        text += draft.result_line(at).full_text(content);
        text.push('\n');
    }
    let gaps = keep.chunk_by(|one, next| one == next).filter(|run| !run[0]).count();
    Some((text, gaps as u64))
}

/// Removes from a draft the lines that its level no longer shows. Lines that the first views omitted
/// stay omitted; only a view chosen for the old read may show them again.
pub fn reduce_to_level(draft: &mut ShapeDraft<'_>, level: ReductionLevel, first: &[ChosenView]) {
    let handle = draft.handle();
    match level {
        ReductionLevel::Arrival => {}
        ReductionLevel::Reduced if draft.facts.kind() != EffectKind::Read => {
            let keep = select_lasting_lines(draft);
            excerpt::omit_unselected_lines(draft, &keep, handle, "seen", ShapeKind::Excerpt);
        }
        ReductionLevel::Reduced => {
            let mut keep = outline::outline_lines(draft);
            for first in first {
                let shown = view::select_view_lines(draft, first);
                keep.iter_mut().zip(shown).for_each(|(keep, shown)| *keep &= shown);
            }
            let names = view::OmittedNames::default();
            view::omit_ranges(draft, &keep, &names, "outline", ShapeKind::Outline);
        }
        ReductionLevel::Note => {
            // A note on a result with notes would need two steps to reach the content.
            let (handle, lines, bytes) = match draft.facts.excerpt_source {
                Some(source) => (source.hash.handle(), source.lines, source.bytes),
                None => {
                    let lines = draft.content_line_count(&(0..draft.len()));
                    (handle, lines, draft.content.len() as u32)
                }
            };
            let counts = Counts { lines, bytes, ..Counts::default() };
            let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::Cleared) };
            draft.omit_lines("cleared", 0..draft.len(), DraftGap::new(ShapeKind::Note, note));
        }
    }
}
