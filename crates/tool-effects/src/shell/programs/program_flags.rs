//! The flags and other words of a call.

use crate::shell::shell_word::ShellWord;

/// A call's flags, and its other words.
pub(super) struct ParsedFlags {
    pub(super) flags: Vec<String>,
    pub(super) files: Vec<ShellWord>,
}

impl ParsedFlags {
    /// Splits `arguments`. The flags of `with_value` take the next word.
    pub(super) fn parse(arguments: &[ShellWord], with_value: &[&str]) -> ParsedFlags {
        let mut flags = ParsedFlags { flags: Vec::new(), files: Vec::new() };
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

    /// Returns whether `flag` is present, also among combined short flags.
    pub(super) fn has_flag(&self, flag: &str) -> bool {
        self.flags.iter().any(|given| match flag.strip_prefix('-') {
            Some(letter) if letter.len() == 1 && !given.starts_with("--") => {
                given[1..].contains(letter)
            }
            _ => given == flag || given.split('=').next() == Some(flag),
        })
    }
}

/// Returns the words that are not flags, if no flag takes a value.
pub(super) fn non_flag_arguments(arguments: &[ShellWord]) -> impl Iterator<Item = &ShellWord> {
    arguments.iter().filter(|word| !word.text.starts_with('-'))
}
