//! What is changed in a file of settings. All else in it stays as it is, to the byte.

use serde_json::Value;

use super::addresses::Addresses;
use super::entry::EditError;
use super::hooks::HookHost;
use super::own_file::OwnFile;
use super::{addresses, hooks, json, own_file, rules, toml};

/// A change of a file of settings.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Edit {
    /// A server in JSON: our entry in the object that `keys` lead to.
    Server {
        /// From the outside in.
        keys: Vec<&'static str>,
        /// Our entry.
        entry: Value,
        /// The profile that an entry of ours that is there gets; `None`: it keeps what it has.
        profile: Option<&'static str>,
    },
    /// A server in TOML.
    Table {
        /// The table of servers.
        key: &'static str,
        /// The program.
        command: String,
        /// What it is started with.
        arguments: Vec<&'static str>,
        /// The profile that a table of ours that is there gets; `None`: it keeps what it has.
        profile: Option<&'static str>,
    },
    /// An agent's hooks.
    Hooks {
        /// The agent.
        host: HookHost,
        /// The program.
        command: String,
    },
    /// A file all of which is ours.
    OwnFile {
        /// Which one.
        file: OwnFile,
        /// The program.
        command: String,
    },
    /// Rules by which our tools that only read run without asking.
    Rules,
    /// The addresses by which an agent finds its model.
    Addresses(Addresses),
    /// Several changes of one file, in order.
    All(Vec<Edit>),
}

impl Edit {
    /// The text with our entry; `None` if it is there.
    ///
    /// # Errors
    /// If the text cannot be understood, or the place is taken.
    pub(crate) fn apply(&self, text: &str) -> Result<Option<String>, EditError> {
        let (mark, text) = marked(text);
        let changed = match self {
            Self::Server { keys, entry, profile } => json::add(text, keys, entry, *profile)?,
            Self::Table { key, command, arguments, profile } => {
                toml::add(text, key, command, arguments, *profile)?
            }
            Self::Hooks { host, command } => hooks::add(text, *host, command)?,
            Self::OwnFile { file, command } => own_file::add(text, *file, command)?,
            Self::Rules => rules::add(text)?,
            Self::Addresses(all) => addresses::add(text, all)?,
            Self::All(edits) => each(edits, text, Self::apply)?,
        };
        Ok(changed.map(|changed| format!("{mark}{changed}")))
    }

    /// The text without our entry; `None` if there is none.
    ///
    /// # Errors
    /// If the text cannot be understood.
    pub(crate) fn remove(&self, text: &str) -> Result<Option<String>, EditError> {
        let (mark, text) = marked(text);
        let changed = match self {
            Self::Server { keys, .. } => json::remove(text, keys)?,
            Self::Table { key, .. } => toml::remove(text, key)?,
            Self::Hooks { host, .. } => hooks::remove(text, *host)?,
            Self::OwnFile { .. } => own_file::remove(text),
            Self::Rules => rules::remove(text)?,
            Self::Addresses(all) => addresses::remove(text, all)?,
            Self::All(edits) => each(edits, text, Self::remove)?,
        };
        Ok(changed.map(|changed| format!("{mark}{changed}")))
    }

    /// Whether there is an entry of ours that the agent does not start, for it is switched off.
    pub(crate) fn is_off(&self, text: &str) -> bool {
        let (_, text) = marked(text);
        let entry = match self {
            Self::Server { keys, .. } => json::entry(text, keys),
            Self::Table { key, .. } => toml::entry(text, key),
            Self::Hooks { .. } | Self::OwnFile { .. } | Self::Rules | Self::Addresses(_) => None,
            Self::All(edits) => return edits.iter().any(|edit| edit.is_off(text)),
        };
        entry.is_some_and(|entry| entry["disabled"] == true || entry["enabled"] == false)
    }

    /// Whether keys of the user's may stand beside what is changed.
    pub(crate) fn is_beside_keys(&self) -> bool {
        match self {
            Self::Addresses(_) => true,
            Self::All(edits) => edits.iter().any(Self::is_beside_keys),
            _ => false,
        }
    }

    /// Returns whether an agent whose file says this asks its model's maker, by foveal or not.
    pub(crate) fn asks_maker(&self, text: &str) -> bool {
        let (_, text) = marked(text);
        match self {
            Self::Addresses(all) => addresses::asks_maker(text, all),
            Self::All(edits) => edits.iter().all(|edit| edit.asks_maker(text)),
            _ => true,
        }
    }

    /// The program that our entry starts; `None` if there is no entry of ours.
    pub(crate) fn program(&self, text: &str) -> Option<String> {
        let (_, text) = marked(text);
        match self {
            Self::Server { keys, .. } => json::program(text, keys),
            Self::Table { key, .. } => toml::program(text, key),
            Self::Hooks { host, .. } => hooks::program(text, *host),
            Self::OwnFile { .. } => own_file::program(text),
            Self::Rules | Self::Addresses(_) => None,
            Self::All(edits) => edits.iter().find_map(|edit| edit.program(text)),
        }
    }
}

/// The text after each change; `None` if none changes it.
fn each(
    edits: &[Edit],
    text: &str,
    change: impl Fn(&Edit, &str) -> Result<Option<String>, EditError>,
) -> Result<Option<String>, EditError> {
    let mut changed = None;
    for edit in edits {
        let now = changed.as_deref().unwrap_or(text);
        changed = change(edit, now)?.or(changed);
    }
    Ok(changed)
}

/// The byte order mark, and what is after it.
fn marked(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

#[cfg(test)]
mod tests;
