//! The terms of code and prose: identifiers are split, lower-cased and stemmed.
//!
//! `parseHTTPRequest2` becomes `parse http request 2`. Queries usually contain some words of a
//! name, seldom the name itself.

/// Words too common in queries to distinguish documents.
const STOP_WORDS: [&str; 56] = [
    "a", "about", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "do", "does", "for", "from", "given", "has", "have", "how", "if", "in", "into", "is", "it",
    "its", "may", "must", "of", "on", "or", "our", "should", "so", "such", "than", "that", "the",
    "their", "then", "there", "these", "this", "to", "was", "we", "when", "where", "which", "will",
    "with", "would", "you", "your",
];

/// The endings that [`stem`] replaces; the first match applies.
const STEM_ENDINGS: [(&str, &str); 6] =
    [("ies", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", ""), ("e", "")];

/// The least length of a stem, in letters.
const STEM_LETTERS_MIN: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Lower,
    Upper,
    Digit,
    /// A letter without case, or of another alphabet.
    Letter,
    /// Not part of a word.
    Separator,
}

fn classify_letter(letter: char) -> LetterClass {
    match letter {
        'a'..='z' => LetterClass::Lower,
        'A'..='Z' => LetterClass::Upper,
        '0'..='9' => LetterClass::Digit,
        _ if letter.is_ascii() => LetterClass::Separator,
        _ if letter.is_numeric() => LetterClass::Digit,
        _ if letter.is_alphabetic() => LetterClass::Letter,
        _ => LetterClass::Separator,
    }
}

/// Calls `take` with each word of `text` in order, in lower case.
///
/// Words are split before a capital after a small letter, before the last capital of an acronym if
/// a small letter follows, and between letters and digits.
pub fn visit_words(text: &str, mut take: impl FnMut(&str)) {
    let mut word = String::new();
    let mut previous = LetterClass::Separator;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let this = classify_letter(letter);
        let starts = match (previous, this) {
            (_, LetterClass::Separator) | (LetterClass::Lower, LetterClass::Upper) => true,
            (LetterClass::Upper, LetterClass::Upper) => {
                letters.peek().is_some_and(|next| classify_letter(*next) == LetterClass::Lower)
            }
            (before, now) => (before == LetterClass::Digit) != (now == LetterClass::Digit),
        };
        if starts && !word.is_empty() {
            take(&word);
            word.clear();
        }
        if this == LetterClass::Upper {
            word.push(letter.to_ascii_lowercase());
        } else if this != LetterClass::Separator {
            word.extend(letter.to_lowercase());
        }
        previous = this;
    }
    if !word.is_empty() {
        take(&word);
    }
}

/// Returns the search terms of `text`: its words without stop words, stemmed, in order, with
/// repetitions.
pub fn search_terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    visit_words(text, |word| {
        if !is_stop_word(word) {
            terms.push(stem(word));
        }
    });
    terms
}

/// Returns whether `word`, in lower case, is too common in queries to be a search term.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// Returns `word`, in lower case, without its plural or verb ending: `parses`, `parsed` and
/// `parsing` become `pars`. The result may not be a word; it is only equal for related words.
pub fn stem(word: &str) -> String {
    if !word.is_ascii() || word.ends_with("ss") {
        return word.to_owned();
    }
    for (ending, replacement) in STEM_ENDINGS {
        if let Some(kept) = word.strip_suffix(ending)
            && kept.len() >= STEM_LETTERS_MIN
        {
            return format!("{kept}{replacement}");
        }
    }
    word.to_owned()
}
