use foveal_files::edit::differing_lines;

use super::*;

#[test]
fn ranges_are_joined() {
    assert_eq!(Seen::of([(7, 9), (1, 2), (3, 4), (8, 12), (6, 5)]).ranges(), [(1, 4), (7, 12)]);
    assert!(Seen::of([(1, 3), (4, 6)]).covers(6));
    assert!(!Seen::of([(1, 3), (5, 6)]).covers(6));
    let mut left = Seen::of([(1, 9), (12, 14)]);
    left.remove(&Seen::of([(3, 4), (9, 12), (20, 22)]));
    assert_eq!(left.ranges(), [(1, 2), (5, 8), (13, 14)]);
    assert!(Seen::all(0).covers(0) && Seen::all(0).is_empty());
}

#[test]
fn lines_move_with_the_text_and_changed_ones_are_lost() {
    let old = "a\nb\nc\nd\ne\nf\n";
    for (seen, new, expected) in [
        (vec![(2, 3)], "a\nb\nc\nd\ne\nf\n", vec![(2, 3)]),
        (vec![(2, 3)], "x\na\nb\nc\nd\ne\nf\n", vec![(3, 4)]),
        (vec![(2, 5)], "a\nb\nd\ne\nf\n", vec![(2, 4)]),
        (vec![(1, 2), (5, 6)], "a\nb\nc\nd\nE\nf\n", vec![(1, 2), (6, 6)]),
        (vec![(1, 6)], "", vec![]),
        (vec![(1, 6)], "a\nx\nd\ny\n", vec![(1, 1), (3, 3)]),
    ] {
        let runs = differing_lines(old, new);
        assert_eq!(Seen::of(seen).moved(&runs).ranges(), expected, "{new:?}");
    }
    let seen = Seen::of([(2, 3), (6, 6)]);
    let held: Vec<u32> = (1..8).filter(|line| seen.holds(*line)).collect();
    assert_eq!(held, [2, 3, 6]);
    assert!(seen.holds_all(2, 3) && !seen.holds_all(1, 3) && !seen.holds_all(3, 6));
}
