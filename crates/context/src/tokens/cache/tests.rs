use proptest::prelude::*;

use super::*;

/// What line breaks, slashes, white space, words and marks can stand next to.
fn text() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "\n",
        "\n",
        "\r\n",
        "\r",
        " ",
        "    ",
        "\t",
        "/",
        "//",
        "fn main()",
        ";",
        "}",
        "12",
        "→",
        "Größe",
        "\u{2028}",
        "\u{a0}",
        "'s",
        "日本",
        "ab",
        "-",
        "{\n",
        "\u{1b}[0m",
    ]);
    prop::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn counts_of_chunks_add_up(texts in prop::collection::vec(text(), 1..6)) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Claude] {
            let mut cache = TokenCache::default();
            for text in texts.iter().chain(&texts) {
                prop_assert_eq!(cache.count(tokenizer, text), tokenizer.count(text));
            }
        }
    }
}

#[test]
fn a_full_cache_still_counts_right() {
    let mut cache = TokenCache::default();
    let text: String = (0..SLOTS_MAX).map(|n| format!("line {n}\n")).collect();
    for _ in 0..2 {
        assert_eq!(cache.count(Tokenizer::O200k, &text), Tokenizer::O200k.count(&text));
    }
    assert!(cache.hashes.len() == SLOTS_MAX && cache.taken <= SLOTS_MAX);
}
