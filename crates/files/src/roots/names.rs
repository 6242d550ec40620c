//! Which names a file system takes for the same.

use std::borrow::Cow;
use std::collections::BTreeSet;

use cap_std::fs::{Dir, MetadataExt as _};
use icu_normalizer::{ComposingNormalizerBorrowed, DecomposingNormalizerBorrowed};

/// Entries looked at to find one whose name can be spelled in another way.
const LOOKED_AT_MAX: usize = 200;

/// Which names are one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct NameRule {
    /// Those that differ in upper and lower case alone.
    pub ignores_case: bool,
    /// Those that differ in the Unicode form of their letters alone: `é`, or `e` and an accent.
    pub ignores_form: bool,
}

impl NameRule {
    /// The rule that holds in `dir`. A folder that holds both spellings of a name tells them
    /// apart, even if they are links to one file.
    pub(super) fn of(dir: &Dir) -> Self {
        let Ok(entries) = dir.entries() else { return Self::default() };
        let names: BTreeSet<String> = entries
            .take(LOOKED_AT_MAX)
            .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
            .collect();
        Self {
            ignores_case: ignores(dir, &names, other_case),
            ignores_form: ignores(dir, &names, other_form),
        }
    }

    /// What all names of one file share.
    pub(super) fn folded(self, name: String) -> String {
        // Lower case may be in another form.
        let name = if self.ignores_case { name.to_lowercase() } else { name };
        if self.ignores_form && !name.is_ascii() { composed(&name).into_owned() } else { name }
    }
}

/// Whether a file of `dir` is found by its name in the `other` spelling as well.
fn ignores(dir: &Dir, names: &BTreeSet<String>, other: fn(&str) -> String) -> bool {
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

/// `name` with the case of its ASCII letters turned round.
fn other_case(name: &str) -> String {
    let turn = |letter: char| {
        if letter.is_ascii_uppercase() {
            letter.to_ascii_lowercase()
        } else {
            letter.to_ascii_uppercase()
        }
    };
    name.chars().map(turn).collect()
}

/// `name` with its letters taken apart, or put together if they are apart.
fn other_form(name: &str) -> String {
    let apart = DecomposingNormalizerBorrowed::new_nfd().normalize(name);
    if apart == name { composed(name).into_owned() } else { apart.into_owned() }
}

fn composed(name: &str) -> Cow<'_, str> {
    ComposingNormalizerBorrowed::new_nfc().normalize(name)
}

#[cfg(test)]
mod tests;
