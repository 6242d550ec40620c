use super::*;
use crate::lines::printed_lines;
use crate::note::{Counts, NoteKind};
use foveal_effects::Effect;

#[test]
fn what_a_note_stands_for_does_not_vanish_without_it() {
    let content = "head middle tail\nnext";
    let printed = printed_lines(content, &Effect::default());
    let facts = Facts { printed, ..Facts::default() };
    let gap = |bytes: usize| {
        let counts = Counts { bytes: bytes as u32, ..Counts::default() };
        Gap::new(ShapeKind::Excerpt, Note { counts, ..Note::new(NoteKind::LineCut) })
    };
    let cut = |bytes: usize| format!("[… {bytes} bytes of this line left out]");
    let mut draft = Draft::new(content, &facts);
    draft.cut("blank", 0, 4..5);
    draft.replace_in_line("cut", 0, 5..11, gap);
    draft.cut("blank", 0, 0..16);
    draft.cut("blank", 0, 9..12);
    draft.join("join", 1);
    assert_eq!(draft.compose().render(content), format!("head{}tailnext", cut(7)));
    assert_eq!(draft.shown_len(0), "headtail\n".len() + cut(7).len());
    draft.leave_out("gap", 0..1, gap(16));
    assert_eq!(draft.compose().render(content), format!("{}\nnext", cut(16)));
}
