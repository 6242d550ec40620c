//! What was noted of conversations that have the tool, held in memory: it goes where the store
//! cannot say it, or not in time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use foveal_transcript::ContentHash;

use crate::recorder::Noted;

/// The bytes of each of the two generations.
const BYTES_MAX: usize = 4 << 20;

/// What each takes beside its texts, about.
const WEIGHT: usize = 200;

/// What is held: what was not asked for since the last change of generations goes at the next one.
#[derive(Debug, Default)]
pub(crate) struct Remembered(Mutex<Generations>);

#[derive(Debug, Default)]
struct Generations {
    young: HashMap<ContentHash, One>,
    old: HashMap<ContentHash, One>,
    bytes: usize,
}

#[derive(Debug, Clone)]
enum One {
    Note(Noted),
    Text(String),
    Has(bool),
}

impl Remembered {
    /// Holds notes.
    pub(crate) fn keep(&self, notes: &[Noted]) {
        let mut held = self.lock();
        notes.iter().for_each(|note| held.put(note.end, One::Note(note.clone())));
    }

    /// Holds a text that a call was given.
    pub(crate) fn keep_text(&self, key: ContentHash, text: &str) {
        self.lock().put(key, One::Text(text.to_owned()));
    }

    /// Holds whether the conversation that begins so has the tool.
    pub(crate) fn keep_has(&self, key: ContentHash, has: bool) {
        self.lock().put(key, One::Has(has));
    }

    /// As [`Recorder::noted`](crate::recorder::Recorder::noted).
    pub(crate) fn noted(&self, root: ContentHash, ends: &[ContentHash]) -> Vec<Noted> {
        let mut held = self.lock();
        let mut next = ends.iter().rev().find_map(|end| held.note(*end));
        let mut all = Vec::new();
        while let Some(note) = next {
            next = held.note(note.before);
            all.push(note);
        }
        all.reverse();
        if all.first().is_none_or(|first| first.before != root) {
            all.clear();
        }
        all
    }

    /// A text that a call was given.
    pub(crate) fn text(&self, key: ContentHash) -> Option<String> {
        match self.lock().get(key)? {
            One::Text(text) => Some(text),
            One::Note(_) | One::Has(_) => None,
        }
    }

    /// Whether the conversation that begins so has the tool.
    pub(crate) fn has(&self, key: ContentHash) -> Option<bool> {
        match self.lock().get(key)? {
            One::Has(has) => Some(has),
            One::Note(_) | One::Text(_) => None,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Generations> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Generations {
    fn note(&mut self, end: ContentHash) -> Option<Noted> {
        match self.get(end)? {
            One::Note(note) => Some(note),
            One::Text(_) | One::Has(_) => None,
        }
    }

    fn get(&mut self, key: ContentHash) -> Option<One> {
        if let Some(one) = self.young.get(&key) {
            return Some(one.clone());
        }
        let one = self.old.remove(&key)?;
        self.put(key, one.clone());
        Some(one)
    }

    fn put(&mut self, key: ContentHash, one: One) {
        let weight = one.weight();
        if self.bytes + weight > BYTES_MAX {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        self.bytes += weight;
        if let Some(before) = self.young.insert(key, one) {
            self.bytes -= before.weight();
        }
    }
}

impl One {
    fn weight(&self) -> usize {
        WEIGHT
            + match self {
                Self::Note(note) => note.text.len(),
                Self::Text(text) => text.len(),
                Self::Has(_) => 0,
            }
    }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, ContentHash, Remembered};

    fn key(number: usize) -> ContentHash {
        ContentHash::of(number.to_string().as_bytes())
    }

    #[test]
    fn what_is_asked_for_stays_and_the_rest_goes() {
        let remembered = Remembered::default();
        let text = "x".repeat(BYTES_MAX / 10);
        for number in 0..100 {
            remembered.keep_text(key(number), &text);
            assert!(remembered.text(key(0)).is_some(), "{number}");
        }
        let held = remembered.lock();
        assert!(held.young.len() + held.old.len() <= 20);
        assert!(held.bytes <= BYTES_MAX);
    }
}
