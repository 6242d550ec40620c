//! Edits of single settings in JSON. Order, indentation and empty lines are preserved.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstObject, CstRootNode};
use serde_json::{Map, Value};

use super::{BYTE_ORDER_MARK, SettingEditError, parse_value};
use crate::setting_keys::{SettingKey, split_name};

/// Returns the value of a setting as it would be written; `None` if it is not set.
///
/// # Errors
/// [`SettingEditError::NoJson`].
pub(crate) fn read_value(text: &str, name: &str) -> Result<Option<String>, SettingEditError> {
    let all = Value::Object(parse_object(text)?);
    let found = name.split('.').try_fold(&all, |value, part| value.get(part));
    Ok(found.map(|value| match value {
        Value::Object(_) => format!("{value:#}"),
        value => value.to_string(),
    }))
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
    parse_object(text)?;
    let value = to_cst_input(&parse_value(key, name, value)?);
    let root = parse_tree(text)?;
    let (tables, last) = split_name(name);
    let whole = || SettingEditError::NoTable("the whole".to_owned());
    let mut object = root.object_value_or_create().ok_or_else(whole)?;
    for part in tables {
        let no_object = || SettingEditError::NoTable(part.to_owned());
        object = object.object_value_or_create(part).ok_or_else(no_object)?;
    }
    match object.get(last) {
        Some(property) => property.set_value(value),
        None => drop(object.append(last, value)),
    }
    Ok(print_like(text, &root))
}

/// Returns the text without a setting; `None` if it is not set.
///
/// # Errors
/// [`SettingEditError::NoJson`].
pub(crate) fn remove_value(text: &str, name: &str) -> Result<Option<String>, SettingEditError> {
    parse_object(text)?;
    let root = parse_tree(text)?;
    let (mut tables, last) = split_name(name);
    let object = root.object_value();
    let object = object.and_then(|object| {
        tables.try_fold(object, |object: CstObject, part| object.object_value(part))
    });
    let Some(property) = object.and_then(|object| object.get(last)) else { return Ok(None) };
    property.remove();
    Ok(Some(print_like(text, &root)))
}

fn parse_object(text: &str) -> Result<Map<String, Value>, SettingEditError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    Ok(serde_json::from_str(text)?)
}

/// Parses a text, which is valid JSON, into a syntax tree that preserves it and can be edited.
fn parse_tree(text: &str) -> Result<CstRootNode, SettingEditError> {
    let text = text.trim_start_matches(BYTE_ORDER_MARK);
    CstRootNode::parse(text, &ParseOptions::default())
        .map_err(|_| SettingEditError::NoTable("the whole".to_owned()))
}

/// Prints a tree with the byte order mark of `text`, and with a final line break if `text` is
/// empty.
fn print_like(text: &str, root: &CstRootNode) -> String {
    let mut changed = root.to_string();
    if text.trim().is_empty() && !changed.ends_with('\n') {
        changed.push('\n');
    }
    match text.starts_with(BYTE_ORDER_MARK) {
        true => format!("{BYTE_ORDER_MARK}{changed}"),
        false => changed,
    }
}

/// Converts a value for insertion into a syntax tree. Settings of a single line are no tables.
fn to_cst_input(value: &toml_edit::Value) -> CstInputValue {
    match value {
        toml_edit::Value::String(text) => text.value().as_str().into(),
        toml_edit::Value::Boolean(boolean) => (*boolean.value()).into(),
        toml_edit::Value::Array(values) => {
            CstInputValue::Array(values.iter().map(to_cst_input).collect())
        }
        number => CstInputValue::Number(number.clone().decorated("", "").to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setting_keys::find_setting;
    use crate::settings_source::{SettingsSource, Syntax};

    #[test]
    fn what_stands_around_a_setting_stays() {
        let text = "{\n    \"file_read_small_threshold\": 150,\n\n    \"answers\": {\"tokens\": 9000}\n}\n";
        let set = |text: &str, name: &str, value: &str| {
            set_value(text, find_setting(name).expect(name), name, value).expect("it can be set")
        };
        assert_eq!(set(text, "answers.tokens", "5_000"), text.replace("9000", "5000"));
        let more = set(text, "duplicates.tools.grep.detect", "no");
        assert!(more.starts_with("{\n    \"file_read_small_threshold\": 150,\n\n    \"answers\""));
        assert_eq!(
            read_value(&more, "duplicates.tools.grep.detect").unwrap().as_deref(),
            Some("false")
        );
        let found = SettingsSource { text: &more, syntax: Syntax::Json }
            .matching_names(find_setting("duplicates.tools.x.detect").expect("any"))
            .expect("JSON");
        assert_eq!(found, ["duplicates.tools.grep.detect"]);
        let without =
            remove_value(text, "file_read_small_threshold").expect("JSON").expect("it was set");
        assert!(!without.contains("150") && without.contains("\"answers\": {\"tokens\": 9000}"));
        assert_eq!(remove_value(text, "gateway.profile").expect("JSON"), None);
        let new = set("", "web.private_hosts", "localhost:3000");
        assert_eq!(
            read_value(&new, "web.private_hosts").unwrap().as_deref(),
            Some("[\"localhost:3000\"]")
        );
        let marked = set(&format!("\u{feff}{text}"), "curator", "auto");
        assert!(marked.starts_with("\u{feff}{") && marked.contains("\"curator\": \"auto\""));
    }
}
