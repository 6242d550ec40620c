//! A worked example: a shaping rule. Rows of nothing but dots, which test runners print while
//! they run, are counted instead of shown.

use crate::message_shape::ShapeKind;
use crate::note::{Counts, Note, NoteKind};

use super::draft::{DraftGap, ShapeDraft};

const RULE: &str = "dots";

/// Omits each run of rows of dots for which a note is shorter.
fn omit_dots(draft: &mut ShapeDraft<'_>) {
    let handle = draft.handle();
    let mut at = 0;
    while at < draft.len() {
        let start = at;
        let mut bytes = 0;
        while at < draft.len() && draft.is_visible(at) && is_row_of_dots(draft.line_text(at)) {
            bytes += draft.visible_len(at);
            at += 1;
        }
        // The note is a value: laws and readers use its fields. Its text is rendered last.
        let counts =
            Counts { lines: (at - start) as u32, bytes: bytes as u32, ..Counts::default() };
        let note = Note { counts, handle: Some(handle), ..Note::new(NoteKind::LEFT_OUT) };
        if note.text_len() < bytes {
            draft.omit_lines(RULE, start..at, DraftGap::new(ShapeKind::Excerpt, note));
        }
        at = at.max(start + 1);
    }
}

fn is_row_of_dots(text: &str) -> bool {
    text.len() >= 8 && text.bytes().all(|byte| byte == b'.')
}

#[test]
fn rows_of_dots_are_counted() {
    use foveal_tool_effects::Effect;

    use crate::entry_facts::EntryFacts;
    use crate::lines::parse_result_lines;

    let row = ".".repeat(80);
    let content = format!("running\n{row}\n{row}\n12 passed");
    let printed = parse_result_lines(&content, &Effect::default());
    let facts = EntryFacts { printed, ..EntryFacts::default() };
    let mut draft = ShapeDraft::new(&content, &facts);
    omit_dots(&mut draft);
    let handle = draft.handle();
    let expected = format!("running\n[2 lines, 162 bytes left out; expand {handle}]\n12 passed");
    assert_eq!(draft.compose().render(&content), expected);
}
