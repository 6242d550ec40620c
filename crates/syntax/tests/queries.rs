//! Tests of look-ups in a parsed file.

use foveal_syntax::{EntityKind, parse_file, parse_file_until_cancelled};
use foveal_transcript::LineNumber;

const TEXT: &str = "\
use a::b;

struct A {
    x: u32,
}

impl A {
    fn f(&self) {
        g();
    }

    fn h(&self) {}
}
static S: u32 = 1;
";

#[test]
fn the_innermost_entity_of_a_line() {
    let parsed = parse_file("a.rs", TEXT);
    let names: Vec<String> = (1..=14)
        .map(|line| {
            let found = parsed.innermost_entity(LineNumber(line));
            format!("{line} {}", found.map_or("-".to_owned(), |at| parsed.qualified_name(at)))
        })
        .collect();
    let expected = "1 imports, 2 -, 3 A, 4 A.x, 5 A, 6 -, 7 A, 8 A.f, 9 A.f, 10 A.f, 11 A, \
                    12 A.h, 13 A, 14 S";
    assert_eq!(names.join(", "), expected);
    assert_eq!(parsed.innermost_entity(LineNumber(0)), None);
    assert_eq!(parsed.innermost_entity(LineNumber(99)), None);
}

#[test]
fn reading_can_be_stopped() {
    let text = TEXT.repeat(100);
    let mut asked = 0;
    let mut is_cancelled = || {
        asked += 1;
        asked >= 3
    };
    let stopped = parse_file_until_cancelled("a.rs", &text, &mut is_cancelled);
    assert!(stopped.cut && stopped.broken);
    assert!(stopped.entities.iter().all(|entity| entity.kind == EntityKind::Section));
    assert_eq!(asked, 3);
    assert_eq!(parse_file_until_cancelled("a.rs", &text, &mut || false), parse_file("a.rs", &text));
}

/// Texts whose single progress reports take much work: the parser reads on to the end of the text,
/// tracks many ambiguous parses, or recovers from one error after another.
#[test]
fn a_text_that_takes_too_much_work_gives_paragraphs() {
    for (path, line) in [
        ("a.java", "a =>\n"),
        ("a.kt", "$(\n"),
        ("a.kt", "{\"a\":\n"),
        ("a.sh", "<<EOF\n"),
        ("a.rb", "> a\n"),
        ("a.js", "case a:\n"),
        ("a.html", "a<\n"),
        ("a.c", "%w(\n"),
        ("a.cs", "<a\n"),
        ("a.ts", "a)\n"),
        ("a.rs", "a,\n"),
    ] {
        let text = line.repeat(30_000 / line.len());
        let mut asked = 0;
        let mut count = || {
            asked += 1;
            false
        };
        let parsed = parse_file_until_cancelled(path, &text, &mut count);
        assert!(parsed.cut && parsed.broken, "{path} {line:?}, {asked} reports");
        assert!(asked <= 500 + text.len() / 24, "{path} {line:?}, {asked} reports");
        // The result is the same on every machine and run.
        assert_eq!(parse_file(path, &text), parsed);
    }
}
