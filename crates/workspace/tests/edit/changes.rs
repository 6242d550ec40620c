//! Comparison of the touched lines with the version seen.

use foveal_transcript::LineNumber;
use foveal_workspace::edit::{LineSpan, delta_since_seen};

#[track_caller]
fn check(known: &str, disk: &str, (first, lines): (u32, u32), expected: &str) {
    let told = match delta_since_seen(known, disk, &[LineSpan { first: LineNumber(first), lines }])
    {
        None => "same".to_owned(),
        Some(delta) => {
            let spans: Vec<String> = delta.changed.iter().map(ToString::to_string).collect();
            format!("{}\n{}", spans.join(", "), delta.text)
        }
    };
    assert_eq!(told, expected);
}

const SEEN: &str = "a\nb\nc\nd\ne\nf\n";

#[test]
fn changes_elsewhere_do_not_matter() {
    check(SEEN, SEEN, (1, 6), "same");
    check(SEEN, "a\nX\nc\nd\ne\nf\n", (4, 2), "same");
    check(SEEN, "new\nnew\na\nb\nc\nd\ne\nf\n", (5, 2), "same");
    // Removed next to the touched lines, not between them.
    check(SEEN, "a\nb\nd\ne\nf\n", (3, 2), "same");
    check(SEEN, "a\nb\nd\ne\nf\n", (1, 2), "same");
}

#[test]
fn changes_of_touched_lines_are_shown() {
    check(
        SEEN,
        "a\nb\nX\nd\ne\nf\n",
        (3, 1),
        "line 3\n    1   a\n    2   b\n    3 - c\n    3 + X\n    4   d\n    5   e\n",
    );
    check(
        SEEN,
        "a\nb\nd\ne\nf\n",
        (2, 2),
        "before line 3\n    1   a\n    2   b\n    3 - c\n    3   d\n    4   e\n",
    );
    check(
        SEEN,
        "a\nb\nnew\nc\nd\ne\nf\n",
        (2, 3),
        "line 3\n    1   a\n    2   b\n    3 + new\n    4   c\n    5   d\n",
    );
    // The ending of a line is part of it.
    check("a\nb\n", "a\nb\r\n", (2, 1), "line 2\n    1   a\n    2 - b\n    2 + b\n");
}

#[test]
fn what_is_shown_is_bounded() {
    let disk: String = (0..9000).map(|n| format!("{n}\n")).collect();
    let known: String = (0..9000).map(|n| format!("old {n}\n")).collect();
    let delta = delta_since_seen(&known, &disk, &[LineSpan { first: LineNumber(8999), lines: 1 }]);
    let text = delta.expect("every line differs").text;
    assert_eq!(text.lines().count(), 61);
    assert!(text.ends_with("[17940 more lines of the difference]\n"), "{text}");
}
