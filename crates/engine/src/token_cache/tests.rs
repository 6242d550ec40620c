use proptest::prelude::*;

use super::*;

/// Texts in which line breaks, slashes, white space, words and marks meet.
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

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn what_two_texts_have_in_common_is_counted_once(
        parts in prop::collection::vec((text(), text(), text()), 1..12),
    ) {
        let (mut one, mut other, mut common) = (String::new(), String::new(), Vec::new());
        for (both, own, others) in &parts {
            let both = format!("{both}{}", both.repeat(3));
            let at = CommonPart { at: one.len(), at_in_other: other.len(), bytes: both.len() };
            common.push(at);
            one += &both;
            one += own;
            other += &both;
            other += others;
        }
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Claude, Tokenizer::Bytes] {
            let known = tokenizer.count(&other);
            let counted =
                TokenCache::default().count_similar(tokenizer, &one, &other, known, &common);
            prop_assert_eq!(counted, tokenizer.count(&one));
        }
    }

    #[test]
    fn what_is_charged_tells_how_much_it_is(count in 0..u64::MAX / 2_000) {
        for tokenizer in [Tokenizer::O200k, Tokenizer::Cl100k, Tokenizer::Claude] {
            prop_assert_eq!(tokenizer.unscale_count(tokenizer.scale_count(count)), Some(count));
        }
    }
}

#[test]
fn what_is_in_common_is_not_counted() {
    // What is said to be known of the other text shows whether it is used.
    let both = "a line\n".repeat(9);
    let (one, other) = (format!("{both}one\n"), format!("{both}other, and more\n"));
    let common = [CommonPart { at: 0, at_in_other: 0, bytes: both.len() }];
    let count = |text: &str| Tokenizer::O200k.count(text).0;
    let known = Tokens(1_000 + count(&other));
    let counted =
        TokenCache::default().count_similar(Tokenizer::O200k, &one, &other, known, &common);
    assert_eq!(counted, Tokens(1_000 + count(&one)));
    // Where little is in common, it is counted anew.
    let far = format!("{other}{}", "something else\n".repeat(99));
    let counted = TokenCache::default().count_similar(Tokenizer::O200k, &one, &far, known, &common);
    assert_eq!(counted, Tokens(count(&one)));
}

#[test]
fn a_full_cache_still_counts_right() {
    let mut cache = TokenCache::default();
    let text: String = (0..SLOTS_MAX).map(|n| format!("line {n}\n")).collect();
    for _ in 0..2 {
        assert_eq!(cache.count(Tokenizer::O200k, &text), Tokenizer::O200k.count(&text));
    }
    assert!(cache.hashes.len() == SLOTS_MAX && cache.used_slots <= SLOTS_MAX);
}
