//! The variables a command sees: those of the program that runs it, but for a table.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Beginnings of names that are not handed on: foveal's own settings and keys.
const REMOVED_PREFIXES: &[&str] = &["FOVEAL_"];

/// Names that are not handed on. Without an editor, `git commit` says that it needs one; with
/// one it would wait for keys that nobody presses.
const REMOVED: &[&str] = &["EDITOR", "VISUAL"];

/// Variables that are set. Nobody turns pages or reads colours here, and nobody answers a
/// question. `CI` is not set: it changes what programs do (snapshots, lock files), not only
/// how they talk.
const SET: &[(&str, &str)] = &[
    ("TERM", "dumb"),
    ("NO_COLOR", "1"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("DEBIAN_FRONTEND", "noninteractive"),
];

/// All variables of a command; nothing else is inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

impl Environment {
    /// The caller's variables (`std::env::vars_os()`) with the tables of this file applied.
    #[must_use]
    pub fn inherited(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let kept = variables.into_iter().filter(|(name, _)| !is_removed(name));
        let set = SET.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Self(kept.chain(set).collect())
    }

    /// The same with one more variable, which wins over the tables.
    #[must_use]
    pub fn with(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// The same without a variable.
    #[must_use]
    pub fn without(mut self, name: impl AsRef<OsStr>) -> Self {
        self.0.remove(name.as_ref());
        self
    }

    /// Value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Names and values, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_removed(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    REMOVED.iter().any(|removed| bytes == removed.as_bytes())
        || REMOVED_PREFIXES.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()))
}
