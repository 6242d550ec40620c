use super::*;

#[test]
fn counts_are_those_of_the_published_vocabularies() {
    // Texts and counts of OpenAI's cookbook, "How to count tokens with tiktoken"; the
    // last is a special token's name, which in a file is text like any other.
    for (text, o200k, cl100k) in [
        ("", 0, 0),
        ("tiktoken is great!", 6, 6),
        ("antidisestablishmentarianism", 6, 6),
        ("2 + 2 = 4", 7, 7),
        ("お誕生日おめでとう", 8, 9),
        ("<|endoftext|>", 7, 7),
    ] {
        assert_eq!(Tokenizer::O200k.count(text), Tokens(o200k), "{text}");
        assert_eq!(Tokenizer::Cl100k.count(text), Tokens(cl100k), "{text}");
    }
}

#[test]
fn bytes_are_counted_without_a_vocabulary() {
    for (text, tokens) in [("", 0), ("a", 1), (&"ab".repeat(17), 10), (&"é".repeat(17), 10)] {
        assert_eq!(Tokenizer::Bytes.count(text), Tokens(tokens), "{text}");
    }
}

#[test]
fn the_claude_estimate_is_a_share_of_the_exact_count() {
    assert_eq!(Tokenizer::Claude.count(""), Tokens(0));
    let text = "fn main() {}\n".repeat(1000);
    let exact = Tokenizer::O200k.count(&text).0;
    assert_eq!(Tokenizer::Claude.count(&text).0, (exact * 1173).div_ceil(1000));
}

#[test]
fn the_estimate_is_close_to_the_count_and_rarely_below() {
    let code = include_str!("estimate.rs");
    let table = include_str!("../../../../BENCHMARKS.md");
    let prose = include_str!("../../../../DESIGN.md");
    let lock = include_str!("../../../../Cargo.lock");
    let hex = "00e4f19a7bd2\n".repeat(300);
    let dump = "f3 0a 99 ".repeat(300);
    let counted: String = (0..1_000).map(|n| format!("row number {n}\n")).collect();
    for text in [code, table, prose, lock, &hex, &dump, &counted] {
        let numbered: String =
            (1..).zip(text.lines()).map(|(number, line)| format!("{number}→{line}\n")).collect();
        for text in [text, &numbered] {
            let (count, estimated) = (Tokenizer::O200k.count(text).0, estimate(text).0);
            let ratio = estimated as f64 / count as f64;
            assert!((0.94..1.5).contains(&ratio), "{ratio}: {text:.80}");
        }
    }
}
