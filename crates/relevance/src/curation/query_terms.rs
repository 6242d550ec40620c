//! The terms, identifiers and quoted strings of a query, with weights.

use std::collections::{BTreeMap, HashMap};

use super::query::{CurationQuery, PhraseSource};
use crate::terms::{is_stop_word, stem, visit_words};

/// The number of terms, the heaviest first.
const TERMS_MAX: usize = 400;
/// The number of identifiers.
const IDENTIFIERS_MAX: usize = 400;
/// The number of quoted strings.
const STRINGS_MAX: usize = 60;
/// The length of a quoted string in bytes.
const STRING_BYTES: std::ops::RangeInclusive<usize> = 4..=80;
/// The number of bytes read of one phrase.
const PHRASE_BYTES_MAX: usize = 24 << 10;
/// The number of leading bytes that a prefix match needs.
const PREFIX_BYTES: usize = 4;
/// The factor for the weight of a phrase after each later response.
const AGE_DECAY: f32 = 0.85;

/// The searchable parts of a query; weights are 0 to 1.
#[derive(Debug, Default)]
pub(crate) struct QueryTerms {
    /// The numbers of stemmed words.
    pub(crate) terms: HashMap<String, usize>,
    /// The terms by their first bytes, for prefix matches.
    by_prefix: HashMap<[u8; PREFIX_BYTES], Vec<(String, usize)>>,
    /// The weight of each term, by number.
    pub(crate) weights: Vec<f32>,
    /// Whether each term is in the task, by number.
    pub(crate) in_task: Vec<bool>,
    /// Names that look like code, or are marked as such, and their weights.
    pub(crate) identifiers: HashMap<String, f32>,
    /// All words in lower case, identifiers among them, and their weights.
    pub(crate) words: HashMap<String, f32>,
    /// Strings between quotes.
    pub(crate) strings: Vec<(String, f32)>,
    /// All phrases of high weight, for the embedding.
    pub(crate) text: String,
    /// The task alone.
    pub(crate) task: String,
}

impl QueryTerms {
    pub(crate) fn from_query(question: &CurationQuery) -> Self {
        let mut terms: BTreeMap<String, (f32, bool)> = BTreeMap::new();
        let mut asked = Self::default();
        let mut strings: BTreeMap<String, f32> = BTreeMap::new();
        for phrase in &question.phrases {
            let weight = phrase_weight(phrase.voice, phrase.age);
            let text = leading_text(&phrase.text, PHRASE_BYTES_MAX);
            let is_task = phrase.voice == PhraseSource::Task;
            visit_words(text, |word| {
                if !is_stop_word(word) {
                    let known = terms.entry(stem(word)).or_insert((0.0, false));
                    known.0 = known.0.max(weight);
                    known.1 |= is_task;
                }
            });
            asked.add_words(text, weight);
            for string in quoted_strings(text) {
                let known = strings.entry(string.to_owned()).or_insert(0.0);
                *known = known.max(weight);
            }
            if is_task {
                asked.task.push_str(text);
                asked.task.push('\n');
            }
            if weight >= 0.5 {
                asked.text.push_str(text);
                asked.text.push('\n');
            }
        }
        let mut terms: Vec<(String, (f32, bool))> = terms.into_iter().collect();
        terms.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
        terms.truncate(TERMS_MAX);
        for (number, (term, (weight, in_task))) in terms.into_iter().enumerate() {
            if let Some(beginning) = term_prefix(&term) {
                asked.by_prefix.entry(beginning).or_default().push((term.clone(), number));
            }
            asked.terms.insert(term, number);
            asked.weights.push(weight);
            asked.in_task.push(in_task);
        }
        let mut strings: Vec<(String, f32)> = strings.into_iter().collect();
        strings.sort_by(|a, b| b.1.total_cmp(&a.1));
        strings.truncate(STRINGS_MAX);
        asked.strings = strings;
        asked
    }

    /// Returns the number of the term that is a prefix of `stem` or has it as a prefix: `auth` and
    /// `authoriz`, `strip` and `stripp`.
    pub(crate) fn find_prefix_match(&self, stem: &str) -> Option<usize> {
        let alike = self.by_prefix.get(&term_prefix(stem)?)?;
        let is_alike = |term: &str| {
            let (short, long) = if term.len() < stem.len() { (term, stem) } else { (stem, term) };
            long.starts_with(short) && 2 * short.len() >= long.len()
        };
        let alike = alike.iter().filter(|(term, _)| is_alike(term));
        alike.min_by_key(|(term, _)| term.len().abs_diff(stem.len())).map(|(_, number)| *number)
    }

    fn add_words(&mut self, text: &str, weight: f32) {
        for (at, word) in words_with_offsets(text) {
            let before = text[..at].chars().next_back();
            let after = text[at + word.len()..].chars().next();
            let marked = matches!(before, Some('`' | '.' | ':' | '-'))
                || matches!(after, Some('(' | '`' | '<' | ':'));
            let room = self.identifiers.len() < IDENTIFIERS_MAX;
            if room && (looks_like_code(word) || (marked && word.len() > 2)) {
                let known = self.identifiers.entry(word.to_owned()).or_insert(0.0);
                *known = known.max(if looks_like_code(word) { weight } else { weight * 0.6 });
            }
            let lower = word.to_lowercase();
            if word.len() > 2 && !is_stop_word(&lower) && self.words.len() < 4 * IDENTIFIERS_MAX {
                let known = self.words.entry(lower).or_insert(0.0);
                *known = known.max(weight);
            }
        }
    }
}

/// Returns the first bytes of a term; `None` where it is too short for a prefix match.
fn term_prefix(term: &str) -> Option<[u8; PREFIX_BYTES]> {
    term.as_bytes().first_chunk().copied()
}

/// Returns the weight of a phrase.
fn phrase_weight(voice: PhraseSource, age: u32) -> f32 {
    let fresh = match voice {
        PhraseSource::Task => return 1.0,
        PhraseSource::Detail => return 0.6,
        PhraseSource::Assistant | PhraseSource::Arguments => 1.0,
        PhraseSource::Result => 0.4,
    };
    fresh * AGE_DECAY.powi(i32::try_from(age.min(40)).unwrap_or(40))
}

/// Returns the words of letters, digits and underscores, with their byte offsets.
pub(crate) fn words_with_offsets(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Returns whether a word is cased or joined as prose would not be.
pub(crate) fn looks_like_code(word: &str) -> bool {
    let inner = word.trim_matches('_');
    if inner.len() < 2 || inner.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let rises =
        inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner.contains('_') || rises || inner.len() < word.len()
}

fn quoted_strings(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        for mark in ['`', '"', '\''] {
            let inside = line.split(mark).skip(1).step_by(2);
            found.extend(inside.filter(|string| STRING_BYTES.contains(&string.trim().len())));
        }
    }
    found
}

fn leading_text(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}
