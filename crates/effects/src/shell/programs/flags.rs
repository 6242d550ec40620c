//! Flags of a call, and the words that are none.

use crate::shell::word::Word;

/// A call's flags and the words that are none.
pub(super) struct Flags {
    pub(super) flags: Vec<String>,
    pub(super) files: Vec<Word>,
}

impl Flags {
    /// Splits `arguments`; those of `with_value` take the next word.
    pub(super) fn of(arguments: &[Word], with_value: &[&str]) -> Flags {
        let mut flags = Flags { flags: Vec::new(), files: Vec::new() };
        let mut words = arguments.iter();
        let mut done = false;
        while let Some(word) = words.next() {
            if done || word.text == "-" || !word.text.starts_with('-') {
                flags.files.push(word.clone());
            } else if word.text == "--" {
                done = true;
            } else {
                if with_value.contains(&word.text.as_str()) {
                    words.next();
                }
                flags.flags.push(word.text.clone());
            }
        }
        flags
    }

    /// Whether `flag` is there, also among short flags written together.
    pub(super) fn has(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| match flag.strip_prefix('-') {
            Some(letter) if letter.len() == 1 && !given.starts_with("--") => {
                given[1..].contains(letter)
            }
            _ => given == flag || given.split('=').next() == Some(flag),
        })
    }
}

/// The words that are no flags, where no flag takes a value.
pub(super) fn plain_arguments(arguments: &[Word]) -> impl Iterator<Item = &Word> {
    arguments.iter().filter(|word| !word.text.starts_with('-'))
}
