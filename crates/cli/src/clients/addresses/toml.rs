//! Values in TOML.

use serde_json::Value;
use toml_edit::{Item, TableLike};

use super::places::Changed;
use crate::clients::entry::EditError;
use crate::clients::toml::{parse, put};

/// What a text says.
pub(super) fn value(text: &str) -> Result<Value, EditError> {
    parse(text)?;
    // What was parsed once is parsed again.
    Ok(::toml::from_str(text).unwrap_or_default())
}

/// The text with these values.
pub(super) fn set(text: &str, changed: &[Changed]) -> Result<String, EditError> {
    let mut document = parse(text)?;
    for (keys, wanted) in changed {
        let Some((key, before)) = keys.split_last() else { continue };
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for key in before {
            let wrong = || EditError::Kind { key: before.join("."), expected: "a table" };
            table = table.get_mut(key).and_then(Item::as_table_like_mut).ok_or_else(wrong)?;
        }
        match wanted {
            Some(wanted) => drop(put(table, key, wanted.as_str().into())),
            None => drop(table.remove(key)),
        }
    }
    Ok(document.to_string())
}
