//! One edit: its result, or its refusal.

use foveal_workspace::edit::{Edit, EditMatch, plan_edit};

use super::{all, one};

/// The text after, escaped, with the match and the changed lines; or the refusal.
fn plan(text: &str, edit: &Edit) -> String {
    match plan_edit(text, edit) {
        Ok(planned) => {
            let how = match planned.how {
                EditMatch::Exact => "exact".to_owned(),
                EditMatch::WhiteSpace(differences) => format!("but for {differences}"),
            };
            let lines: Vec<String> = planned
                .changed
                .iter()
                .map(|change| format!("{} -> {}", change.before, change.after))
                .collect();
            format!("{how}; {}\n{:?}", lines.join(", "), planned.text)
        }
        Err(refusal) => format!("refused: {refusal}"),
    }
}

#[track_caller]
fn check(text: &str, edit: &Edit, expected: &str) {
    assert_eq!(plan(text, edit), expected);
}

#[test]
fn the_only_place_is_replaced() {
    check("a\nb\nc\n", &one("b", "x"), "exact; line 2 -> line 2\n\"a\\nx\\nc\\n\"");
    check("a\nb\nc\n", &one("b\n", ""), "exact; line 2 -> line 2\n\"a\\nc\\n\"");
    check(
        "a\nb\nc\n",
        &one("b\nc\n", "x\ny\nz\n"),
        "exact; lines 2-3 -> lines 2-4\n\"a\\nx\\ny\\nz\\n\"",
    );
    check("fn a(b: u8)", &one("b: u8", "b: u16"), "exact; line 1 -> line 1\n\"fn a(b: u16)\"");
    check("a", &one("a", ""), "exact; line 1 -> before line 1\n\"\"");
}

#[test]
fn every_place_is_replaced_where_that_is_asked() {
    check(
        "a b a\na\n",
        &all("a", "x"),
        "exact; line 1 -> line 1, line 1 -> line 1, line 2 -> line 2\n\"x b x\\nx\\n\"",
    );
    check("aaa\n", &all("aa", "x"), "exact; line 1 -> line 1\n\"xa\\n\"");
}

#[test]
fn places_that_are_more_than_one_are_told() {
    check(
        "a\nb\na\n",
        &one("a", "x"),
        "refused: old_str matches 2 places: lines 1, 3; give more lines around the one meant, or set replace_all",
    );
    // Overlapping matches are ambiguous too.
    check(
        "aaa\n",
        &one("aa", "x"),
        "refused: old_str matches 2 places: lines 1, 1; give more lines around the one meant, or set replace_all",
    );
    let told = plan(&"a\n".repeat(25), &one("a", "x"));
    assert!(told.contains("lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20 and 5 more;"), "{told}");
}

#[test]
fn texts_that_repeat_take_no_longer() {
    // Every place of a long run is a match of its own.
    let text = "a".repeat(1 << 20);
    let told = plan(&text, &one(&text[..1 << 19], "x"));
    assert!(
        told.starts_with("refused: old_str matches 1000 or more places: lines 1, 1,"),
        "{told}"
    );
    let text = "same\n".repeat(100_000);
    let told = plan(&text, &one(&" same\n".repeat(5000), "x"));
    let start = "refused: old_str matches 1000 or more places but for white space: lines 1, 2,";
    assert!(told.starts_with(start), "{told}");
}

#[test]
fn edits_that_say_nothing_are_refused() {
    check(
        "a\n",
        &one("", "x"),
        "refused: old_str is empty: give the text to replace, or write the whole file",
    );
    check("a\n", &one("a", "a"), "refused: old_str and new_str are the same: nothing would change");
    check(
        "a\r\nb\r\n",
        &one("a\nb\n", "a\r\nb\r\n"),
        "refused: nothing would change: the file already reads like new_str",
    );
}

#[test]
fn line_endings_are_those_of_the_file() {
    check(
        "a\r\nb\r\nc\r\n",
        &one("b", "x\ny"),
        "exact; line 2 -> lines 2-3\n\"a\\r\\nx\\r\\ny\\r\\nc\\r\\n\"",
    );
    check("a\nb\n", &one("b", "x\r\ny"), "exact; line 2 -> lines 2-3\n\"a\\nx\\ny\\n\"");
    check(
        "a\r\nb\r\nc\r\n",
        &one("a\nb\n", "a\nx\nb\n"),
        "but for line endings; lines 1-2 -> lines 1-3\n\"a\\r\\nx\\r\\nb\\r\\nc\\r\\n\"",
    );
    check(
        "a\nb\nc\n",
        &one("a\r\nb", "a\r\nx"),
        "but for line endings; lines 1-2 -> lines 1-2\n\"a\\nx\\nc\\n\"",
    );
    // Unchanged lines keep their own ending in a file with both kinds.
    check(
        "a\nb\r\nc\nd\r\n",
        &one("a\nb\nc\nd\n", "a\nb\nx\nd\n"),
        "but for line endings; lines 1-4 -> lines 1-4\n\"a\\nb\\r\\nx\\nd\\r\\n\"",
    );
    // An edit that concerns the endings themselves spells them out.
    check("a\r\nb\r\n", &one("a\r\n", "a\n"), "exact; line 1 -> line 1\n\"a\\nb\\r\\n\"");
    check(
        "a\r\nb\r\na\r\nb\r\n",
        &one("a\nb", "x"),
        "refused: old_str matches 2 places but for its line endings: lines 1, 3; give more lines around the one meant, or set replace_all",
    );
    check(
        "a\r\nb\r\na\r\nb\r\n",
        &all("a\nb", "x"),
        "but for line endings; lines 1-2 -> line 1, lines 3-4 -> line 2\n\"x\\r\\nx\\r\\n\"",
    );
}

#[test]
fn other_white_space_is_found_and_kept() {
    check(
        "a  \nb\n",
        &one("a\nb\n", "a\nx\n"),
        "but for trailing blanks; lines 1-2 -> lines 1-2\n\"a  \\nx\\n\"",
    );
    check(
        "\tif a {\n\t\tb\n\t}\n",
        &one("    if a {\n        b\n    }\n", "    if a {\n        b\n        c\n    }\n"),
        "but for tabs and spaces; lines 1-3 -> lines 1-4\n\"\\tif a {\\n\\t\\tb\\n\\t\\tc\\n\\t}\\n\"",
    );
    check(
        "if a {\n  b\n}\n",
        &one("if a {\n\tb\n}", "if a {\n\tc\n\t\td\n}"),
        "but for tabs and spaces; lines 1-3 -> lines 1-4\n\"if a {\\n  c\\n    d\\n}\\n\"",
    );
    check(
        "    if a:\n        b\n",
        &one("if a:\n    b\n", "if c:\n    b\n    d\n"),
        "but for indentation; lines 1-2 -> lines 1-3\n\"    if c:\\n        b\\n        d\\n\"",
    );
    check(
        "if a:\n    b\n",
        &one("    if a:\n        b\n", "    if a:\n        c\n"),
        "but for indentation; lines 1-2 -> lines 1-2\n\"if a:\\n    c\\n\"",
    );
    check(
        "x\t= 1\nb\n",
        &one("x   = 1\nb", "x   = 1\nc"),
        "but for tabs and spaces; lines 1-2 -> lines 1-2\n\"x\\t= 1\\nc\\n\"",
    );
    check(
        "a\n\tb",
        &one("a\n    b\n", "a\n    c\n"),
        "but for line endings, tabs and spaces; lines 1-2 -> lines 1-2\n\"a\\n\\tc\"",
    );
}

#[test]
fn other_white_space_that_is_not_plain_is_refused() {
    check(
        "  a\n  b\n\n\ta\n\tb\n",
        &one("a\nb", "x\ny"),
        "refused: old_str matches 2 places but for white space: lines 1, 4; give more lines around the one meant, spelled as in the file",
    );
    // Blanks within a line may be significant, and one rule must fit all lines.
    for (text, edit) in [
        ("print(\"a  b\")\nc\n", one("print(\"a b\")\nc\nd", "x")),
        ("print(\"a  b\")\n", one("print(\"a b\")", "x")),
        ("a\n  b\n    c\n", one("a\n b\n    c\n", "x\n")),
        // The new line cannot be indented less.
        ("if a:\n    b\n", one("    if a:\n        b\n", "x\n")),
        ("\n\n\n", one(" \n\t\n", "x")),
    ] {
        let told = plan(text, &edit);
        assert!(told.starts_with("refused: old_str is not in the file"), "{text:?}: {told}");
    }
}

#[test]
fn white_space_that_is_no_blank_stays() {
    for text in ["k\na\n\rb\u{2028}", "k\na\r\r\nb\nz\n", "k\na\u{a0}\nb\n", "k\na\u{c}\nb\n"] {
        assert!(plan_edit(text, &one("a\nb", "A\nB")).is_err(), "{text:?}");
    }
}

#[test]
fn what_is_alike_is_shown() {
    let text = "fn one() {\n    let total = sum(a, b);\n    total\n}\n\nfn two() {\n    let total = 2;\n}\n";
    check(
        text,
        &one("    let total = sum(a, c);\n    total\n", "x\n"),
        "refused: old_str is not in the file; nothing was changed. Most alike (`-` yours, `+` the file's):\n\
         lines 2-3 (90 % alike)\n      -     let total = sum(a, c);\n    2 +     let total = sum(a, b);\n    3       total\n",
    );
    check(
        "alpha\n",
        &one("nothing like it", "x"),
        "refused: old_str is not in the file; read the file again and copy the text to replace",
    );
    check(
        "alpha\nbeta\n",
        &one("  1→alpha\n  2→beta", "x"),
        "refused: old_str is not in the file; it holds line numbers, which are no part of the file: leave them out; nothing was changed. Most alike (`-` yours, `+` the file's):\n\
         lines 1-2 (50 % alike)\n      -   1→alpha\n      -   2→beta\n    1 + alpha\n    2 + beta\n",
    );
}

#[test]
fn at_most_three_alike_are_shown_best_first() {
    let text: String = (0..40).map(|n| format!("let value_{n} = compute(input, {n});\n")).collect();
    let told = plan(&text, &one("let value_7 = compute(inputs, 7);", "x"));
    let heads: Vec<&str> = told.lines().filter(|line| line.contains("% alike)")).collect();
    assert_eq!(heads.len(), 3, "{told}");
    assert_eq!(heads[0], "line 8 (90 % alike)");
}

#[test]
fn large_texts_are_bounded() {
    let text = "let same = line(of, the, text);\n".repeat(300_000);
    let told = plan(&text, &one("let sane = line(of, the, text);", "x"));
    assert!(told.len() < 2000 && told.contains("% alike"), "{}", told.len());
}
