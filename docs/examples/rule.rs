//! A worked example: a shaping rule. Rows of nothing but dots, which test runners print while
//! they run, are counted instead of shown.

use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;

use super::draft::{Draft, Gap};

const RULE: &str = "dots";

/// Leaves out every run of rows of dots for which a note is shorter.
fn leave_out(draft: &mut Draft<'_>) {
    let handle = draft.handle();
    let mut at = 0;
    while at < draft.len() {
        let start = at;
        let mut bytes = 0;
        while at < draft.len() && draft.keeps(at) && is_row_of_dots(draft.text(at)) {
            bytes += draft.shown_len(at);
            at += 1;
        }
        // The note is a value: laws and readers look at its fields, its text is made last.
        let counts =
            Counts { lines: (at - start) as u32, bytes: bytes as u32, ..Counts::default() };
        let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::LEFT_OUT) };
        if note.text_len() < bytes {
            draft.leave_out(RULE, start..at, Gap::new(ShapeKind::Excerpt, note));
        }
        at = at.max(start + 1);
    }
}

fn is_row_of_dots(text: &str) -> bool {
    text.len() >= 8 && text.bytes().all(|byte| byte == b'.')
}

#[test]
fn rows_of_dots_are_counted() {
    use foveal_effects::Effect;

    use crate::facts::Facts;
    use crate::lines::printed_lines;

    let row = ".".repeat(80);
    let content = format!("running\n{row}\n{row}\n12 passed");
    let printed = printed_lines(&content, &Effect::default());
    let facts = Facts { printed, ..Facts::default() };
    let mut draft = Draft::new(&content, &facts);
    leave_out(&mut draft);
    let handle = draft.handle();
    let expected = format!("running\n[2 lines, 162 bytes left out; expand {handle}]\n12 passed");
    assert_eq!(draft.compose().render(&content), expected);
}
