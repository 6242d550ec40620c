//! The same in JSON: order, indents and empty lines stay as they are.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::{BYTE_ORDER_MARK, ChangeError, names_in, written};
use crate::clients::json_input;
use crate::user_settings::keys::{Key, parts};

/// What is set, as it would be written; `None`: nothing is.
///
/// # Errors
/// [`ChangeError::NoJson`].
pub(crate) fn value(text: &str, name: &str) -> Result<Option<String>, ChangeError> {
    let all = Value::Object(parsed(text)?);
    let found = name.split('.').try_fold(&all, |value, part| value.get(part));
    Ok(found.map(|value| match value {
        Value::Object(_) => format!("{value:#}"),
        value => value.to_string(),
    }))
}

/// The names under which a setting is set: its own, or those that a part in capitals stands for.
///
/// # Errors
/// [`ChangeError::NoJson`].
pub(crate) fn names(text: &str, key: &Key) -> Result<Vec<String>, ChangeError> {
    let all = Value::Object(parsed(text)?);
    let inside = |value| {
        let object = Value::as_object(value).into_iter().flatten();
        object.map(|(name, value)| (name.as_str(), value))
    };
    Ok(names_in(key, &all, inside))
}

/// The text with another value of a setting; everything else in it stays as it is.
///
/// # Errors
/// All of [`ChangeError`].
pub(crate) fn set(text: &str, key: &Key, name: &str, value: &str) -> Result<String, ChangeError> {
    parsed(text)?;
    let value = json_input(&as_json(&written(key, name, value)?));
    let root = root(text)?;
    let (tables, last) = parts(name);
    let whole = || ChangeError::NoTable("the whole".to_owned());
    let mut object = root.object_value_or_create().ok_or_else(whole)?;
    for part in tables {
        let no_object = || ChangeError::NoTable(part.to_owned());
        object = object.object_value_or_create(part).ok_or_else(no_object)?;
    }
    match object.get(last) {
        Some(property) => property.set_value(value),
        None => drop(object.append(last, value)),
    }
    Ok(as_before(text, &root))
}

/// The text without a setting; `None` if it is not set.
///
/// # Errors
/// [`ChangeError::NoJson`].
pub(crate) fn unset(text: &str, name: &str) -> Result<Option<String>, ChangeError> {
    parsed(text)?;
    let root = root(text)?;
    let (mut tables, last) = parts(name);
    let object = root.object_value();
    let object = object.and_then(|object| {
        tables.try_fold(object, |object: CstObject, part| object.object_value(part))
    });
    let Some(property) = object.and_then(|object| object.get(last)) else { return Ok(None) };
    property.remove();
    Ok(Some(as_before(text, &root)))
}

fn parsed(text: &str) -> Result<Map<String, Value>, ChangeError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    Ok(serde_json::from_str(text)?)
}

/// The text as it is written, with what can be changed in it. That it is JSON is known by now.
fn root(text: &str) -> Result<CstRootNode, ChangeError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|_| ChangeError::NoTable("the whole".to_owned()))
}

/// The changed text with the mark that it began with, and a line's end where it is new.
fn as_before(text: &str, root: &CstRootNode) -> String {
    let mut changed = root.to_string();
    if text.trim().is_empty() && !changed.ends_with('\n') {
        changed.push('\n');
    }
    match text.starts_with(BYTE_ORDER_MARK) {
        true => format!("{BYTE_ORDER_MARK}{changed}"),
        false => changed,
    }
}

fn as_json(value: &toml_edit::Value) -> Value {
    match value {
        toml_edit::Value::String(text) => text.value().clone().into(),
        toml_edit::Value::Integer(number) => (*number.value()).into(),
        toml_edit::Value::Float(number) => (*number.value()).into(),
        toml_edit::Value::Boolean(yes) => (*yes.value()).into(),
        toml_edit::Value::Datetime(time) => time.value().to_string().into(),
        toml_edit::Value::Array(all) => all.iter().map(as_json).collect(),
        toml_edit::Value::InlineTable(all) => {
            all.iter().map(|(name, value)| (name.to_owned(), as_json(value))).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::user_settings::keys::named;

    #[test]
    fn what_stands_around_a_setting_stays() {
        let text = "{\n    \"file_read_small_threshold\": 150,\n\n    \"answers\": {\"tokens\": 9000}\n}\n";
        let set = |text: &str, name: &str, value: &str| {
            set(text, named(name).expect(name), name, value).expect("it can be set")
        };
        assert_eq!(set(text, "answers.tokens", "5_000"), text.replace("9000", "5000"));
        let more = set(text, "duplicates.tools.grep.detect", "no");
        assert!(more.starts_with("{\n    \"file_read_small_threshold\": 150,\n\n    \"answers\""));
        assert_eq!(value(&more, "duplicates.tools.grep.detect").unwrap().as_deref(), Some("false"));
        let found = names(&more, named("duplicates.tools.x.detect").expect("any")).expect("JSON");
        assert_eq!(found, ["duplicates.tools.grep.detect"]);
        let without = unset(text, "file_read_small_threshold").expect("JSON").expect("it was set");
        assert!(!without.contains("150") && without.contains("\"answers\": {\"tokens\": 9000}"));
        assert_eq!(unset(text, "gateway.profile").expect("JSON"), None);
        let new = set("", "web.private_hosts", "localhost:3000");
        assert_eq!(
            value(&new, "web.private_hosts").unwrap().as_deref(),
            Some("[\"localhost:3000\"]")
        );
        let marked = set(&format!("\u{feff}{text}"), "curator", "auto");
        assert!(marked.starts_with("\u{feff}{") && marked.contains("\"curator\": \"auto\""));
    }
}
