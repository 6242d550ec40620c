//! Tests of highlights per language, and of properties of all highlights.

use foveal_syntax::highlighting::{
    HIGHLIGHTED_BYTES_MAX, HIGHLIGHTED_LINE_BYTES_MAX, HIGHLIGHTED_OPEN_BRACKETS_MAX, Highlight,
    HighlightClass, highlight_file, highlight_fragment,
};
use proptest::prelude::*;

use crate::generated_text::{mutated, path, short_text};
use crate::structure::highlighting;

/// Returns the text with its highlights as `⟨c …⟩`, with a letter for the class.
fn marked(text: &str, found: &[Highlight]) -> String {
    let mut out = String::new();
    let mut at = 0;
    for highlight in found {
        out.push_str(&text[at..highlight.bytes.start]);
        let letter = match highlight.class {
            HighlightClass::Comment => 'c',
            HighlightClass::Keyword => 'k',
            HighlightClass::Text => 's',
            HighlightClass::Escape => 'e',
            HighlightClass::Constant => 'n',
            HighlightClass::Type => 't',
            HighlightClass::Function => 'f',
            HighlightClass::Attribute => 'a',
            HighlightClass::Key => 'y',
        };
        out.push_str(&format!("⟨{letter} {}⟩", &text[highlight.bytes.clone()]));
        at = highlight.bytes.end;
    }
    out + &text[at..]
}

/// Returns the text from which `marked` was made.
fn unmarked(marked: &str) -> String {
    let mut text = String::new();
    let mut pieces = marked.split('⟨');
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        text.extend(piece.chars().skip(2).filter(|c| *c != '⟩'));
    }
    text
}

#[track_caller]
fn check(path: &str, expected: &str, of: fn(&str, &str) -> Vec<Highlight>) {
    let text = unmarked(expected);
    assert_eq!(marked(&text, &of(path, &text)), expected, "{path}");
}

#[test]
fn each_language_tells_its_words_apart() {
    for (path, expected) in [
        (
            "a.rs",
            "⟨c /// Doc.\n⟩⟨a #⟩[⟨a test⟩]\n⟨k pub⟩ ⟨k fn⟩ ⟨f go⟩(&⟨k self⟩, at: ⟨t u32⟩) -> ⟨t Vec⟩<⟨t Line⟩> { ⟨f call⟩(⟨s \"a⟩⟨e \\n⟩⟨s \"⟩, ⟨n 1⟩) }",
        ),
        (
            "a.py",
            "⟨f @wraps(⟩go⟨f )⟩\n⟨k def⟩ ⟨f go⟩(a: ⟨t int⟩ = ⟨n 1⟩) -> ⟨t str⟩:\n    ⟨k return⟩ ⟨s f\"⟩{a}⟨s !\"⟩  ⟨c # c⟩",
        ),
        (
            "a.ts",
            "⟨k export⟩ ⟨k async⟩ ⟨k function⟩ ⟨f go⟩(a: ⟨t string⟩): ⟨t Promise⟩<⟨t Line⟩> { ⟨k return⟩ ⟨k this⟩.⟨f b⟩(⟨s `x⟩${a}⟨s `⟩); }",
        ),
        ("a.tsx", r#"⟨k const⟩ a = <⟨t Line⟩ ⟨a of⟩=⟨s "b"⟩>{c}</⟨t Line⟩>;"#),
        (
            "a.js",
            "⟨k class⟩ ⟨t A⟩ ⟨k extends⟩ ⟨t B⟩ { #c = ⟨n 1⟩; ⟨f go⟩() { ⟨k return⟩ ⟨n null⟩; } } ⟨c // c⟩",
        ),
        (
            "a.go",
            r#"⟨k func⟩ (a *⟨t Line⟩) ⟨f Go⟩(b ⟨t int⟩) ⟨t error⟩ { ⟨k return⟩ fmt.⟨f Errorf⟩(⟨s "x⟩⟨e \n⟩⟨s "⟩) }"#,
        ),
        (
            "a.java",
            "⟨k public⟩ ⟨k final⟩ ⟨k class⟩ ⟨t A⟩ { @⟨a Override⟩ ⟨t int⟩ ⟨f go⟩(⟨t String⟩ b) { ⟨k return⟩ ⟨n 1⟩; } }",
        ),
        (
            "a.c",
            "⟨k #include⟩ ⟨s <a.h>⟩\n⟨k static⟩ ⟨t int⟩ ⟨f go⟩(⟨k const⟩ ⟨t char⟩ *a) { ⟨k return⟩ ⟨n MAX⟩; }",
        ),
        (
            "a.cpp",
            "⟨k template⟩ <⟨k class⟩ ⟨t T⟩> ⟨k class⟩ ⟨t A⟩ : ⟨k public⟩ ⟨t B⟩ { ⟨k virtual⟩ ⟨t int⟩ ⟨f go⟩() ⟨k const⟩; };",
        ),
        (
            "a.cs",
            "⟨k public⟩ ⟨k class⟩ ⟨t A⟩ { ⟨k public⟩ ⟨k async⟩ ⟨t Task⟩<⟨t int⟩> ⟨f Go⟩(⟨t string⟩ b) => ⟨k await⟩ C(⟨n 1⟩); }",
        ),
        (
            "a.rb",
            "⟨k class⟩ ⟨n A⟩ < ⟨n B⟩\n  ⟨k def⟩ ⟨f go⟩(⟨f b⟩) = ⟨f puts⟩ ⟨s \"a⟩#{⟨f b⟩}⟨s \"⟩\n⟨k end⟩",
        ),
        (
            "a.php",
            "⟨y <?php⟩\n⟨k function⟩ ⟨f go⟩(⟨t int⟩ $a): ⟨t string⟩ { ⟨k return⟩ ⟨s \"b\"⟩; }",
        ),
        ("a.sh", r#"⟨k if⟩ [ -n ⟨s "⟩$A⟨s "⟩ ]; ⟨k then⟩ ⟨f echo⟩ ⟨s 'b'⟩; ⟨k fi⟩ ⟨c # c⟩"#),
        (
            "a.kt",
            r#"⟨k private⟩ ⟨k fun⟩ ⟨f go⟩(a: ⟨t Int⟩): ⟨t String⟩ { ⟨k return⟩ b.⟨f c⟩(⟨s "d $a⟩⟨e \n⟩⟨s "⟩, ⟨n 1⟩) } ⟨c // c⟩"#,
        ),
        (
            "a.swift",
            r#"⟨k public⟩ ⟨k func⟩ ⟨f go⟩(a: ⟨t Int⟩) -> ⟨t String⟩ { ⟨k return⟩ ⟨f b⟩(⟨s "c"⟩) }"#,
        ),
        ("a.zig", "⟨k pub⟩ ⟨k fn⟩ ⟨f go⟩(a: ⟨t u8⟩) !⟨t void⟩ { ⟨k return⟩ ⟨k error⟩.B; }"),
        ("a.json", r#"{⟨y "a"⟩: [⟨n 1⟩, ⟨n true⟩, ⟨s "b"⟩]}"#),
        ("a.yaml", "⟨y a⟩:\n  - ⟨n 1⟩ ⟨c # c⟩\n  - ⟨s \"b\"⟩"),
        ("a.toml", "[⟨t a⟩]\n⟨t b⟩⟨y  ⟩=⟨y  ⟩⟨s \"c\"⟩⟨y  ⟩⟨c # d⟩"),
        ("a.md", "# ⟨k A⟩\n\nb `c`\n"),
        ("a.html", r#"<⟨y a⟩ ⟨a href⟩="⟨s b⟩">c</⟨y a⟩>"#),
        ("a.css", "⟨y a⟩.⟨y b⟩ { ⟨y color⟩: red; ⟨y width⟩: ⟨n 1⟩⟨t px⟩ } ⟨c /* c */⟩"),
        ("a.sql", "⟨k SELECT⟩ a ⟨k FROM⟩ ⟨t b⟩ ⟨k WHERE⟩ c = ⟨s 'd'⟩ ⟨c -- e⟩"),
        ("a.unknown", "fn a() { 1 }"),
    ] {
        check(path, expected, highlight_file);
    }
}

#[test]
fn a_piece_of_a_file_has_highlights_too() {
    for (path, expected) in [
        ("a.rs", "⟨k pub⟩ ⟨k fn⟩ ⟨f length⟩(&⟨k self⟩) -> ⟨t usize⟩ {"),
        ("a.rs", "⟨k impl⟩<'⟨a a⟩> ⟨t Line⟩<'⟨a a⟩> {"),
        ("a.py", "    ⟨k def⟩ ⟨f go⟩(self, a: ⟨t int⟩) -> ⟨t str⟩:"),
        ("a.ts", "⟨k export⟩ ⟨k interface⟩ ⟨t A⟩ ⟨k extends⟩ ⟨t B⟩ {"),
        (
            "a.java",
            "    ⟨k public⟩ ⟨k static⟩ <⟨t T⟩> ⟨t List⟩<⟨t T⟩> ⟨f go⟩(⟨k final⟩ ⟨t String⟩ a) ⟨k throws⟩ ⟨t B⟩ {",
        ),
        ("a.go", "⟨k func⟩ (a *⟨t Line⟩) ⟨f Go⟩(b ⟨t int⟩) ⟨t error⟩ {"),
        ("a.c", "⟨k static⟩ ⟨t int⟩ ⟨f go⟩(⟨k const⟩ ⟨t char⟩ *a)"),
        ("a.cpp", "    ⟨k virtual⟩ ⟨t int⟩ ⟨f go⟩() ⟨k const⟩ ⟨k override⟩;"),
        ("a.cs", "    ⟨k public⟩ ⟨k async⟩ ⟨t Task⟩<⟨t int⟩> ⟨f Go⟩(⟨t string⟩ b)"),
        ("a.rb", "  ⟨k def⟩ ⟨f go⟩(⟨f b⟩)"),
        ("a.php", "    ⟨k public⟩ ⟨k function⟩ go(⟨t int⟩ $a): ⟨t string⟩"),
        ("a.kt", "    ⟨k override⟩ ⟨k fun⟩ ⟨f go⟩(a: ⟨t Int⟩): ⟨t String⟩ {"),
        ("a.swift", "    ⟨k public⟩ ⟨k func⟩ ⟨f go⟩(a: ⟨t Int⟩) -> ⟨t String⟩ {"),
        ("a.zig", "⟨k pub⟩ ⟨k fn⟩ ⟨f go⟩(a: ⟨t u8⟩) !⟨t void⟩ {"),
    ] {
        check(path, expected, highlight_fragment);
    }
}

#[test]
fn what_is_long_or_unknown_is_plain() {
    let line = "fn a() {}\n";
    let some = |path: &str, text: &str| !highlight_file(path, text).is_empty();
    assert!(some("a.rs", &line.repeat(HIGHLIGHTED_BYTES_MAX / line.len())));
    assert!(!some("a.rs", &line.repeat(HIGHLIGHTED_BYTES_MAX / line.len() + 1)));
    let long = |bytes: usize| format!("fn a() {{}}\n//{}", "x".repeat(bytes - 2));
    assert!(some("a.rs", &long(HIGHLIGHTED_LINE_BYTES_MAX)));
    assert!(!some("a.rs", &long(HIGHLIGHTED_LINE_BYTES_MAX + 1)));
    assert!(!some("a.unknown", line));
    assert!(!some("a.rs", ""));
    let nested = |many: usize| format!("let a = {}\n1{};\n", "[".repeat(many), "]".repeat(many));
    assert!(some("a.js", &nested(HIGHLIGHTED_OPEN_BRACKETS_MAX)));
    assert!(!some("a.js", &nested(HIGHLIGHTED_OPEN_BRACKETS_MAX + 1)));
    // Deeper than a parser of such a language can represent.
    assert!(!some("a.yaml", &format!("{}a: 1\n", "- ".repeat(200))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_has_ranges_in_order(path in path(), text in short_text()) {
        highlighting(path, &text);
    }

    #[test]
    fn broken_code_has_ranges_in_order(path in path(), text in mutated()) {
        highlighting(path, &text);
    }
}

#[test]
fn a_text_whose_tree_is_deep_or_full_of_signs_has_no_colours() {
    let negated = |times: usize| format!("let a = {}b;\n", "!\n".repeat(times));
    assert!(!highlight_file("a.js", &negated(3_000)).is_empty());
    assert!(highlight_file("a.js", &negated(5_000)).is_empty());
    let stars = |times: usize| format!("int a;\n{}", "*\n".repeat(times));
    assert!(!highlight_file("a.cpp", &stars(500)).is_empty());
    assert!(highlight_file("a.cpp", &stars(1_500)).is_empty());
}
