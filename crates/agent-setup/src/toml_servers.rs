//! Server entries in TOML.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value, value};

use super::foveal_entry::{EditError, NAME, is_foveal_command, replace_profile};

pub(crate) fn parse_document(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let what = error.message().trim().replace('\n', "; ");
        EditError::Broken { line, what }
    })
}

/// Returns the text with foveal's table below `key`; `None` if it has one with the same program
/// and, if `profile` is given, with that profile.
pub(crate) fn add_table(
    text: &str,
    key: &str,
    command: &str,
    arguments: &[&str],
    profile: Option<&str>,
) -> Result<Option<String>, EditError> {
    let mut document = parse_document(text)?;
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let wrong = || EditError::WrongType { key: key.to_owned(), expected: "a table" };
    let is_inline = servers.is_inline_table();
    let servers = servers.as_table_like_mut().ok_or_else(wrong)?;
    let Some(there) = servers.get_mut(NAME) else {
        let mut entry = Table::new();
        entry.insert("command", value(command));
        entry.insert("args", value(Array::from_iter(arguments.iter().copied())));
        let entry = if is_inline { value(entry.into_inline_table()) } else { Item::Table(entry) };
        servers.insert(NAME, entry);
        return Ok(Some(document.to_string()));
    };
    let there = there.as_table_like_mut().ok_or(EditError::NameTaken)?;
    if !table_command(there).is_some_and(is_foveal_command) {
        return Err(EditError::NameTaken);
    }
    // The rest of the entry may be the user's own.
    let mut is_changed = set_value(there, "command", command.into());
    if let Some(profile) = profile {
        let known = there.get("args").and_then(Item::as_array);
        let known: Vec<&str> = known.into_iter().flatten().filter_map(Value::as_str).collect();
        let wanted = replace_profile(&known, profile);
        if wanted != known {
            is_changed |= set_value(there, "args", Array::from_iter(wanted).into());
        }
    }
    Ok(is_changed.then(|| document.to_string()))
}

/// Sets a value and keeps the formatting around it. Returns whether the value changed.
pub(crate) fn set_value(table: &mut dyn TableLike, key: &str, wanted: Value) -> bool {
    let Some(known) = table.get_mut(key).and_then(Item::as_value_mut) else {
        table.insert(key, value(wanted));
        return true;
    };
    if known.as_str().is_some_and(|known| Some(known) == wanted.as_str()) {
        return false;
    }
    let decor = known.decor().clone();
    *known = wanted;
    *known.decor_mut() = decor;
    true
}

/// Returns the text without foveal's table below `key`. The outer table is removed if it becomes
/// empty.
pub(crate) fn remove_table(text: &str, key: &str) -> Result<Option<String>, EditError> {
    let mut document = parse_document(text)?;
    let Some(servers) = document.get_mut(key).and_then(Item::as_table_like_mut) else {
        return Ok(None);
    };
    let there = servers.get(NAME).and_then(Item::as_table_like);
    if !there.and_then(table_command).is_some_and(is_foveal_command) {
        return Ok(None);
    }
    servers.remove(NAME);
    let is_empty = servers.is_empty();
    let with_empty = document.to_string();
    if is_empty {
        document.remove(key);
    }
    let without = document.to_string();
    let comments = |text: &str| text.matches('#').count();
    // A comment may stand beside the empty table.
    Ok(Some(if comments(&without) < comments(&with_empty) { with_empty } else { without }))
}

/// Returns the program that foveal's table below `key` starts.
pub(crate) fn installed_program(text: &str, key: &str) -> Option<String> {
    find_table(text, key)?["command"].as_str().map(str::to_owned)
}

/// Returns the command of foveal's table below `key`, and whether it is enabled.
pub(crate) fn find_table(text: &str, key: &str) -> Option<serde_json::Value> {
    let document = parse_document(text).ok()?;
    let there = document.get(key)?.as_table_like()?.get(NAME)?.as_table_like()?;
    let command = table_command(there).filter(|command| is_foveal_command(command))?;
    let enabled = there.get("enabled").and_then(Item::as_bool);
    Some(serde_json::json!({ "command": command, "enabled": enabled }))
}

fn table_command(entry: &dyn TableLike) -> Option<&str> {
    entry.get("command")?.as_str()
}
