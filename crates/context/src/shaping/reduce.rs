//! What a rewrite leaves of a result, where nobody chose a view of it.

use super::draft::{Draft, Gap};
use super::{excerpt, outline, view};
use crate::facts::Facts;
use crate::level::Level;
use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;
use crate::views::View;
use foveal_effects::EffectKind;

/// Bytes of lines with failures and sums that are left of what has been seen once.
pub(crate) const TELLING_BYTES_MAX: usize = 600;

/// These are this part of it at most.
const TELLING_PART: usize = 4;

/// Contents of more bytes are not looked through only to know how much would be left of them.
const LOOKED_THROUGH_BYTES_MAX: usize = 1 << 16;

/// What is left of a result that has been seen once: what tells of failures and sums.
fn lines_of_seen(draft: &Draft<'_>) -> Vec<bool> {
    let most = TELLING_BYTES_MAX.min(draft.shown_total() / TELLING_PART);
    excerpt::telling_lines(draft, most)
}

/// The lines of that, and how many gaps there are; `None` of a result too long to be looked through
/// only for that.
pub(crate) fn left_of_seen(content: &str, facts: &Facts) -> Option<(String, u64)> {
    if content.len() > LOOKED_THROUGH_BYTES_MAX {
        return None;
    }
    let draft = Draft::new(content, facts);
    let keep = lines_of_seen(&draft);
    let mut text = String::new();
    for at in (0..draft.len()).filter(|at| keep[*at]) {
        text += draft.line(at).whole_in(content);
        text.push('\n');
    }
    let gaps = keep.chunk_by(|one, next| one == next).filter(|run| !run[0]).count();
    Some((text, gaps as u64))
}

/// Takes from a draft what its level no longer shows. What the view of a first read left out
/// does not come back; only who chooses what stands for an old read may show it again.
pub fn reduce(draft: &mut Draft<'_>, level: Level, first: Option<&View>) {
    let handle = draft.handle();
    match level {
        Level::Arrival => {}
        Level::Reduced if draft.facts.kind() != EffectKind::Read => {
            let keep = lines_of_seen(draft);
            excerpt::leave_out_others(draft, &keep, handle, "seen", ShapeKind::Excerpt);
        }
        Level::Reduced => {
            let mut keep = outline::lines(draft);
            if let Some(first) = first {
                let shown = view::lines_kept(draft, first);
                keep.iter_mut().zip(shown).for_each(|(keep, shown)| *keep &= shown);
            }
            let names = view::Names::default();
            view::leave_out_ranges(draft, &keep, &names, ("outline", ShapeKind::Outline));
        }
        Level::Note => {
            // A note on a result with notes would lead to what these leave out in two steps.
            let (handle, lines, bytes) = match draft.facts.excerpt_source {
                Some(source) => (source.hash.handle(), source.lines, source.bytes),
                None => (handle, draft.len() as u32, draft.content.len() as u32),
            };
            let counts = Counts { lines, bytes, ..Counts::default() };
            let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::Cleared) };
            draft.leave_out("cleared", 0..draft.len(), Gap::new(ShapeKind::Note, note));
        }
    }
}
