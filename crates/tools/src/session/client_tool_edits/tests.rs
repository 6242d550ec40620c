use super::*;

fn part(before: &str, old: &str, new: &str) -> (String, ClientToolChange) {
    let at = before.find(old).expect("it is there");
    let after = before.replacen(old, new, 1);
    let written = std::iter::once(at..at + new.len()).collect();
    (after.clone(), ClientToolChange::Part { before: before.to_owned(), after, written })
}

/// Only completely written lines are known.
#[test]
fn lines_are_known_that_were_written_from_end_to_end() {
    let text = "one\ntwo(secret)\nthree\nfour\n";
    let (_, change) = part(text, "three", "drei\nvier\nf\u{fc}nf");
    assert_eq!(extend_edit(None, &change).lines, [(3, 5)]);
    let (_, change) = part(text, "two(", "zwei(");
    assert_eq!(extend_edit(None, &change).lines, []);
    let (_, change) = part(text, "e\ntwo(secret)\nth", "e\nnew\nth");
    assert_eq!(extend_edit(None, &change).lines, [(2, 2)]);
    let (_, change) = part(text, "two(secret)\n", "");
    assert_eq!(extend_edit(None, &change).lines, []);
}

/// Edits of one file form a series; lines written earlier shift along.
#[test]
fn edits_are_taken_together_while_nobody_else_changes_the_file() {
    let text = "one\ntwo\nthree\n";
    let (second, change) = part(text, "three", "drei");
    let first = extend_edit(None, &change);
    let (third, change) = part(&second, "one", "eins\nzwei");
    let both = extend_edit(Some(first.clone()), &change);
    assert_eq!((both.lines, both.before.len()), (vec![(1, 2), (4, 4)], 2));
    assert_eq!(both.after, ContentHash::from_content(third.as_bytes()));
    // A change by others starts a new series.
    let (_, change) = part("other\nthree\n", "three", "3");
    let alone = extend_edit(Some(first), &change);
    assert_eq!((alone.lines, alone.before.len()), (vec![(2, 2)], 1));
    let whole = extend_edit(None, &ClientToolChange::Whole(third.clone()));
    let (_, change) = part(&third, "two", "zwo");
    let edited = extend_edit(Some(whole), &change);
    assert_eq!((edited.lines, edited.is_whole), (vec![(1, 4)], false));
}
