use super::*;

#[test]
fn differences_go_as_they_are_shown() {
    let (believed, text) = ("a\nb\nc\nd\ne\nf\n", "a\nB\nBB\nc\ne\nf\ng\n");
    for (shown, left) in [
        (vec![], "a\nb\nc\nd\ne\nf\n"),
        (vec![(1, 1), (4, 4)], "a\nb\nc\nd\ne\nf\n"),
        (vec![(2, 3)], "a\nB\nBB\nc\nd\ne\nf\n"),
        // Partly shown changes keep the text that the model believes in.
        (vec![(2, 2)], "a\nB\nb\nc\nd\ne\nf\n"),
        (vec![(3, 3)], "a\nb\nBB\nc\nd\ne\nf\n"),
        (vec![(4, 5)], "a\nb\nc\ne\nf\n"),
        (vec![(7, 7)], "a\nb\nc\nd\ne\nf\ng\n"),
        (vec![(1, 7)], text),
    ] {
        let mut unshown = ExternalChanges::between(believed, text);
        assert_eq!(unshown.believed_text(text), believed);
        unshown.mark_lines_seen(&LineRangeSet::from_ranges(shown.clone()), 7);
        assert_eq!(unshown.believed_text(text), left, "{shown:?}");
    }
}

#[test]
fn differences_move_with_changes_beside_them() {
    let (believed, text) = ("a\nb\nc\nd\ne\n", "a\nB\nc\ne\n");
    let unshown = ExternalChanges::between(believed, text);
    for (new, expected) in [
        ("x\ny\na\nB\nc\ne\n", "x\ny\na\nb\nc\nd\ne\n"),
        ("B\nc\ne\n", "b\nc\nd\ne\n"),
        ("a\nB\nC\nCC\ne\n", "a\nb\nC\nCC\nd\ne\n"),
        ("a\nB\nc\nE\n", "a\nb\nc\nd\nE\n"),
    ] {
        let runs = diff_hunks(text, new);
        assert_eq!(unshown.shifted_by(&runs).believed_text(new), expected, "{new:?}");
    }
}
