//! The environment variables of a command: those of the program that runs it, adjusted by a table.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// Prefixes of removed variables: foveal's own settings and keys.
const REMOVED_PREFIXES: &[&str] = &["FOVEAL_"];

/// Removed variables. Without an editor, `git commit` fails with a message; with one it would wait
/// for input that never comes.
const REMOVED_VARIABLES: &[&str] = &["EDITOR", "VISUAL"];

/// Variables that are set: no pager, no colours, no prompts. `CI` is not set, since it changes what
/// programs do (snapshots, lock files) and not only their output.
const SET_VARIABLES: &[(&str, &str)] = &[
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

/// All environment variables of a command; nothing else is inherited.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandEnvironment(BTreeMap<OsString, OsString>);

impl CommandEnvironment {
    /// Applies the tables of this file to the caller's variables (`std::env::vars_os()`).
    #[must_use]
    pub fn from_inherited(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Self {
        let kept = variables.into_iter().filter(|(name, _)| !is_removed(name));
        let set =
            SET_VARIABLES.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Self(kept.chain(set).collect())
    }

    /// Adds a variable, which overrides the tables.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.0.insert(name.into(), value.into());
        self
    }

    /// Removes a variable.
    #[must_use]
    pub fn without_variable(mut self, name: impl AsRef<OsStr>) -> Self {
        self.0.remove(name.as_ref());
        self
    }

    /// Returns the value of a variable.
    #[must_use]
    pub fn get(&self, name: impl AsRef<OsStr>) -> Option<&OsStr> {
        self.0.get(name.as_ref()).map(OsString::as_os_str)
    }

    /// Iterates over names and values, ordered by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_removed(name: &OsStr) -> bool {
    let bytes = name.as_encoded_bytes();
    REMOVED_VARIABLES.iter().any(|removed| bytes == removed.as_bytes())
        || REMOVED_PREFIXES.iter().any(|prefix| bytes.starts_with(prefix.as_bytes()))
}
