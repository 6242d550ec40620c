//! Reads and edits single settings in the text of a settings file.

pub(crate) mod json;

use toml_edit::{Array, DocumentMut, Item, RawString, Table, TableLike, Value};

use crate::setting_keys::{SettingKey, SettingType, split_name};
use crate::setting_values::is_host_pattern;

/// The reason why a setting cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum SettingEditError {
    /// The file is not valid TOML.
    #[error(transparent)]
    NoToml(#[from] toml_edit::TomlError),
    /// The file is not valid JSON.
    #[error(transparent)]
    NoJson(#[from] serde_json::Error),
    /// The value does not have the setting's type.
    #[error("`{value}` is not a valid value of `{name}`: expected {expected}")]
    Value {
        /// The rejected value.
        value: String,
        /// The name of the setting.
        name: String,
        /// A description of the accepted values.
        expected: String,
    },
    /// The setting consists of tables, which only an editor can change.
    #[error("`{0}` is a table: edit it with `foveal config edit`")]
    Tables(String),
    /// The file has another value in place of a table.
    #[error("`{0}` in the file is not a table")]
    NoTable(String),
}

/// Returns the value of a setting as it would be written; `None` if it is not set.
///
/// # Errors
/// [`SettingEditError::NoToml`].
pub(crate) fn read_value(text: &str, name: &str) -> Result<Option<String>, SettingEditError> {
    let document = parse_document(text)?;
    let mut item = document.as_item();
    for part in name.split('.') {
        match item.as_table_like().and_then(|table| table.get(part)) {
            Some(found) => item = found,
            None => return Ok(None),
        }
    }
    Ok(Some(match item.as_value() {
        Some(value) => value.clone().decorated("", "").to_string(),
        None => print_tables(name, item),
    }))
}

/// Prints an item that consists of tables, with the headers of the outer tables.
fn print_tables(name: &str, item: &Item) -> String {
    let mut document = DocumentMut::new();
    let (tables, last) = split_name(name);
    if let Ok(table) = table_at(document.as_table_mut(), tables) {
        table.insert(last, item.clone());
    }
    document.to_string().trim().to_owned()
}

/// Returns the text with another value of a setting. All else in the text is preserved.
///
/// # Errors
/// All of [`SettingEditError`].
pub(crate) fn set_value(
    text: &str,
    key: &SettingKey,
    name: &str,
    value: &str,
) -> Result<String, SettingEditError> {
    let mut document = parse_document(text)?;
    let mut value = parse_value(key, name, value)?;
    let (tables, last) = split_name(name);
    let table = table_at(document.as_table_mut(), tables)?;
    // A new insertion would lose the comments above the name.
    match table.get_mut(last) {
        Some(item) => {
            if let Some(before) = item.as_value() {
                *value.decor_mut() = before.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => drop(table.insert(last, Item::Value(value))),
    }
    Ok(print_like(text, &document))
}

/// Returns the text without a setting; `None` if it is not set.
///
/// # Errors
/// [`SettingEditError::NoToml`].
pub(crate) fn remove_value(text: &str, name: &str) -> Result<Option<String>, SettingEditError> {
    let mut document = parse_document(text)?;
    let (tables, last) = split_name(name);
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in tables {
        match table.get_mut(part).and_then(Item::as_table_like_mut) {
            Some(found) => table = found,
            None => return Ok(None),
        }
    }
    let above = table.key(last).and_then(|key| key.leaf_decor().prefix()?.as_str());
    let above = above.unwrap_or_default().to_owned();
    if table.remove(last).is_none() {
        return Ok(None);
    }
    let kept = above.rfind("\n\n").map_or("", |end| &above[..end + 2]);
    if !kept.is_empty() {
        preserve_comments(table, kept);
    }
    remove_empty_tables(&mut document, name);
    let changed = print_like(text, &document);
    // The first table has no empty line above it.
    Ok(Some(match text.starts_with(['\n', '\r']) {
        true => changed,
        false => changed.trim_start_matches(['\n', '\r']).to_owned(),
    }))
}

/// Removes the tables around a removed setting that are empty and have no comment.
fn remove_empty_tables(document: &mut DocumentMut, name: &str) {
    let mut names: Vec<&str> = name.split('.').collect();
    names.pop();
    while let Some(last) = names.pop() {
        let mut table: &mut dyn TableLike = document.as_table_mut();
        for part in &names {
            match table.get_mut(part).and_then(Item::as_table_like_mut) {
                Some(found) => table = found,
                None => return,
            }
        }
        let is_bare = |table: &Table| {
            let before = table.decor().prefix().and_then(|prefix| prefix.as_str());
            let after = table.decor().suffix().and_then(|suffix| suffix.as_str());
            let has_comment = [before, after].iter().flatten().any(|text| text.contains('#'));
            table.is_empty() && !has_comment
        };
        if !table.get(last).and_then(Item::as_table).is_some_and(is_bare) {
            return;
        }
        table.remove(last);
    }
}

/// Moves the comments above a removed setting, up to the last empty line, to the next setting. The
/// comments below that line described the removed one.
fn preserve_comments(table: &mut dyn TableLike, kept: &str) {
    let next = table.iter().next().map(|(name, _)| name.to_owned());
    let Some(mut key) = next.as_deref().and_then(|name| table.key_mut(name)) else { return };
    let decor = key.leaf_decor_mut();
    let own = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    let all = format!("{kept}{own}");
    decor.set_prefix(all);
}

/// Parses a text, without its byte order mark.
fn parse_document(text: &str) -> Result<DocumentMut, SettingEditError> {
    Ok(text.trim_start_matches(BYTE_ORDER_MARK).parse()?)
}

/// The byte order mark that some editors write.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Prints a document with the byte order mark and the line endings of `text`.
fn print_like(text: &str, document: &DocumentMut) -> String {
    let mut changed = document.to_string();
    if text.contains("\r\n") {
        changed = changed.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match text.starts_with(BYTE_ORDER_MARK) {
        true => format!("{BYTE_ORDER_MARK}{changed}"),
        false => changed,
    }
}

/// Returns the innermost of the named tables. Missing tables are created.
fn table_at<'a, 'n>(
    root: &'a mut Table,
    names: impl Iterator<Item = &'n str>,
) -> Result<&'a mut dyn TableLike, SettingEditError> {
    let mut table: &mut dyn TableLike = root;
    for part in names {
        let new = || {
            let mut table = Table::new();
            // A table with no values of its own needs no header.
            table.set_implicit(true);
            Item::Table(table)
        };
        let item = table.entry(part).or_insert_with(new);
        table =
            item.as_table_like_mut().ok_or_else(|| SettingEditError::NoTable(part.to_owned()))?;
    }
    Ok(table)
}

/// Parses a value from the command line.
fn parse_value(key: &SettingKey, name: &str, text: &str) -> Result<Value, SettingEditError> {
    let plain = text.trim();
    let number = || plain.replace('_', "").parse::<i64>().ok();
    let value = match &key.value_type {
        SettingType::Boolean => match plain.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(Value::from(true)),
            "false" | "no" | "off" => Some(Value::from(false)),
            _ => None,
        },
        SettingType::Integer => number().map(Value::from),
        SettingType::Text => Some(Value::from(text)),
        SettingType::IntegerOrText => Some(number().map_or_else(|| Value::from(text), Value::from)),
        SettingType::Choice(texts) => {
            texts.iter().any(|text| text == plain).then(|| Value::from(plain))
        }
        SettingType::TextList => parse_list(plain).map(Value::Array),
        SettingType::Tables => {
            return Err(SettingEditError::Tables(name.to_owned()));
        }
    };
    value.ok_or_else(|| SettingEditError::Value {
        value: text.to_owned(),
        name: name.to_owned(),
        expected: key.expected_value(),
    })
}

/// Parses a list of texts. A single text counts as a list.
fn parse_list(text: &str) -> Option<Array> {
    match text.parse::<Value>() {
        Ok(Value::Array(list)) => {
            let is_of_texts = list.iter().all(Value::is_str);
            is_of_texts.then_some(list)
        }
        // `[::1]:80` is a text, not a list.
        _ if text.starts_with('[') && !is_host_pattern(text) => None,
        _ => (!text.is_empty()).then(|| Array::from_iter([text])),
    }
}

/// Returns a value as one line from which [`set_value`] creates the same value; `None` if there is
/// no such line.
pub fn editable_line(key: &SettingKey, set: &str) -> Option<String> {
    let value: Value = set.parse().ok()?;
    let line = match &value {
        Value::String(text) => text.value().clone(),
        Value::Array(list) => print_list(list)?,
        value => value.clone().decorated("", "").to_string(),
    };
    let again = parse_value(key, &key.name, &line).ok()?;
    let is_same = match (&value, &again) {
        (Value::Array(before), Value::Array(again)) => {
            before.iter().map(Value::as_str).eq(again.iter().map(Value::as_str))
        }
        (Value::String(_), _) => value.as_str() == again.as_str(),
        (Value::Integer(_), Value::Integer(_)) => value.as_integer() == again.as_integer(),
        _ => true,
    };
    let is_line = line.trim() == line && !line.chars().any(char::is_control);
    (is_same && is_line).then_some(line)
}

/// Prints a list of texts in one line; `None` if it has other values, or comments, which would be
/// lost.
fn print_list(list: &Array) -> Option<String> {
    let around = |value: &Value| {
        let decor = value.decor();
        let [before, after] = [decor.prefix(), decor.suffix()]
            .map(|raw| raw.and_then(RawString::as_str).unwrap_or_default().trim().is_empty());
        before && after
    };
    let is_bare = list.iter().all(around);
    let is_bare = is_bare && list.trailing().as_str().unwrap_or_default().trim().is_empty();
    let texts = list.iter().map(|value| Some(Value::from(value.as_str()?)));
    let texts = texts.collect::<Option<Array>>().filter(|_| is_bare)?;
    Some(texts.to_string())
}
