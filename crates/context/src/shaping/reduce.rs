//! What a rewrite leaves of a result, where nobody chose a view of it.

use super::draft::{Draft, Gap};
use super::{outline, view};
use crate::level::Level;
use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;
use crate::views::View;

/// Takes from a draft what its level no longer shows. What the view of a first read left out
/// does not come back; only who chooses what stands for an old read may show it again.
pub fn reduce(draft: &mut Draft<'_>, level: Level, first: Option<&View>) {
    let handle = draft.handle();
    match level {
        Level::Arrival => {}
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
            let (lines, bytes) = (draft.len() as u32, draft.content.len() as u32);
            let counts = Counts { lines, bytes, ..Counts::default() };
            let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::Cleared) };
            draft.leave_out("cleared", 0..draft.len(), Gap::new(ShapeKind::Note, note));
        }
    }
}
