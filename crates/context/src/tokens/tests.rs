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
