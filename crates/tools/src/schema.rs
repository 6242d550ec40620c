//! Schemas of arguments, spelled in as few tokens as say everything.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

/// Keys that say nothing that a model needs.
const SILENT: [&str; 4] = ["$schema", "title", "format", "default"];

/// The JSON schema of `A`, an object without references.
pub(crate) fn schema_of<A: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<A>().to_value();
    shorten(&mut schema);
    if let Value::Object(schema) = &mut schema {
        // What it is, the tool's own description says.
        schema.remove("description");
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

fn shorten(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let is_schema = object.get("properties").is_none_or(Value::is_object);
            if is_schema {
                SILENT.iter().for_each(|key| {
                    // A property may be called so.
                    if !object.get(*key).is_some_and(Value::is_object) {
                        object.shift_remove(*key);
                    }
                });
            }
            if object.get("minimum").is_some_and(|minimum| minimum.as_f64() == Some(0.0)) {
                object.shift_remove("minimum");
            }
            unwrap_nullable(object);
            object.values_mut().for_each(shorten);
        }
        Value::Array(values) => values.iter_mut().for_each(shorten),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// What is not required may be left away: that it may also be `null` need not be said.
fn unwrap_nullable(object: &mut Map<String, Value>) {
    let is_null = |value: &Value| value.as_str() == Some("null");
    if let Some(Value::Array(types)) = object.get_mut("type") {
        types.retain(|name| !is_null(name));
        if let [one] = types.as_slice() {
            let one = one.clone();
            object.insert("type".to_owned(), one);
        }
    }
    if let Some(Value::Array(values)) = object.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = object.get_mut("anyOf") {
        choices.retain(|choice| !choice.get("type").is_some_and(is_null));
        if let [Value::Object(one)] = choices.as_slice() {
            let one = one.clone();
            object.shift_remove("anyOf");
            object.extend(one);
        }
    }
}

/// Removes what is `null` of what the schema names. The schema is made only if it is needed.
pub(crate) fn remove_nulls(value: &mut Value, schema: impl FnOnce() -> Value) {
    if has_nulls(value) {
        remove_nulls_of(value, &schema());
    }
}

fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.values().any(|value| value.is_null() || has_nulls(value)),
        Value::Array(values) => values.iter().any(has_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The same where the schema of the value is known.
fn remove_nulls_of(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(object) => {
            let named = |name: &str| schema.get("properties").and_then(|all| all.get(name));
            // What is needed is then said to be missing.
            object.retain(|name, value| !value.is_null() || named(name).is_none());
            for (name, value) in object {
                remove_nulls_of(value, named(name).unwrap_or(&Value::Null));
            }
        }
        Value::Array(values) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            values.iter_mut().for_each(|value| remove_nulls_of(value, items));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
