//! Tests of terms of identifiers and prose.

use foveal_relevance::terms::{is_stop_word, search_terms, stem, visit_words};
use proptest::prelude::*;

fn words(text: &str) -> String {
    let mut words = Vec::new();
    visit_words(text, |word| words.push(word.to_owned()));
    words.join(" ")
}

#[test]
fn identifiers_come_apart_where_a_reader_sees_a_word_end() {
    for (text, expected) in [
        ("parseHTTPRequest2", "parse http request 2"),
        ("snake_case_name", "snake case name"),
        ("SCREAMING_SNAKE", "screaming snake"),
        ("kebab-case/path.rs", "kebab case path rs"),
        ("utf8ToUTF16", "utf 8 to utf 16"),
        ("XMLHttp", "xml http"),
        ("__init__", "init"),
        ("fn largest(a: &[u8]) -> Option<u8>", "fn largest a u 8 option u 8"),
        ("GrößeÄndern", "größeändern"),
        ("日本語 и кот42", "日本語 и кот 42"),
        ("'\n\t \u{0}…", ""),
        ("", ""),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
}

#[test]
fn words_that_belong_together_have_one_stem() {
    for group in [
        &["parse", "parses", "parsed", "parsing"][..],
        &["entry", "entries"],
        &["match", "matches", "matched", "matching"],
        &["file", "files"],
    ] {
        for word in group {
            assert_eq!(stem(word), stem(group[0]), "{word}");
        }
    }
    for (word, other) in [("class", "clas"), ("is", "i"), ("bed", "b"), ("used", "us")] {
        assert_ne!(stem(word), stem(other), "{word}");
    }
}

#[test]
fn terms_leave_out_what_every_question_has() {
    assert_eq!(search_terms("The file of this parserError").join(" "), "fil parser error");
    for word in ["a", "your", "the", "with", "given"] {
        assert!(is_stop_word(word), "{word}");
    }
    assert!(!is_stop_word("file"));
}

proptest! {
    #[test]
    fn words_are_lower_case_and_come_in_order(text in any::<String>()) {
        visit_words(&text, |word| assert!(!word.is_empty() && word.chars().all(|c| !c.is_ascii_uppercase())));
    }

    #[test]
    fn ascii_words_hold_every_letter(text in "[ -~]{0,60}") {
        let letters: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        prop_assert_eq!(words(&text).replace(' ', ""), letters.to_ascii_lowercase());
    }

    #[test]
    fn a_stem_begins_the_word(word in "[a-z]{1,12}") {
        let stem = stem(&word);
        let shared = stem.strip_suffix('y').unwrap_or(&stem);
        prop_assert!(word.starts_with(shared) && !stem.is_empty());
    }
}
