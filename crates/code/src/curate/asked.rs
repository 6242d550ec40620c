//! The question as terms, identifiers and quoted strings with weights.

use std::collections::{BTreeMap, HashMap};

use super::question::{Question, Voice};
use crate::terms::{for_each_word, is_stop_word, stem};

/// Terms that are looked for; the heaviest ones count.
const TERMS_MAX: usize = 400;
/// Identifiers that are looked for.
const IDENTIFIERS_MAX: usize = 400;
/// Quoted strings that are looked for.
const STRINGS_MAX: usize = 60;
/// Bytes of a quoted string.
const STRING_BYTES: std::ops::RangeInclusive<usize> = 4..=80;
/// Bytes read of one phrase.
const PHRASE_BYTES_MAX: usize = 24 << 10;
/// Bytes that two words share at least where one is the other cut short.
const BEGINNING_BYTES: usize = 4;
/// What a phrase still counts after each response that came after it.
const FADING: f32 = 0.85;

/// What is looked for, each with its weight, 0 to 1.
#[derive(Debug, Default)]
pub(crate) struct Asked {
    /// Stemmed words to their number.
    pub(crate) terms: HashMap<String, usize>,
    /// The terms by their first bytes, for words that are cut short.
    beginnings: HashMap<[u8; BEGINNING_BYTES], Vec<(String, usize)>>,
    /// The weight of each term by number.
    pub(crate) weights: Vec<f32>,
    /// Whether a term is in the task's first line.
    pub(crate) in_task: Vec<bool>,
    /// Names as code writes them.
    pub(crate) identifiers: HashMap<String, f32>,
    /// Whole words in lower case, identifiers among them.
    pub(crate) words: HashMap<String, f32>,
    /// Strings that stood between quotes.
    pub(crate) strings: Vec<(String, f32)>,
    /// All text that counts much, for its meaning.
    pub(crate) text: String,
    /// The task alone.
    pub(crate) task: String,
}

impl Asked {
    pub(crate) fn of(question: &Question) -> Self {
        let mut terms: BTreeMap<String, (f32, bool)> = BTreeMap::new();
        let mut asked = Self::default();
        let mut strings: BTreeMap<String, f32> = BTreeMap::new();
        for phrase in &question.phrases {
            let weight = weight(phrase.voice, phrase.age);
            let text = start(&phrase.text, PHRASE_BYTES_MAX);
            let is_task = phrase.voice == Voice::Task;
            for_each_word(text, |word| {
                if !is_stop_word(word) {
                    let known = terms.entry(stem(word)).or_insert((0.0, false));
                    known.0 = known.0.max(weight);
                    known.1 |= is_task;
                }
            });
            asked.take_words(text, weight);
            for string in quoted(text) {
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
            if let Some(beginning) = beginning(&term) {
                asked.beginnings.entry(beginning).or_default().push((term.clone(), number));
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

    /// The number of the term that `stem` is when cut short or longer: `auth` for `authoriz`,
    /// `stripp` for `strip`.
    pub(crate) fn alike(&self, stem: &str) -> Option<usize> {
        let alike = self.beginnings.get(&beginning(stem)?)?;
        let is_alike = |term: &str| {
            let (short, long) = if term.len() < stem.len() { (term, stem) } else { (stem, term) };
            long.starts_with(short) && 2 * short.len() >= long.len()
        };
        let alike = alike.iter().filter(|(term, _)| is_alike(term));
        alike.min_by_key(|(term, _)| term.len().abs_diff(stem.len())).map(|(_, number)| *number)
    }

    fn take_words(&mut self, text: &str, weight: f32) {
        for (at, word) in words(text) {
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

/// The first bytes of a term that is long enough to be told by them.
fn beginning(term: &str) -> Option<[u8; BEGINNING_BYTES]> {
    term.as_bytes().first_chunk().copied()
}

/// What a phrase counts.
fn weight(voice: Voice, age: u32) -> f32 {
    let fresh = match voice {
        Voice::Task => return 1.0,
        Voice::Detail => return 0.6,
        Voice::Assistant | Voice::Arguments => 1.0,
        Voice::Result => 0.4,
    };
    fresh * FADING.powi(i32::try_from(age.min(40)).unwrap_or(40))
}

/// Words of letters, digits and underscores with the byte they begin at.
pub(crate) fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| !word.is_empty())
        .map(|word| (word.as_ptr() as usize - text.as_ptr() as usize, word))
}

/// Whether prose would not write a word this way.
pub(crate) fn looks_like_code(word: &str) -> bool {
    let inner = word.trim_matches('_');
    if inner.len() < 2 || inner.bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    let rises =
        inner.chars().zip(inner.chars().skip(1)).any(|(a, b)| a.is_lowercase() && b.is_uppercase());
    inner.contains('_') || rises || inner.len() < word.len()
}

fn quoted(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for line in text.lines() {
        for mark in ['`', '"', '\''] {
            let inside = line.split(mark).skip(1).step_by(2);
            found.extend(inside.filter(|string| STRING_BYTES.contains(&string.trim().len())));
        }
    }
    found
}

fn start(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes.min(text.len()))]
}
