//! Detection of file names that a file system treats as equal.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cap_std::fs::{Dir, MetadataExt as _};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Entries examined for a name with another spelling.
const EXAMINED_MAX: usize = 200;

/// The file name differences that a file system ignores.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NameEquivalence {
    /// Whether case is ignored.
    pub ignores_case: bool,
    /// Whether the Unicode normal form is ignored: `é`, or `e` and a combining accent.
    pub ignores_form: bool,
}

impl NameEquivalence {
    /// Detects the equivalence in `dir`. In a folder that contains both spellings of a name they
    /// are different, even if both are links to one file.
    pub(super) fn detect(dir: &Dir) -> Self {
        let Ok(entries) = dir.entries() else { return Self::default() };
        let names: BTreeSet<String> = entries
            .take(EXAMINED_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        Self {
            ignores_case: ignores_spelling_difference(dir, &names, invert_case),
            ignores_form: ignores_spelling_difference(dir, &names, invert_normal_form),
        }
    }

    /// Returns the common form of all names of one file.
    pub(super) fn fold_name(self, name: String) -> String {
        // Lower case may change the normal form.
        let name = if self.ignores_case { name.to_lowercase() } else { name };
        if self.ignores_form && !name.is_ascii() { compose_name(&name).into_owned() } else { name }
    }
}

/// Returns whether a file of `dir` is also found by the `other` spelling of its name.
fn ignores_spelling_difference(
    dir: &Dir,
    names: &BTreeSet<String>,
    other: fn(&str) -> String,
) -> bool {
    for name in names {
        let other = other(name);
        if other == *name {
            continue;
        }
        let Ok(file) = dir.symlink_metadata(name) else { continue };
        return !names.contains(&other)
            && dir
                .symlink_metadata(&other)
                .is_ok_and(|same| (same.dev(), same.ino()) == (file.dev(), file.ino()));
    }
    false
}

/// Returns `name` with the case of its ASCII letters inverted.
fn invert_case(name: &str) -> String {
    let turn = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    name.chars().map(turn).collect()
}

/// Returns `name` in NFD, or in NFC if it is in NFD already.
fn invert_normal_form(name: &str) -> String {
    let apart = DecomposingNormalizerBorrowed::new_nfd().normalize(name);
    if apart == name { compose_name(name).into_owned() } else { apart.into_owned() }
}

fn compose_name(name: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(name)
}

#[cfg(test)]
mod tests;
