use super::*;
use crate::edit::{Edit, plan_edit};

fn altered(text: &str, old: &str, new: &str) -> String {
    let edit = Edit { old: old.to_owned(), new: new.to_owned(), replace_all: true };
    let planned = plan_edit(text, &edit).expect("an edit");
    let runs = changed_hunks(text, &planned.text, &planned.changed);
    let runs: Vec<String> =
        runs.iter().map(|run| format!("{} > {}", run.before, run.after)).collect();
    runs.join("; ")
}

#[test]
fn lines_beside_a_change_are_not_altered() {
    let text = "a\nb\nc\nb c\nd";
    for (old, new, expected) in [
        ("b\n", "", "line 2 > before line 2"),
        ("a\nb\n", "x", "lines 1-3 > line 1"),
        ("c\n", "c\nnew\n", "before line 4 > line 4; before line 5 > line 6"),
        ("a", "a\nnew", "before line 2 > line 2"),
        ("b", "B", "line 2 > line 2; line 4 > line 4"),
        ("c", "C\nC", "line 3 > lines 3-4; line 4 > lines 5-6"),
        ("\nd", "", "lines 4-5 > line 4"),
        ("d", "d\n", "line 5 > line 5"),
    ] {
        assert_eq!(altered(text, old, new), expected, "{old:?} > {new:?}");
    }
}

#[test]
fn lines_that_differ_come_in_runs() {
    let runs = |before: &str, after: &str| -> Vec<String> {
        let runs = diff_hunks(before, after).into_iter();
        runs.map(|run| format!("{} > {}", run.before, run.after)).collect()
    };
    assert_eq!(runs("a\nb\n", "a\nb\n"), [""; 0]);
    assert_eq!(runs("a\nb\nc\n", "a\nB\nc\nd\n"), ["line 2 > line 2", "before line 4 > line 4"]);
    assert_eq!(runs("a\nb\n", "b\n"), ["line 1 > before line 1"]);
    assert_eq!(runs("a", "a\n"), ["line 1 > line 1"]);
}
