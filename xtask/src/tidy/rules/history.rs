//! Comments are about the code that is there. What it once was, who asked for it and what
//! is still to be done belong to commits and issues.

use crate::tidy::finding::Place;
use crate::tidy::source::is_word;
use crate::tidy::tree::Tree;

/// Phrases that speak of history. Chosen so that plain prose about transcripts, which is
/// full of earlier and removed things, hardly ever uses them.
const PHRASES: &[&str] = &[
    "as discussed",
    "as requested",
    "for now",
    "formerly",
    "has been renamed",
    "in the past",
    "legacy",
    "new implementation",
    "no longer necessary",
    "no longer needed",
    "no longer used",
    "now uses",
    "old implementation",
    "previous implementation",
    "previously was",
    "refactor",
    "refactored",
    "refactoring",
    "renamed from",
    "temporary fix",
    "until we",
    "used to be",
    "used to have",
    "used to return",
    "was previously",
    "was renamed",
    "we now",
];

/// Marks of work left over, in this spelling only.
const MARKS: &[&str] = &["FIXME", "HACK", "TODO", "XXX"];

/// Words that, followed by a number, name a ticket or a plan.
const NUMBERED: &[&str] = &["issue", "milestone", "phase", "pr", "pull request", "ticket"];

/// Openings of a comment that tell of a change.
const OPENINGS: &[&str] = &["changed:", "fix:", "fixed:", "new:", "now:", "removed:"];

pub(crate) fn check(tree: &Tree) -> Vec<Place> {
    let mut places = Vec::new();
    for source in &tree.sources {
        for comment in &source.comments {
            if let Some(words) = history_words(&comment.text) {
                let what = format!("a comment says `{words}`; say what the code does and why");
                places.push(Place::new(source.path.clone(), comment.line, what));
            }
        }
    }
    places
}

/// The first words of `comment` that speak of history.
fn history_words(comment: &str) -> Option<String> {
    let lower = comment.to_lowercase();
    let opening = lower.trim_start_matches(['/', '!', '*', ' ']);
    let phrase = PHRASES.iter().find(|phrase| has_words(&lower, phrase));
    let mark = MARKS.iter().find(|mark| has_words(comment, mark));
    let opened = OPENINGS.iter().find(|word| opening.starts_with(**word));
    if let Some(found) = phrase.or(mark).or(opened) {
        return Some((*found).to_owned());
    }
    NUMBERED.iter().find_map(|word| numbered(&lower, word))
}

/// Whether `words` stand in `text` with no letter on either side.
fn has_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(at, _)| {
        !text[..at].ends_with(is_word) && !text[at + words.len()..].starts_with(is_word)
    })
}

/// `word` with the number that follows it, if one does.
fn numbered(text: &str, word: &str) -> Option<String> {
    text.match_indices(word).find_map(|(at, _)| {
        let rest = text[at + word.len()..].strip_prefix(' ')?;
        let (sign, rest) = rest.strip_prefix('#').map_or(("", rest), |rest| ("#", rest));
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let found = !text[..at].ends_with(is_word) && !digits.is_empty();
        found.then(|| format!("{word} {sign}{digits}"))
    })
}

#[cfg(test)]
mod tests;
