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
fn a_look_finds_no_more_tokens_than_there_are() {
    let signs =
        ["a", "Z", "7", "é", "語", "'s", "\n", "\n", "\r\n", " ", "\t", "/", "-", "{", "\u{85}"];
    let mut next = 7u64;
    let mut some_are_close = false;
    for round in 0..4_000 {
        let mut text = String::new();
        for _ in 0..1 + round % 40 {
            next = next
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            text.push_str(signs[(next >> 33) as usize % signs.len()]);
        }
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Claude, Tokenizer::Bytes]
        {
            let (least, count) = (tokenizer.lower_bound(&text), tokenizer.count(&text));
            assert!(least <= count, "{tokenizer:?} {least:?} {count:?} {text:?}");
            some_are_close |= tokenizer == Tokenizer::O200k && least.0 > 3 && least.0 * 4 > count.0;
        }
    }
    assert!(some_are_close);
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
    let prose = include_str!("../../../../docs/security.md");
    let lock = include_str!("../../../../Cargo.lock");
    let hex = "00e4f19a7bd2\n".repeat(300);
    let dump = "f3 0a 99 ".repeat(300);
    let counted: String = (0..1_000).map(|n| format!("row number {n}\n")).collect();
    for text in [code, table, prose, lock, &hex, &dump, &counted] {
        let numbered: String =
            (1..).zip(text.lines()).map(|(number, line)| format!("{number}→{line}\n")).collect();
        for text in [text, &numbered] {
            let (count, estimated) = (Tokenizer::O200k.count(text).0, estimate_tokens(text).0);
            let ratio = estimated as f64 / count as f64;
            assert!((0.94..1.5).contains(&ratio), "{ratio}: {text:.80}");
        }
    }
}
