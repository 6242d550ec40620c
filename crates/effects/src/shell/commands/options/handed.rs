//! What `xargs` and `parallel` hand to the program that they start.

use crate::shell::commands::loose::Made;
use crate::shell::word::{Loose, Word};

/// Words that a feeder adds to those of a program.
#[derive(Debug)]
pub(in crate::shell::commands) struct Handed {
    /// What they may begin with.
    loose: Loose,
    /// What stands in their place among the words; else they stand behind these.
    place: Option<String>,
}

impl Handed {
    /// What the feeder of this name, with these words of its own, hands to the command of the words
    /// behind, if it is fed `fed`.
    pub(in crate::shell::commands) fn by(
        name: &str,
        own: &[Word],
        started: &[Word],
        fed: Made,
    ) -> Handed {
        let mut handed = Handed { loose: fed.split, place: None };
        if name == "parallel" {
            let is_list = |word: &Word| word.text.starts_with(":::");
            let takes_more = own.iter().chain(started).any(is_list);
            if takes_more || own.iter().any(|word| word.text.starts_with("-a")) {
                handed.loose = Loose::Anything;
            }
            if started.iter().any(|word| word.text.contains("{}")) {
                handed.place = Some("{}".to_owned());
            }
            return handed;
        }
        let mut words = own.iter().map(|word| word.text.as_str());
        while let Some(word) = words.next() {
            let letters = word.trim_start_matches('-');
            match letters.chars().next() {
                _ if matches!(word, "-0" | "--null" | "-0r" | "-r0") => handed.loose = fed.whole,
                Some('I') if !word.starts_with("--") => {
                    let place = Some(&letters[1..]).filter(|place| !place.is_empty());
                    handed.place = place.or_else(|| words.next()).map(str::to_owned);
                }
                Some('d') => {
                    let sign = letters[1..].trim_start_matches("elimiter=");
                    let sign = if sign.is_empty() { words.next().unwrap_or("") } else { sign };
                    match sign {
                        "\\n" | "\n" => {}
                        "\\0" => handed.loose = fed.whole,
                        // What stands behind a letter may begin with anything.
                        _ => handed.loose = Loose::Anything,
                    }
                }
                Some('n' | 'P' | 'L' | 's' | 'E') if letters.len() == 1 => drop(words.next()),
                Some('n' | 'P' | 'L' | 'r' | 't' | 'p' | 'x' | 's') => {}
                _ => handed.loose = Loose::Anything,
            }
        }
        handed
    }

    /// The words of a program with those that are added.
    pub(super) fn put(&self, words: &[Word]) -> Vec<Word> {
        let mut words = words.to_vec();
        let added = Word { loose: self.loose, is_made: true, expands: true, ..Word::default() };
        let Some(place) = &self.place else {
            // They may be several.
            words.extend([added.clone(), added]);
            return words;
        };
        for word in words.iter_mut().filter(|word| word.text.contains(place.as_str())) {
            if word.text.starts_with(place.as_str()) {
                word.loose = word.loose.max(self.loose);
                word.is_made = true;
            }
            word.is_tail_made |= word.text.starts_with(['-', '+'])
                && !word.text.split(place.as_str()).next().is_some_and(|it| it.contains('='));
        }
        words
    }
}
