use super::*;
use crate::lines::parse_result_lines;
use crate::note::{Counts, NoteKind};
use foveal_tool_effects::Effect;

#[test]
fn what_a_note_stands_for_does_not_vanish_without_it() {
    let content = "head middle tail\nnext";
    let printed = parse_result_lines(content, &Effect::default());
    let facts = EntryFacts { printed, ..EntryFacts::default() };
    let gap = |bytes: usize| {
        let counts = Counts { bytes: bytes as u32, ..Counts::default() };
        DraftGap::new(ShapeKind::Excerpt, Note { counts, ..Note::new(NoteKind::LineCut) })
    };
    let cut = |bytes: usize| format!("[… {bytes} bytes of this line left out]");
    let mut draft = ShapeDraft::new(content, &facts);
    draft.cut_range("blank", 0, 4..5);
    draft.replace_in_line("cut", 0, 5..11, gap);
    draft.cut_range("blank", 0, 0..16);
    draft.cut_range("blank", 0, 9..12);
    draft.remove_line_break("join", 1);
    assert_eq!(draft.compose().render(content), format!("head{}tailnext", cut(7)));
    assert_eq!(draft.visible_len(0), "headtail\n".len() + cut(7).len());
    draft.omit_lines("gap", 0..1, gap(16));
    assert_eq!(draft.compose().render(content), format!("{}\nnext", cut(16)));
}
