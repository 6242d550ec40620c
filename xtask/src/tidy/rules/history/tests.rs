use super::*;
use crate::tidy::rules::printed::findings_in;

#[test]
fn comments_about_history_are_found() {
    for (text, words) in [
        ("// TODO: bound this", "TODO"),
        ("/// Used to be a map.", "used to be"),
        ("let a = 1; // good enough for now", "for now"),
        ("//! Phase 2 of the plan", "phase 2"),
        ("// see issue #12", "issue #12"),
        ("/* refactored\n*/", "refactored"),
        ("// NEW: faster", "new:"),
        ("// the Legacy path", "legacy"),
    ] {
        let expected =
            format!("a.rs:1: a comment says `{words}`; say what the code does and why\n");
        assert_eq!(findings_in(check, &[("a.rs", text)]), expected, "{text}");
    }
}

#[test]
fn prose_about_the_code_passes() {
    for text in [
        "// The key used to find the entry; lines shown previously are skipped.",
        "// Entries that are no longer sent; how often it was changed.",
        "// todos, or a hackathon",
        "let text = \"TODO\";",
        "// a tissue 12; phase shift; compr 3",
    ] {
        assert_eq!(findings_in(check, &[("a.rs", text)]), "", "{text}");
    }
}
