//! Reads and sets addresses in TOML.

use serde_json::Value;
use toml_edit::{Item, TableLike};

use super::address_entries::AddressChange;
use crate::foveal_entry::EditError;
use crate::toml_servers::{parse_document, set_value};

/// Parses a settings file.
pub(super) fn parse_settings(text: &str) -> Result<Value, EditError> {
    parse_document(text)?;
    // The text parses: `parse_document` has checked it.
    Ok(::toml::from_str(text).unwrap_or_default())
}

/// Returns the text with these changes.
pub(super) fn set_addresses(text: &str, changed: &[AddressChange]) -> Result<String, EditError> {
    let mut document = parse_document(text)?;
    for (keys, wanted) in changed {
        let Some((key, before)) = keys.split_last() else { continue };
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for key in before {
            let wrong = || EditError::WrongType { key: before.join("."), expected: "a table" };
            table = table.get_mut(key).and_then(Item::as_table_like_mut).ok_or_else(wrong)?;
        }
        match wanted {
            Some(wanted) => drop(set_value(table, key, wanted.as_str().into())),
            None => drop(table.remove(key)),
        }
    }
    Ok(document.to_string())
}
