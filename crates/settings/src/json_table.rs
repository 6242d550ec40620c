//! Settings in JSON as a table with the positions of the text: both formats share one reader and one
//! set of checks.

use std::borrow::Cow;

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

use crate::parse_error::{SettingsParseError, line_number};

/// The property with the schema, which only serves editors.
pub(crate) const SCHEMA_PROPERTY: &str = "$schema";

/// Parses JSON without a byte order mark.
///
/// # Errors
/// If the text is not a JSON object, with the line.
pub(crate) fn parse_json_table(text: &str) -> Result<Spanned<DeTable<'_>>, SettingsParseError> {
    if text.trim().is_empty() {
        return Ok(Spanned::new(0..0, DeTable::new()));
    }
    // The other parser also accepts comments and trailing commas.
    if let Err(error) = serde_json::from_str::<serde_json::Value>(text) {
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        let reason = format!("invalid JSON: {reason}");
        return Err(SettingsParseError::at_line(error.line(), reason));
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default());
    match parsed.map(|parsed| parsed.value) {
        Ok(Some(Value::Object(mut object))) => {
            object.properties.retain(|property| {
                let is_text = property.value.as_string_lit().is_some();
                property.name.as_str() != SCHEMA_PROPERTY || !is_text
            });
            Ok(Spanned::new(0..text.len(), convert_object(object, text)?))
        }
        Ok(_) => Err(SettingsParseError::at_line(1, "settings in JSON must be one object: { … }")),
        Err(error) => {
            let line = line_number(text, error.range().start);
            Err(SettingsParseError::at_line(line, format!("invalid JSON: {}", error.kind())))
        }
    }
}

fn convert_object<'a>(object: Object<'a>, text: &str) -> Result<DeTable<'a>, SettingsParseError> {
    let mut table = DeTable::new();
    for property in object.properties {
        let range = property.name.range();
        let name: Cow<'a, str> = property.name.into_string().into();
        if table.contains_key(&*name) {
            return Err(SettingsParseError::at_line(
                line_number(text, range.start),
                format!("duplicate key `{name}`"),
            ));
        }
        let value = convert_value(property.value, text)?;
        table.insert(Spanned::new(range.start..range.end, name), value);
    }
    Ok(table)
}

fn convert_value<'a>(
    value: Value<'a>,
    text: &str,
) -> Result<Spanned<DeValue<'a>>, SettingsParseError> {
    let range = value.range();
    let fail =
        |message: &str| Err(SettingsParseError::at_line(line_number(text, range.start), message));
    let converted = match value {
        Value::StringLit(string) => DeValue::String(string.value),
        Value::BooleanLit(boolean) => DeValue::Boolean(boolean.value),
        Value::NumberLit(number) => match DeValue::parse(number.value) {
            Ok(number) => number.into_inner(),
            Err(_) => return fail("this number is out of range for a setting"),
        },
        Value::Object(object) => DeValue::Table(convert_object(object, text)?),
        Value::Array(array) => {
            let mut values = DeArray::new();
            for element in array.elements {
                values.push(convert_value(element, text)?);
            }
            DeValue::Array(values)
        }
        Value::NullKeyword(_) => return fail("null is not a value: remove its key"),
    };
    Ok(Spanned::new(range.start..range.end, converted))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(table: &DeTable<'_>) -> Vec<String> {
        table.keys().map(|name| name.get_ref().to_string()).collect()
    }

    #[test]
    fn positions_stay_and_strings_say_the_same() {
        let json = "{\r\n  \"a\\/b\": \"\\ud83d\\ude00 \\u007f \\\"\\\\\",\n  \"c\": [1, true, {}, -2.5e1]\n}\n";
        let table = parse_json_table(json).expect("it is JSON").into_inner();
        assert_eq!(table["a/b"].get_ref().as_str(), Some("\u{1f600} \u{7f} \"\\"));
        let list = table["c"].get_ref().as_array().expect("a list");
        assert_eq!(list.len(), 4);
        assert_eq!(&json[list[0].span()], "1");
        assert_eq!(line_number(json, table["c"].span().start), 3);
        assert!(parse_json_table(" \n").expect("nothing is set").get_ref().is_empty());
    }

    #[test]
    fn the_schema_for_editors_is_left_out_at_the_top_alone() {
        for (json, left) in [
            ("{\n\"$schema\"\n: \"a\\\"b,\"\n,\n\"a\": 1}", vec!["a"]),
            ("{\"a\": \"$schema\",\n\"$schema\": \"x\"\n}", vec!["a"]),
            ("{\"$schema\": \"x\"}", vec![]),
            ("{\"$schema\": 1}", vec!["$schema"]),
            (
                "{\"a\": {\"$schema\": \"x\"}, \"$schema\": \"x\", \"b\": [\"$schema\"]}",
                vec!["a", "b"],
            ),
        ] {
            let table = parse_json_table(json).expect("it is JSON").into_inner();
            assert_eq!(names(&table), left, "{json}");
            let inner = table.get("a").and_then(|a| a.get_ref().as_table());
            assert_eq!(
                inner.is_some_and(|inner| inner.contains_key("$schema")),
                json.contains("{\"a\": {")
            );
        }
    }

    #[test]
    fn what_is_no_object_of_json_is_told_with_its_line() {
        for (json, told) in [
            ("{\n  \"a\": 1,\n}", "line 3: invalid JSON: trailing comma"),
            ("{\n// why\n}", "line 2: invalid JSON"),
            ("[]", "one object"),
            ("{\n\"a\":\nnull}", "line 3: null is not a value"),
            ("{\"a\": \"\\ud83d\"}", "line 1: invalid JSON"),
            ("{\n\"a\": 1,\n\"a\": 2}", "line 3: duplicate key `a`"),
        ] {
            let error = parse_json_table(json).expect_err(json).to_string();
            assert!(error.contains(told), "{json}: {error}");
        }
    }
}
