//! Single settings in the text of the file: what is set, and the text with another value.

use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};

use super::keys::{Form, Key, is_any};

/// Why a setting cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The file is no TOML.
    #[error(transparent)]
    NoToml(#[from] toml_edit::TomlError),
    /// The value is not of the setting's form.
    #[error("`{value}` is no value for `{name}`, which takes: {expected}")]
    Value {
        /// The value as given.
        value: String,
        /// The setting.
        name: String,
        /// What it takes.
        expected: String,
    },
    /// It is written in tables.
    #[error("`{0}` is written in tables of its own: `foveal config edit` opens the file")]
    Tables(String),
    /// Something else stands where its table would.
    #[error("`{0}` in the file is no table")]
    NoTable(String),
}

/// What is set, as it would be written; `None`: nothing is.
///
/// # Errors
/// [`ChangeError::NoToml`].
pub(crate) fn value(text: &str, name: &str) -> Result<Option<String>, ChangeError> {
    let document: DocumentMut = text.parse()?;
    let mut item = document.as_item();
    for part in name.split('.') {
        match item.as_table_like().and_then(|table| table.get(part)) {
            Some(found) => item = found,
            None => return Ok(None),
        }
    }
    Ok(Some(match item.as_value() {
        Some(value) => value.clone().decorated("", "").to_string(),
        None => {
            let mut alone = DocumentMut::new();
            alone.insert(name, item.clone());
            alone.to_string().trim().to_owned()
        }
    }))
}

/// The names under which a setting is set: its own, or those that a part in capitals stands for.
///
/// # Errors
/// [`ChangeError::NoToml`].
pub(crate) fn names(text: &str, key: &Key) -> Result<Vec<String>, ChangeError> {
    let document: DocumentMut = text.parse()?;
    let mut found: Vec<(String, &Item)> = vec![(String::new(), document.as_item())];
    for part in key.name.split('.') {
        let mut next = Vec::new();
        for (name, item) in found {
            let Some(table) = item.as_table_like() else { continue };
            for (own, item) in table.iter().filter(|(own, _)| is_any(part) || *own == part) {
                let dot = if name.is_empty() { "" } else { "." };
                next.push((format!("{name}{dot}{own}"), item));
            }
        }
        found = next;
    }
    Ok(found.into_iter().map(|(name, _)| name).collect())
}

/// The text with another value of a setting; everything else in it stays as it is.
///
/// # Errors
/// All of [`ChangeError`].
pub(crate) fn set(text: &str, key: &Key, name: &str, value: &str) -> Result<String, ChangeError> {
    let mut document: DocumentMut = text.parse()?;
    let mut value = written(key, name, value)?;
    let (tables, last) = name.rsplit_once('.').unwrap_or(("", name));
    let table = table(document.as_table_mut(), tables)?;
    if let Some(before) = table.get(last).and_then(Item::as_value) {
        *value.decor_mut() = before.decor().clone();
    }
    table.insert(last, Item::Value(value));
    Ok(document.to_string())
}

/// The text without a setting; `None` if it is not set.
///
/// # Errors
/// [`ChangeError::NoToml`].
pub(crate) fn unset(text: &str, name: &str) -> Result<Option<String>, ChangeError> {
    let mut document: DocumentMut = text.parse()?;
    let (tables, last) = name.rsplit_once('.').unwrap_or(("", name));
    let mut table: &mut dyn TableLike = document.as_table_mut();
    for part in tables.split('.').filter(|part| !part.is_empty()) {
        match table.get_mut(part).and_then(Item::as_table_like_mut) {
            Some(found) => table = found,
            None => return Ok(None),
        }
    }
    Ok(table.remove(last).map(|_| document.to_string()))
}

/// The table of this name, made where it is not there.
fn table<'a>(root: &'a mut Table, name: &str) -> Result<&'a mut dyn TableLike, ChangeError> {
    let mut table: &mut dyn TableLike = root;
    for part in name.split('.').filter(|part| !part.is_empty()) {
        let new = || {
            let mut table = Table::new();
            // A table that holds nothing but others has no line of its own.
            table.set_implicit(true);
            Item::Table(table)
        };
        let item = table.entry(part).or_insert_with(new);
        table = item.as_table_like_mut().ok_or_else(|| ChangeError::NoTable(part.to_owned()))?;
    }
    Ok(table)
}

/// A value as it is given on a command line.
fn written(key: &Key, name: &str, text: &str) -> Result<Value, ChangeError> {
    let plain = text.trim();
    let number = || plain.replace('_', "").parse::<i64>().ok();
    let value = match key.form {
        Form::YesNo => match plain.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" => Some(Value::from(true)),
            "false" | "no" | "off" => Some(Value::from(false)),
            _ => None,
        },
        Form::Whole => number().map(Value::from),
        Form::Share => plain.parse::<f64>().ok().map(Value::from),
        Form::Text => Some(Value::from(text)),
        Form::WholeOrText => Some(number().map_or_else(|| Value::from(text), Value::from)),
        Form::OneOf(texts) => texts.contains(&plain).then(|| Value::from(plain)),
        Form::Texts if plain.starts_with('[') => plain
            .parse::<Value>()
            .ok()
            .filter(|value| value.as_array().is_some_and(|all| all.iter().all(Value::is_str))),
        Form::Texts => Some(Value::Array(Array::from_iter([plain]))),
        Form::Tables => return Err(ChangeError::Tables(name.to_owned())),
    };
    value.ok_or_else(|| ChangeError::Value {
        value: text.to_owned(),
        name: name.to_owned(),
        expected: key.expected(),
    })
}
