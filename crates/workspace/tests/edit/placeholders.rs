//! Text that must never be written to a file.

use foveal_workspace::edit::{EditRefusal, PlaceholderKind, find_new_placeholder, plan_edit};

use super::one;

#[track_caller]
fn kind(new: &str) -> Option<PlaceholderKind> {
    find_new_placeholder("", new).map(|found| found.kind)
}

#[test]
fn notes_are_found() {
    for line in [
        "[12-80 left out (fn parse, fn next); expand 0123456789ab]",
        "[12-80 left out]",
        "[12-80 left out: parse, next]",
        "[69 lines left out; expand 0123456789ab]",
        "[69 lines left out]",
        "[... 120 characters, 3 line breaks left out ...]",
        "x = \"abc[… 5000 bytes of this line left out; expand 0123456789ab]def\"",
        "[4096 bytes of base64 left out; expand 0123456789ab]",
        "[30 more rows of a hex dump left out; expand 0123456789ab]",
        "[12-80: as above]",
        "[12: as above]",
        "[src/a.rs 12-80: as above]",
        "[12-80: unchanged, as above]",
        "[12-80: same as 2-70 of src/b.rs above]",
        "[69 lines: same as 2-70 of src/b.rs above]",
        "[a.rs: unchanged, same result as the last `Read a.rs` above]",
        "[same result as the 2nd last `cargo test` above]",
        "[40 lines above in your last `Edit a.rs`]",
        "[12-30: 19 lines of fn parse; with a, b]",
        "[7: 1 line above struct Row]",
        "[3 more files]",
        "[12-80: unchanged, shown above]",
        "   // [big.txt: unchanged, its 300 lines are shown above]",
        "<!-- [12-80: shown above] -->",
        "[12-80 were changed by others since you saw them: read_lines, start 12]",
        "[12-80: shown above]",
        "[12-80: same as 2-70 above]",
        "[12-80: above in src/lib.rs]",
        "[12-80: above in your `cat a`]",
        "[40 lines above in `read src/lib.rs`]",
        "[40 lines above in your `cat a`]",
        "[40 lines above in src/lib.rs]",
        "[system reminder as above]",
        "[src/a.rs 12, (13-15), 18: shown above]",
        "[12: shown above]",
        "[same result as `cargo test` above]",
        "[told above in the edits to a.rs; expand 0123456789ab]",
        "[this message in full: expand 0123456789ab]",
        "[last line repeated 40 more times]",
        "[last 3 lines repeated 40 more times]",
        "[every 10th line numbered]",
        "[12 lines]",
        "[12 lines that this edit replaced; expand 0123456789ab]",
        "[File previously read: a.rs. Content unchanged since last read.]",
        "[Re-read of a.rs - see turn 3 for content]",
        "[Edits to config.py: 4 changes between turns 10-50]",
        "[cleared to save context]",
        "[dropped]",
        "[Old tool result content cleared]",
        "ab[… 9 bytes of this line left out; read_lines start 2, from_byte 2]",
        "[… 2 bytes of this line left out]cd",
        "[outdated - see the latest file content]",
        "[[NOTE] This file read has been removed to save space in the context window. Refer to the latest file read for the most up to date version of this file.]",
        "... [truncated: 12000 chars total, 300 lines] ...",
        "Old environment output: (30 lines omitted)",
        "[Cached result from 10:23:45 AM]",
        "[nothing was written now: the files hold this already; the earlier answer:]",
        "[nothing was written: the files already have this content. The earlier answer was:]",
        "[101-15000 left out: the file is too long to be curated; find lines with grep, go on with read_lines, start 101]",
        "[lines from 101 on left out: the file is too large to be read at once; find lines with grep, go on with read_lines, start 101]",
    ] {
        assert_eq!(kind(&format!("a\n    {line}\nb\n")), Some(PlaceholderKind::Note), "{line}");
    }
}

#[test]
fn headers_and_numbers_are_found() {
    for line in [
        "File: src/a.rs (curated)",
        "File: a b.py (full)",
        "File: big.log (beginning)",
        "Total bytes: 1073741839 | Preserved: 100 lines",
        "Total lines: 300 | Preserved: 40 (13.3 %)",
    ] {
        assert_eq!(kind(line), Some(PlaceholderKind::Header), "{line}");
    }
    for text in ["  12→fn a() {", "12→", "     1\ta\n     2\tb\n"] {
        assert_eq!(kind(text), Some(PlaceholderKind::Gutter), "{text}");
    }
}

#[test]
fn comments_for_code_are_found() {
    for line in [
        "// ...",
        "# ...",
        "/* ... */",
        "<!-- ... -->",
        "{/* ... */}",
        "// …",
        "// ... existing code ...",
        "// ...existing code...",
        "// … rest of the function …",
        "# rest of file unchanged",
        "# ... rest of the file",
        "// rest of the code remains the same",
        "// existing code here",
        "// (existing code ...)",
        "// remaining methods unchanged",
        "/* ... other methods ... */",
        "<!-- ... rest of the content ... -->",
        "{/* ... existing code ... */}",
        "-- ... remaining columns",
        "... existing code ...",
        "// keep the existing imports ...",
    ] {
        assert_eq!(kind(&format!("  {line}")), Some(PlaceholderKind::Comment), "{line}");
    }
}

#[test]
fn what_code_and_prose_say_is_let_through() {
    for text in [
        "...",
        "def f(): ...",
        "let all = [first, ...rest];",
        "const { a, ...rest } = other;",
        "// the rest of the bytes are padding",
        "// Existing users keep their plan; new ones choose.",
        "// see the previous section for why",
        "# Other packages",
        "print(\"loading ...\")",
        "[1-2]: https://example.org",
        "[dependencies]",
        "- [x] 12 lines",
        "1\ta\n2\tb\n",
        "     1\tonly one padded row\n",
        "File: a.rs",
        "The view is (curated)",
        "match x { 1..=2 => [left, out] }",
        "// TODO: handle the rest",
    ] {
        assert_eq!(kind(text), None, "{text}");
    }
}

#[test]
fn a_line_that_stands_in_the_file_already_may_stay() {
    let old = "a\n// ... existing code ...\nb\n";
    assert_eq!(find_new_placeholder(old, "x\n// ... existing code ...\n"), None);
    // Only for an equal line, not for a similar one.
    assert!(find_new_placeholder(old, "x\n  // ... existing code ...\n").is_some());
    assert!(
        plan_edit(old, &one("a\n// ... existing code ...\n", "c\n// ... existing code ...\n"))
            .is_ok()
    );
}

#[test]
fn an_edit_tells_the_line() {
    let refusal =
        plan_edit("a\n", &one("a", "b\n// ... existing code ...")).expect_err("a placeholder");
    assert!(matches!(refusal, EditRefusal::Placeholder(_)));
    assert_eq!(
        refusal.to_string(),
        "line 2 of the new text is a placeholder for code: `// ... existing code ...`; nothing was \
         written; give the code in full, or edit only the lines that change",
    );
}
