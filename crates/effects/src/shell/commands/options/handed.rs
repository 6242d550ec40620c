//! What `xargs` and `parallel` hand to the program that they start.

use crate::shell::commands::loose::Made;
use crate::shell::starters::FEEDER_LETTERS;
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
        if name != "xargs" {
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
            handed.take_option(word, &mut words, fed);
        }
        handed
    }

    /// Takes an option of `xargs`, and the word behind it where that is its value.
    fn take_option<'w>(
        &mut self,
        word: &'w str,
        words: &mut impl Iterator<Item = &'w str>,
        fed: Made,
    ) {
        const DEFAULT: &str = "{}";
        if let Some(long) = word.strip_prefix("--") {
            match long.split_once('=').unwrap_or((long, "")) {
                ("null", _) => self.loose = fed.whole,
                ("no-run-if-empty" | "verbose" | "interactive" | "exit", _) => {}
                ("max-args" | "max-procs" | "max-lines" | "max-chars", _) => {}
                ("replace", place) => {
                    self.place = Some(if place.is_empty() { DEFAULT } else { place }.to_owned());
                }
                ("delimiter", sign) => self.split_at(sign, fed),
                _ => self.loose = Loose::Anything,
            }
            return;
        }
        let letters = word.trim_start_matches('-');
        let plain = letters.trim_start_matches(|it| FEEDER_LETTERS.contains(it));
        if letters[..letters.len() - plain.len()].contains('0') {
            self.loose = fed.whole;
        }
        let Some(letter) = plain.chars().next() else { return };
        let attached = Some(&plain[letter.len_utf8()..]).filter(|value| !value.is_empty());
        match letter {
            'I' | 'J' => self.place = attached.or_else(|| words.next()).map(str::to_owned),
            'i' => self.place = Some(attached.unwrap_or(DEFAULT).to_owned()),
            'd' => self.split_at(attached.or_else(|| words.next()).unwrap_or_default(), fed),
            'n' | 'P' | 'L' | 's' | 'E' if attached.is_none() => drop(words.next()),
            'n' | 'P' | 'L' | 's' | 'E' | 'l' => {}
            _ => self.loose = Loose::Anything,
        }
    }

    fn split_at(&mut self, sign: &str, fed: Made) {
        match sign {
            "\\n" | "\n" => {}
            "\\0" => self.loose = fed.whole,
            // What stands behind a letter may begin with anything.
            _ => self.loose = Loose::Anything,
        }
    }

    /// The words of a program, those marked that what is handed stands in.
    pub(in crate::shell::commands) fn mark(&self, words: &[Word]) -> Vec<Word> {
        let mut words = words.to_vec();
        let Some(place) = &self.place else { return words };
        for word in words.iter_mut().filter(|word| word.text.contains(place.as_str())) {
            word.holds = word.holds.max(self.loose);
        }
        words
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
