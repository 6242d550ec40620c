use foveal_workspace::edit::diff_hunks;

use super::*;

#[test]
fn ranges_are_joined() {
    assert_eq!(
        LineRangeSet::from_ranges([(7, 9), (1, 2), (3, 4), (8, 12), (6, 5)]).ranges(),
        [(1, 4), (7, 12)]
    );
    assert!(LineRangeSet::from_ranges([(1, 3), (4, 6)]).covers_all(6));
    assert!(!LineRangeSet::from_ranges([(1, 3), (5, 6)]).covers_all(6));
    let mut left = LineRangeSet::from_ranges([(1, 9), (12, 14)]);
    left.remove_lines(&LineRangeSet::from_ranges([(3, 4), (9, 12), (20, 22)]));
    assert_eq!(left.ranges(), [(1, 2), (5, 8), (13, 14)]);
    assert!(LineRangeSet::all(0).covers_all(0) && LineRangeSet::all(0).is_empty());
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
        let runs = diff_hunks(old, new);
        assert_eq!(LineRangeSet::from_ranges(seen).shifted_by(&runs).ranges(), expected, "{new:?}");
    }
    let seen = LineRangeSet::from_ranges([(2, 3), (6, 6)]);
    let held: Vec<u32> = (1..8).filter(|line| seen.contains(*line)).collect();
    assert_eq!(held, [2, 3, 6]);
    assert!(seen.contains_range(2, 3) && !seen.contains_range(1, 3) && !seen.contains_range(3, 6));
}
