//! JSON schemas of arguments, in as few tokens as possible.

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

/// Schema keys without use for a model.
const OMITTED_KEYS: [&str; 4] = ["$schema", "title", "format", "default"];

/// Returns the JSON schema of `A`, an object without references.
pub(crate) fn schema_of<A: JsonSchema>() -> Value {
    let settings = schemars::generate::SchemaSettings::draft07().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = SchemaGenerator::new(settings).into_root_schema_for::<A>().to_value();
    shorten_schema(&mut schema);
    if let Value::Object(schema) = &mut schema {
        // The tool has a description of its own.
        schema.remove("description");
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

fn shorten_schema(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            let is_schema = object.get("properties").is_none_or(Value::is_object);
            if is_schema {
                OMITTED_KEYS.iter().for_each(|key| {
                    // A property may have the name of a key.
                    if !object.get(*key).is_some_and(Value::is_object) {
                        object.shift_remove(*key);
                    }
                });
            }
            if object.get("minimum").is_some_and(|minimum| minimum.as_f64() == Some(0.0)) {
                object.shift_remove("minimum");
            }
            unwrap_nullable(object);
            object.values_mut().for_each(shorten_schema);
        }
        Value::Array(values) => values.iter_mut().for_each(shorten_schema),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Removes `null` from the types of optional values, since an absent value says the same.
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

/// Removes `null` values of properties in the schema. The schema is generated only if it is needed.
pub(crate) fn remove_nulls(value: &mut Value, schema: impl FnOnce() -> Value) {
    if has_nulls(value) {
        remove_nulls_with_schema(value, &schema());
    }
}

fn has_nulls(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.values().any(|value| value.is_null() || has_nulls(value)),
        Value::Array(values) => values.iter().any(has_nulls),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Removes `null` values of properties in this schema.
fn remove_nulls_with_schema(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(object) => {
            let named = |name: &str| schema.get("properties").and_then(|all| all.get(name));
            // A missing required value is reported when the arguments are parsed.
            object.retain(|name, value| !value.is_null() || named(name).is_none());
            for (name, value) in object {
                remove_nulls_with_schema(value, named(name).unwrap_or(&Value::Null));
            }
        }
        Value::Array(values) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            values.iter_mut().for_each(|value| remove_nulls_with_schema(value, items));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests;
