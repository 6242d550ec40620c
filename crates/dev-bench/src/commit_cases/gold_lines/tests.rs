//! Gold lines are the old lines that a change touches.

use proptest::prelude::*;

use super::{changed_lines, gold_lines};
use crate::line_ranges::lines_of;

fn check(old: &str, new: &str, gold: &[u32], changed: u32) {
    let lines = |text: &str| text.split(' ').map(|line| format!("{line}\n")).collect::<String>();
    let (old, new) = (lines(old), lines(new));
    assert_eq!((gold_lines(&old, &new), changed_lines(&old, &new)), (gold.to_vec(), changed));
}

#[test]
fn touched_lines_and_neighbours_of_added_ones() {
    check("a b c d", "a b c d", &[], 0);
    // Replaced and removed.
    check("a b c d", "a x c d", &[2], 1);
    check("a b c d", "a d", &[2, 3], 2);
    check("a b c d", "a x y z d", &[2, 3], 3);
    // Added: in the middle, at both ends.
    check("a b c d", "a b x c d", &[2, 3], 1);
    check("a b c d", "x a b c d", &[1], 1);
    check("a b c d", "a b c d x y", &[4], 2);
    // Several at once; one line can be the neighbour of two.
    check("a b c d e", "a x b y c d z", &[1, 2, 3, 5], 3);
}

#[test]
fn texts_without_lines_and_odd_line_breaks() {
    assert_eq!(gold_lines("", "a\nb\n"), [0u32; 0]);
    assert_eq!(gold_lines("a\nb\n", ""), [1, 2]);
    assert_eq!(gold_lines("a\nb", "a\nb\n"), [2]);
    // A lone carriage return ends no line: the change is in line 2.
    assert_eq!(gold_lines("a\rb\nc\n", "a\rb\nd\n"), [2]);
}

proptest! {
    #[test]
    fn everything_but_the_gold_lines_is_in_the_new_text(
        old in "([abc]\n){0,20}", new in "([abc]\n){0,20}"
    ) {
        let gold = gold_lines(&old, &new);
        let count = lines_of(&old).count() as u32;
        prop_assert!(gold.is_sorted_by(|a, b| a < b));
        prop_assert!(gold.iter().all(|line| (1..=count).contains(line)));
        prop_assert_eq!(gold.is_empty(), old == new || old.is_empty());
        // What is not touched is there after the change too, in the same order.
        let mut rest = lines_of(&new);
        for (_, line) in (1u32..).zip(lines_of(&old)).filter(|(at, _)| !gold.contains(at)) {
            prop_assert!(rest.any(|other| other == line));
        }
    }
}
