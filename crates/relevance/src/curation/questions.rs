//! Several questions in one text.

use crate::terms::{is_stop_word, visit_words};

/// The longest text that is searched for questions, in bytes.
const TEXT_BYTES_MAX: usize = 300;
/// The most questions; a text of more is no list of questions.
const QUESTIONS_MAX: usize = 3;
/// The least number of words with a meaning of their own in a question; `what calls it` depends on
/// another one.
const TERMS_MIN: usize = 2;
/// The words that begin a question.
const OPENERS: &[&str] =
    &["are", "can", "does", "do", "how", "is", "what", "when", "where", "which", "who", "why"];
/// The words that join two questions.
const JOINERS: &[&str] = &["and", "or", "then", "also"];

/// Returns the questions of a text that consists of two or three; empty for any other text.
pub(super) fn split_text(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    if text.len() > TEXT_BYTES_MAX {
        return all;
    }
    for sentence in text.split(['?', ';', '\n']).map(trim_joiners).filter(|it| !it.is_empty()) {
        let mut rest = sentence;
        while let Some(at) = next_question(rest).filter(|at| *at > 0) {
            all.push(trim_joiners(&rest[..at]));
            rest = trim_joiners(&rest[at..]);
        }
        all.push(trim_joiners(rest));
    }
    let stands_alone = |question: &&str| {
        let opener = words(question).next().is_some_and(|(_, word)| is_listed(OPENERS, word));
        let mut terms = 0;
        let is_term = |word: &str| !is_stop_word(word) && !is_listed(OPENERS, word);
        visit_words(question, |word| terms += usize::from(is_term(word)));
        opener && terms >= TERMS_MIN
    };
    if !(2..=QUESTIONS_MAX).contains(&all.len()) || !all.iter().all(stands_alone) {
        all.clear();
    }
    all
}

/// Returns the place of a joiner or comma that is followed by the beginning of another question.
fn next_question(text: &str) -> Option<usize> {
    let mut before = None;
    for (at, word) in words(text) {
        if is_listed(OPENERS, word)
            && let Some(place) = before
        {
            return Some(place);
        }
        let is_joined = is_listed(JOINERS, word);
        let follows_comma = text[at + word.len()..].starts_with(',');
        before = if is_joined || follows_comma {
            before.or(Some(at + if is_joined { 0 } else { word.len() }))
        } else {
            None
        };
    }
    None
}

fn trim_joiners(text: &str) -> &str {
    let mut text = text.trim_matches(|c: char| c.is_whitespace() || c == ',' || c == '.');
    while let Some((_, word)) =
        words(text).next().filter(|(at, word)| *at == 0 && is_listed(JOINERS, word))
    {
        text = text[word.len()..].trim_start_matches(|c: char| c.is_whitespace() || c == ',');
    }
    text
}

fn is_listed(list: &[&str], word: &str) -> bool {
    list.iter().any(|listed| listed.eq_ignore_ascii_case(word))
}

/// Returns the words of a text with their byte offsets.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = text.split(move |c| !is_part(c)).filter(|word| !word.is_empty());
    words.map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

#[cfg(test)]
mod tests {
    use super::split_text;

    #[test]
    fn questions_are_separated() {
        for (text, expected) in [
            (
                "how are redirects followed, and when is auth stripped?",
                &["how are redirects followed", "when is auth stripped"][..],
            ),
            (
                "Where are cookies stored? How does the session close?",
                &["Where are cookies stored", "How does the session close"],
            ),
            (
                "how are headers merged and where are hooks called",
                &["how are headers merged", "where are hooks called"],
            ),
            // One question, whose parts say little alone.
            ("how are headers and hooks merged?", &[]),
            ("where is the session closed, and what calls it?", &[]),
            ("fix the redirect, and say when auth is stripped", &[]),
            ("how are redirects followed?", &[]),
            ("", &[]),
        ] {
            assert_eq!(split_text(text), expected, "{text}");
        }
    }
}
