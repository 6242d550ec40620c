use super::*;
use crate::shown::Reader;
use foveal_context::note::{Lines, Note, NoteKind};
use foveal_context::shape::ShapeKind;
use foveal_transcript::Handle;

const PLAIN: Painter = Painter { on: false, for_person: false };
const COLOURED: Painter = Painter { on: true, for_person: true };

fn told(shown: &Shown) -> String {
    shown.render(Reader::Person)
}

fn shape() -> (&'static str, Shape) {
    let original = "one\ntwo\nthree\nfour";
    let note = Note { lines: vec![Lines(2, 3)], ..Note::new(NoteKind::LEFT_OUT) };
    let pieces = vec![Piece::Keep(0..4), Piece::Note(13, note.into()), Piece::Keep(13..18)];
    let handle = Handle::of(original.as_bytes());
    let rule = "test".to_owned();
    (original, Shape { kind: ShapeKind::Excerpt, rule, pieces, handle })
}

#[test]
fn our_words_are_marked() {
    let (original, shape) = shape();
    assert_eq!(told(&marked(original, &shape, PLAIN)), "  one\n~ [2-3 left out]\n  four\n");
    assert_eq!(
        told(&marked(original, &shape, COLOURED)),
        "  one\n~ \u{1b}[33m[2-3 left out]\u{1b}[0m\n  four\n"
    );
}

#[test]
fn a_difference_goes_from_the_original_to_the_projection() {
    let (original, shape) = shape();
    assert_eq!(
        told(&difference(original, &shape, PLAIN)),
        "  --- original\n  +++ projected\n  @@ -1,4 +1,3 @@\n   one\n  -two\n  -three\n  \
         +[2-3 left out]\n   four\n  \\ No newline at end of file\n"
    );
}
