//! Words of code and prose: identifiers split, lower case, endings taken off.
//!
//! `parseHTTPRequest2` is `parse http request 2`. Whoever searches writes some of the
//! words of a name, seldom the name.

/// Words so common in questions that they say nothing about what is looked for.
const STOP_WORDS: [&str; 56] = [
    "a", "about", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "do", "does", "for", "from", "given", "has", "have", "how", "if", "in", "into", "is", "it",
    "its", "may", "must", "of", "on", "or", "our", "should", "so", "such", "than", "that", "the",
    "their", "then", "there", "these", "this", "to", "was", "we", "when", "where", "which", "will",
    "with", "would", "you", "your",
];

/// Endings that [`stem`] takes off, with what is put in their place; the first that fits.
const ENDINGS: [(&str, &str); 6] =
    [("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")];

/// A stem keeps at least this many letters.
const STEM_LETTERS_MIN: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Digit,
    /// A letter without case, or of another alphabet.
    Letter,
    /// Not part of any word.
    Between,
}

fn class(letter: char) -> Class {
    match letter {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        _ if letter.is_ascii() => Class::Between,
        _ if letter.is_numeric() => Class::Digit,
        _ if letter.is_alphabetic() => Class::Letter,
        _ => Class::Between,
    }
}

/// Calls `take` with every word of `text` in order, in lower case.
///
/// A word ends before a capital that follows a small letter, before the last capital of an
/// acronym that a small letter follows, and between letters and digits.
pub fn for_each_word(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    let mut previous = Class::Between;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let this = class(letter);
        let starts = match (previous, this) {
            (_, Class::Between) | (Class::Lower, Class::Upper) => true,
            (Class::Upper, Class::Upper) => {
                letters.peek().is_some_and(|next| class(*next) == Class::Lower)
            }
            (before, now) => (before == Class::Digit) != (now == Class::Digit),
        };
        if starts && !word.is_empty() {
            take(&word);
            word.clear();
        }
        if this == Class::Upper {
            word.push(letter.to_ascii_lowercase());
        } else if this != Class::Between {
            word.extend(letter.to_lowercase());
        }
        previous = this;
    }
    if !word.is_empty() {
        take(&word);
    }
}

/// The terms of `text` by which it is found: its words without stop words, stemmed, with
/// repetitions and in order.
pub fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    for_each_word(text, |word| {
        if !is_stop_word(word) {
            terms.push(stem(word));
        }
    });
    terms
}

/// Whether `word`, in lower case, is too common in questions to be looked for.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// `word`, in lower case, without a plural or verb ending: `parses`, `parsed` and
/// `parsing` are `pars`. Not a word of any language, only equal for words that belong
/// together.
pub fn stem(word: &str) -> String {
    if !word.is_ascii() || word.ends_with("ss") {
        return word.to_owned();
    }
    for (ending, replacement) in ENDINGS {
        if let Some(kept) = word.strip_suffix(ending)
            && kept.len() >= STEM_LETTERS_MIN
        {
            return format!("{kept}{replacement}");
        }
    }
    word.to_owned()
}
