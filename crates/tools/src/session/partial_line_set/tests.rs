use super::*;

fn part(line: u32, from: u64, to: Option<u64>) -> PartialLine {
    PartialLine { line, from, to }
}

#[test]
fn parts_are_joined_in_any_order() {
    let mut parts = PartialLineSet::default();
    assert_eq!(parts.add(part(1, 500, None)), part(1, 500, None));
    assert_eq!(parts.add(part(1, 0, Some(300))), part(1, 0, Some(300)));
    assert!(parts.contains(1, &(100..300)) && !parts.contains(1, &(299..501)));
    assert!(!parts.contains(2, &(100..300)));
    assert!(parts.add(part(1, 300, Some(500))).is_whole_line());
    assert_eq!(parts.0.len(), 1);
}

#[test]
fn parts_follow_the_changes_in_their_line() {
    let (before, after) = ("short\n0123456789abcdef\nend", "0123XYZ\nW6789abcdef\nend");
    let change = |bytes, new_bytes| TextChange {
        bytes,
        new_bytes,
        before: foveal_workspace::edit::LineSpan::from_indices(0, 1),
        after: foveal_workspace::edit::LineSpan::from_indices(0, 1),
    };
    assert_eq!((&before[10..12], &after[4..9]), ("45", "XYZ\nW"));
    let changes = [change(0..6, 0..0), change(10..12, 4..9)];
    let mut parts = PartialLineSet::default();
    parts.add(part(2, 2, Some(10)));
    let line = LineBytes { number: 2, bytes: 6..23 };
    let moved = parts.parts_after(&line, &TextChanges { after, changes: &changes });
    assert_eq!(moved, [part(1, 2, None), part(2, 0, Some(5))]);
    let runs = foveal_workspace::edit::diff_hunks("a\nb\nc\nd", "b\nC\nC\nd");
    let mut parts = PartialLineSet::default();
    for line in 1..=4 {
        parts.add(part(line, 2, None));
    }
    let lines: Vec<u32> = parts.shifted_by(&runs).0.iter().map(|part| part.line).collect();
    assert_eq!(lines, [1, 4]);
}
