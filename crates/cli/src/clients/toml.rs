//! Entries in TOML.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value, value};

use super::entry::{EditError, NAME, is_ours, with_profile};

pub(super) fn parse(text: &str) -> Result<DocumentMut, EditError> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let start = error.span().map_or(0, |span| span.start).min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|byte| **byte == b'\n').count() + 1;
        let what = error.message().trim().replace('\n', "; ");
        EditError::Broken { line, what }
    })
}

/// The text with our table below `key`; `None` if one is there that starts the same program, with
/// this profile if it is to have one.
pub(super) fn add(
    text: &str,
    key: &str,
    command: &str,
    arguments: &[&str],
    profile: Option<&str>,
) -> Result<Option<String>, EditError> {
    let mut document = parse(text)?;
    let servers = document.entry(key).or_insert_with(|| {
        let mut table = Table::new();
        table.set_implicit(true);
        Item::Table(table)
    });
    let wrong = || EditError::Kind { key: key.to_owned(), expected: "a table" };
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
    let there = there.as_table_like_mut().ok_or(EditError::Taken)?;
    if !command_of(there).is_some_and(is_ours) {
        return Err(EditError::Taken);
    }
    // The rest of the entry may be the user's own.
    let mut is_changed = put(there, "command", command.into());
    if let Some(profile) = profile {
        let known = there.get("args").and_then(Item::as_array);
        let known: Vec<&str> = known.into_iter().flatten().filter_map(Value::as_str).collect();
        let wanted = with_profile(&known, profile);
        if wanted != known {
            is_changed |= put(there, "args", Array::from_iter(wanted).into());
        }
    }
    Ok(is_changed.then(|| document.to_string()))
}

/// Puts a value in the place of another; whether it was another.
pub(super) fn put(table: &mut dyn TableLike, key: &str, wanted: Value) -> bool {
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

/// The text without our table below `key`, nor that one if it is empty without it.
pub(super) fn remove(text: &str, key: &str) -> Result<Option<String>, EditError> {
    let mut document = parse(text)?;
    let Some(servers) = document.get_mut(key).and_then(Item::as_table_like_mut) else {
        return Ok(None);
    };
    let there = servers.get(NAME).and_then(Item::as_table_like);
    if !there.and_then(command_of).is_some_and(is_ours) {
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
    // A comment may stand by what is empty.
    Ok(Some(if comments(&without) < comments(&with_empty) { with_empty } else { without }))
}

/// The program that our table below `key` starts.
pub(super) fn program(text: &str, key: &str) -> Option<String> {
    entry(text, key)?["command"].as_str().map(str::to_owned)
}

/// What our table below `key` says of being started.
pub(super) fn entry(text: &str, key: &str) -> Option<serde_json::Value> {
    let document = parse(text).ok()?;
    let there = document.get(key)?.as_table_like()?.get(NAME)?.as_table_like()?;
    let command = command_of(there).filter(|command| is_ours(command))?;
    let enabled = there.get("enabled").and_then(Item::as_bool);
    Some(serde_json::json!({ "command": command, "enabled": enabled }))
}

fn command_of(entry: &dyn TableLike) -> Option<&str> {
    entry.get("command")?.as_str()
}
