//! Edits of a settings file. All other bytes of the file stay unchanged.

use serde_json::Value;

use super::addresses::Addresses;
use super::foveal_entry::EditError;
use super::hook_settings::HookSettingsFormat;
use super::owned_file::OwnedFile;
use super::{addresses, hook_settings, json_servers, owned_file, permission_rules, toml_servers};

/// An edit of a settings file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum SettingsEdit {
    /// foveal's MCP server in JSON, as an entry of the object that `keys` lead to.
    JsonServer {
        /// The keys from the outermost inwards.
        keys: Vec<&'static str>,
        /// The entry.
        entry: Value,
        /// The profile to set in an existing entry; `None` leaves it unchanged.
        profile: Option<&'static str>,
    },
    /// foveal's MCP server in TOML.
    TomlServer {
        /// The key of the table of servers.
        key: &'static str,
        command: String,
        /// The program's arguments.
        arguments: Vec<&'static str>,
        /// The profile to set in an existing table; `None` leaves it unchanged.
        profile: Option<&'static str>,
    },
    /// The hooks of an agent.
    Hooks {
        /// The format of the agent's hook settings.
        format: HookSettingsFormat,
        command: String,
    },
    /// A file that foveal owns completely.
    OwnFile { file: OwnedFile, command: String },
    /// Permission rules that let foveal's read-only tools run without approval.
    PermissionRules,
    /// The provider addresses of an agent.
    Addresses(Addresses),
    /// Several edits of one file, in order.
    All(Vec<SettingsEdit>),
}

impl SettingsEdit {
    /// Returns the text with the edit applied; `None` if nothing changes.
    ///
    /// # Errors
    /// If the text cannot be parsed, or another program has foveal's place.
    pub(crate) fn apply(&self, text: &str) -> Result<Option<String>, EditError> {
        let (mark, text) = split_byte_order_mark(text);
        let changed = match self {
            Self::JsonServer { keys, entry, profile } => {
                json_servers::add_entry(text, keys, entry, *profile)?
            }
            Self::TomlServer { key, command, arguments, profile } => {
                toml_servers::add_table(text, key, command, arguments, *profile)?
            }
            Self::Hooks { format, command } => hook_settings::add_hooks(text, *format, command)?,
            Self::OwnFile { file, command } => owned_file::updated_content(text, *file, command)?,
            Self::PermissionRules => permission_rules::add_rules(text)?,
            Self::Addresses(all) => addresses::add_gateway_addresses(text, all)?,
            Self::All(edits) => apply_in_order(edits, text, Self::apply)?,
        };
        Ok(changed.map(|changed| format!("{mark}{changed}")))
    }

    /// Returns the text with the edit taken back; `None` if nothing changes.
    ///
    /// # Errors
    /// If the text cannot be parsed.
    pub(crate) fn remove(&self, text: &str) -> Result<Option<String>, EditError> {
        let (mark, text) = split_byte_order_mark(text);
        let changed = match self {
            Self::JsonServer { keys, .. } => json_servers::remove_entry(text, keys)?,
            Self::TomlServer { key, .. } => toml_servers::remove_table(text, key)?,
            Self::Hooks { format, .. } => hook_settings::remove_hooks(text, *format)?,
            Self::OwnFile { .. } => owned_file::removed_content(text),
            Self::PermissionRules => permission_rules::remove_rules(text)?,
            Self::Addresses(all) => addresses::restore_addresses(text, all)?,
            Self::All(edits) => apply_in_order(edits, text, Self::remove)?,
        };
        Ok(changed.map(|changed| format!("{mark}{changed}")))
    }

    /// Returns whether the file has an entry of foveal that is disabled.
    pub(crate) fn is_disabled(&self, text: &str) -> bool {
        let (_, text) = split_byte_order_mark(text);
        let entry = match self {
            Self::JsonServer { keys, .. } => json_servers::find_entry(text, keys),
            Self::TomlServer { key, .. } => toml_servers::find_table(text, key),
            Self::Hooks { .. }
            | Self::OwnFile { .. }
            | Self::PermissionRules
            | Self::Addresses(_) => None,
            Self::All(edits) => return edits.iter().any(|edit| edit.is_disabled(text)),
        };
        entry.is_some_and(|entry| entry["disabled"] == true || entry["enabled"] == false)
    }

    /// Returns whether the edited file may hold credentials of the user.
    pub(crate) fn is_beside_credentials(&self) -> bool {
        match self {
            Self::Addresses(_) => true,
            Self::All(edits) => edits.iter().any(Self::is_beside_credentials),
            _ => false,
        }
    }

    /// Returns whether an agent with this file uses its vendor's API, through foveal or not.
    pub(crate) fn uses_vendor_api(&self, text: &str) -> bool {
        let (_, text) = split_byte_order_mark(text);
        match self {
            Self::Addresses(all) => addresses::uses_vendor_api(text, all),
            Self::All(edits) => edits.iter().all(|edit| edit.uses_vendor_api(text)),
            _ => true,
        }
    }

    /// Returns the program that foveal's entry starts; `None` if there is no entry.
    pub(crate) fn installed_program(&self, text: &str) -> Option<String> {
        let (_, text) = split_byte_order_mark(text);
        match self {
            Self::JsonServer { keys, .. } => json_servers::installed_program(text, keys),
            Self::TomlServer { key, .. } => toml_servers::installed_program(text, key),
            Self::Hooks { format, .. } => hook_settings::installed_program(text, *format),
            Self::OwnFile { .. } => owned_file::installed_program(text),
            Self::PermissionRules | Self::Addresses(_) => None,
            Self::All(edits) => edits.iter().find_map(|edit| edit.installed_program(text)),
        }
    }
}

/// Returns the text after all edits; `None` if none changes it.
fn apply_in_order(
    edits: &[SettingsEdit],
    text: &str,
    change: impl Fn(&SettingsEdit, &str) -> Result<Option<String>, EditError>,
) -> Result<Option<String>, EditError> {
    let mut changed = None;
    for edit in edits {
        let now = changed.as_deref().unwrap_or(text);
        changed = change(edit, now)?.or(changed);
    }
    Ok(changed)
}

/// Splits off the byte order mark, if there is one.
fn split_byte_order_mark(text: &str) -> (&str, &str) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.split_at(text.len() - rest.len())
}

#[cfg(test)]
mod tests;
