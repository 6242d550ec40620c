//! Scripts among the words of `sed` and `awk`, of which parts are made elsewhere: these are code, too.

use super::valued::Valued;
use crate::shell::word::{Loose, Word};

/// Whether something is put into a script of the program that may be code in it: what is not told, or
/// a number where a digit ends an expression.
pub(super) fn are_made(name: &str, words: &[Word]) -> bool {
    let is_sed = name.ends_with("sed");
    let ends_by_digit = |word: &Word| {
        let signs = word.text.as_bytes().windows(2);
        is_sed && (word.expands || word.has_number) && { signs }
            .any(|pair| b"sy\\".contains(&pair[0]) && pair[1].is_ascii_digit())
    };
    scripts(words, &Valued::of(name))
        .into_iter()
        .any(|word| word.holds > Loose::Not || ends_by_digit(word))
}

/// The words that are scripts: behind options that say so, or else the first that is no option.
fn scripts<'w>(words: &'w [Word], valued: &Valued) -> Vec<&'w Word> {
    let mut scripts = Vec::new();
    let mut first = None;
    let (mut is_named, mut at) = (false, 0);
    while let Some(word) = words.get(at) {
        at += 1;
        let text = word.text.as_str();
        if text == "--" || text.len() < 2 || !text.starts_with('-') {
            first = first.or(Some(word).filter(|_| text != "--"));
            continue;
        }
        let taking = valued.letter(text);
        let is_script = taking == Some('e') || text.starts_with("--e") || text.starts_with("--sou");
        is_named |= is_script || taking == Some('f') || text.starts_with("--f");
        if is_script {
            scripts.push(word);
        }
        if valued.takes_next(text) == Some(true) {
            scripts.extend(words.get(at).filter(|_| is_script));
            at += 1;
        }
    }
    scripts.extend(first.filter(|_| !is_named));
    scripts
}
