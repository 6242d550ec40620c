use super::*;
use crate::coloured_text::Audience;
use foveal_engine::message_shape::ShapeKind;
use foveal_engine::note::{LineNumberRange, Note, NoteKind};
use foveal_transcript::Handle;

const PLAIN: Painter = Painter { on: false, for_person: false };
const COLOURED: Painter = Painter { on: true, for_person: true };

fn told(shown: &ColouredText) -> String {
    shown.render(Audience::Person)
}

fn shape() -> (&'static str, MessageShape) {
    let original = "one\ntwo\nthree\nfour";
    let note = Note { lines: vec![LineNumberRange(2, 3)], ..Note::new(NoteKind::LEFT_OUT) };
    let pieces =
        vec![ShapePiece::Keep(0..4), ShapePiece::Note(13, note.into()), ShapePiece::Keep(13..18)];
    let handle = Handle::from_content(original.as_bytes());
    let rule = "test".to_owned();
    (original, MessageShape { kind: ShapeKind::Excerpt, rule, pieces, handle })
}

#[test]
fn our_words_are_marked() {
    let (original, shape) = shape();
    assert_eq!(told(&mark_own_words(original, &shape, PLAIN)), "  one\n~ [2-3 left out]\n  four\n");
    assert_eq!(
        told(&mark_own_words(original, &shape, COLOURED)),
        "  one\n~ \u{1b}[33m[2-3 left out]\u{1b}[0m\n  four\n"
    );
}

#[test]
fn a_difference_goes_from_the_original_to_the_projection() {
    let (original, shape) = shape();
    assert_eq!(
        told(&diff_projection(original, &shape, PLAIN)),
        "  --- original\n  +++ projected\n  @@ -1,4 +1,3 @@\n   one\n  -two\n  -three\n  \
         +[2-3 left out]\n   four\n  \\ No newline at end of file\n"
    );
}
