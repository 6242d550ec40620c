//! The JSON Schema of the settings.

use std::sync::LazyLock;

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use crate::json_table::SCHEMA_PROPERTY;
use crate::user_settings::UserSettings;

static SETTINGS_SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
    });
    let schema = SchemaGenerator::new(settings).into_root_schema_for::<UserSettings>();
    let mut schema = schema.to_value();
    simplify(&mut schema);
    schema
});

/// Returns the schema of the settings in TOML.
pub(crate) fn settings_schema() -> &'static Value {
    &SETTINGS_SCHEMA
}

/// Returns a JSON Schema (2020-12) of the settings file.
pub fn json_schema() -> Value {
    let mut schema = settings_schema().clone();
    schema["properties"][SCHEMA_PROPERTY] =
        json!({ "type": "string", "description": "in JSON, for editors alone: this schema" });
    schema
}

/// Returns the schema of a property, also of one with any name; `None` if the name is unknown.
pub(crate) fn property_schema<'s>(schema: &'s Value, name: &str) -> Option<&'s Value> {
    let named = schema["properties"].get(name);
    named.or_else(|| schema.get("additionalProperties").filter(|any| any.is_object()))
}

/// Removes parts of a generated schema that say nothing to a reader: `null`, which no settings file
/// has, formats of numbers, and empty defaults. A setting may have the name of a keyword.
fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(schemas) => schemas.iter_mut().for_each(simplify),
        Value::Object(schema) => {
            remove_null(schema);
            unite_choices(schema);
            if schema.get("format").is_some_and(Value::is_string) {
                schema.shift_remove("format");
            }
            let default = schema.get("default");
            if default.is_some_and(|value| value.is_null() || *value == json!([])) {
                schema.shift_remove("default");
            }
            if let Some(Value::String(description)) = schema.get_mut("description") {
                *description = description.split_whitespace().collect::<Vec<_>>().join(" ");
            }
            schema.values_mut().for_each(simplify);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes `null` from the types and values of an optional value.
fn remove_null(schema: &mut Map<String, Value>) {
    let is_null = |value: &Value| value.is_null() || value == "null";
    for keyword in ["type", "enum"] {
        if let Some(Value::Array(values)) = schema.get_mut(keyword) {
            values.retain(|value| !is_null(value));
        }
    }
    if let Some(Value::Array(types)) = schema.get("type")
        && let [one] = &types[..]
    {
        let one = one.clone();
        schema.insert("type".to_owned(), one);
    }
}

/// Replaces alternatives of which one is `null` by the other, and described values by a list.
fn unite_choices(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(choices)) = schema.get("anyOf")
        && let [Value::Object(one), null] = &choices[..]
        && null["type"] == "null"
    {
        let one = one.clone();
        schema.shift_remove("anyOf");
        one.into_iter().for_each(|(keyword, value)| {
            schema.entry(keyword).or_insert(value);
        });
    }
    if let Some(Value::Array(choices)) = schema.get("oneOf") {
        let values = choices.iter().map(|choice| choice["const"].clone()).collect();
        schema.shift_remove("oneOf");
        schema.insert("enum".to_owned(), values);
    }
}
