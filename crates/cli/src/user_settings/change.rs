//! Single settings in the text of the file: what is set, and the text with another value.

pub(crate) mod json;

use toml_edit::{Array, DocumentMut, Item, RawString, Table, TableLike, Value};

use super::keys::{Form, Key, is_any, parts};
use super::written::is_host;

/// Why a setting cannot be changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChangeError {
    /// The file is no TOML.
    #[error(transparent)]
    NoToml(#[from] toml_edit::TomlError),
    /// The file is no JSON.
    #[error(transparent)]
    NoJson(#[from] serde_json::Error),
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
    let document = parsed(text)?;
    let mut item = document.as_item();
    for part in name.split('.') {
        match item.as_table_like().and_then(|table| table.get(part)) {
            Some(found) => item = found,
            None => return Ok(None),
        }
    }
    Ok(Some(match item.as_value() {
        Some(value) => value.clone().decorated("", "").to_string(),
        None => alone(name, item),
    }))
}

/// An item that is written in tables, with those above it.
fn alone(name: &str, item: &Item) -> String {
    let mut document = DocumentMut::new();
    let (tables, last) = parts(name);
    if let Ok(table) = table(document.as_table_mut(), tables) {
        table.insert(last, item.clone());
    }
    document.to_string().trim().to_owned()
}

/// The names under which a setting is set: its own, or those that a part in capitals stands for.
///
/// # Errors
/// [`ChangeError::NoToml`].
pub(crate) fn names(text: &str, key: &Key) -> Result<Vec<String>, ChangeError> {
    let document = parsed(text)?;
    let inside = |item| Item::as_table_like(item).into_iter().flat_map(TableLike::iter);
    Ok(names_in(key, document.as_item(), inside))
}

/// The names under which a setting is set, in what has names inside.
fn names_in<'v, V, I: Iterator<Item = (&'v str, &'v V)>>(
    key: &Key,
    whole: &'v V,
    inside: impl Fn(&'v V) -> I,
) -> Vec<String> {
    let mut found = vec![(String::new(), whole)];
    for part in key.name.split('.') {
        let mut next = Vec::new();
        for (name, value) in found {
            for (own, value) in inside(value).filter(|(own, _)| is_any(part) || *own == part) {
                let dot = if name.is_empty() { "" } else { "." };
                next.push((format!("{name}{dot}{own}"), value));
            }
        }
        found = next;
    }
    found.into_iter().map(|(name, _)| name).collect()
}

/// The text with another value of a setting; everything else in it stays as it is.
///
/// # Errors
/// All of [`ChangeError`].
pub(crate) fn set(text: &str, key: &Key, name: &str, value: &str) -> Result<String, ChangeError> {
    let mut document = parsed(text)?;
    let mut value = written(key, name, value)?;
    let (tables, last) = parts(name);
    let table = table(document.as_table_mut(), tables)?;
    // To insert anew would take away what stands above the name.
    match table.get_mut(last) {
        Some(item) => {
            if let Some(before) = item.as_value() {
                *value.decor_mut() = before.decor().clone();
            }
            *item = Item::Value(value);
        }
        None => drop(table.insert(last, Item::Value(value))),
    }
    Ok(as_before(text, &document))
}

/// The text without a setting; `None` if it is not set.
///
/// # Errors
/// [`ChangeError::NoToml`].
pub(crate) fn unset(text: &str, name: &str) -> Result<Option<String>, ChangeError> {
    let mut document = parsed(text)?;
    let (tables, last) = parts(name);
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
        keep_above(table, kept);
    }
    Ok(Some(as_before(text, &document)))
}

/// Puts what stood above a setting, up to the last empty line, above the one that comes next: the
/// rest was about what is gone.
fn keep_above(table: &mut dyn TableLike, kept: &str) {
    let next = table.iter().next().map(|(name, _)| name.to_owned());
    let Some(mut key) = next.as_deref().and_then(|name| table.key_mut(name)) else { return };
    let decor = key.leaf_decor_mut();
    let own = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
    let all = format!("{kept}{own}");
    decor.set_prefix(all);
}

/// The document, without the mark that some editors begin a file with.
fn parsed(text: &str) -> Result<DocumentMut, ChangeError> {
    Ok(text.trim_start_matches(BYTE_ORDER_MARK).parse()?)
}

/// The document with that mark and the line ends of the text.
fn as_before(text: &str, document: &DocumentMut) -> String {
    let mut changed = document.to_string();
    if text.contains("\r\n") {
        changed = changed.replace("\r\n", "\n").replace('\n', "\r\n");
    }
    match text.starts_with(BYTE_ORDER_MARK) {
        true => format!("{BYTE_ORDER_MARK}{changed}"),
        false => changed,
    }
}

const BYTE_ORDER_MARK: char = '\u{feff}';

/// The table in these tables, made where it is not there.
fn table<'a, 'n>(
    root: &'a mut Table,
    names: impl Iterator<Item = &'n str>,
) -> Result<&'a mut dyn TableLike, ChangeError> {
    let mut table: &mut dyn TableLike = root;
    for part in names {
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
        Form::Texts => list(plain).map(Value::Array),
        Form::Tables | Form::ByName => return Err(ChangeError::Tables(name.to_owned())),
    };
    value.ok_or_else(|| ChangeError::Value {
        value: text.to_owned(),
        name: name.to_owned(),
        expected: key.expected(),
    })
}

/// A list of texts as it is given, or one text as a list of it alone.
fn list(text: &str) -> Option<Array> {
    match text.parse::<Value>() {
        Ok(Value::Array(list)) => {
            let is_of_texts = list.iter().all(Value::is_str);
            is_of_texts.then_some(list)
        }
        // `[::1]:80` is a text.
        _ if text.starts_with('[') && !is_host(text) => None,
        _ => (!text.is_empty()).then(|| Array::from_iter([text])),
    }
}

/// A value, as it is set, in a line from which [`set`] makes the same again; `None`: none does.
pub(crate) fn line(key: &Key, set: &str) -> Option<String> {
    let value: Value = set.parse().ok()?;
    let line = match &value {
        Value::String(text) => text.value().clone(),
        Value::Array(list) => list_line(list)?,
        value => value.clone().decorated("", "").to_string(),
    };
    let again = written(key, key.name, &line).ok()?;
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

/// A list of texts in one line; `None` if it has others, or comments, which would be lost.
fn list_line(list: &Array) -> Option<String> {
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
