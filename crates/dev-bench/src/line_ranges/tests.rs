use super::*;

#[test]
fn lines_end_at_line_feeds_only() {
    for (text, count) in [("", 0), ("a", 1), ("a\n", 1), ("a\n\n", 2), ("a\rb\r\nc", 2)] {
        assert_eq!(line_count(text), count, "{text:?}");
    }
}

#[test]
fn marks_and_ranges_are_inverse() {
    for (kept, sound, expected) in [
        (vec![], true, vec![]),
        (vec![(1, 2), (4, 4)], true, vec![(1, 2), (4, 4)]),
        (vec![(1, 2), (3, 5)], true, vec![(1, 5)]),
        (vec![(0, 1)], false, vec![(1, 1)]),
        (vec![(4, 9)], false, vec![(4, 5)]),
        (vec![(8, 9)], false, vec![]),
        (vec![(3, 2)], false, vec![]),
        (vec![(1, 3), (2, 2)], false, vec![(1, 3)]),
        (vec![(4, 4), (1, 1)], false, vec![(1, 1), (4, 4)]),
    ] {
        let (marks, is_sound) = mark_ranges(&kept, 5);
        assert_eq!((marked_ranges(&marks), is_sound), (expected, sound), "{kept:?}");
    }
}
