//! The table of settings in other forms: a JSON Schema for editors, and a template file.

use serde_json::{Value, json};

use super::setting_keys::{SETTING_KEYS, SettingKey, SettingType, is_placeholder, split_name};

/// Returns a JSON Schema (2020-12) of the settings file.
pub(crate) fn json_schema() -> Value {
    let mut root = table_schema();
    for key in &SETTING_KEYS {
        let (tables, last) = split_name(key.name);
        let mut place = &mut root;
        for part in tables {
            place = property_schema(place, part, table_schema);
        }
        property_schema(place, last, || value_schema(key));
    }
    root["properties"]["$schema"] =
        json!({ "type": "string", "description": "in JSON, for editors alone: this schema" });
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("foveal's settings");
    root
}

fn table_schema() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// Returns the schema of a name in a table, or of any name for a placeholder. A missing schema is
/// created.
fn property_schema<'a>(
    table: &'a mut Value,
    part: &str,
    new: impl FnOnce() -> Value,
) -> &'a mut Value {
    let place = match is_placeholder(part) {
        true => &mut table["additionalProperties"],
        false => &mut table["properties"][part],
    };
    if !place.is_object() {
        *place = new();
    }
    place
}

fn value_schema(key: &SettingKey) -> Value {
    let mut of = match key.value_type {
        SettingType::Boolean => json!({ "type": "boolean" }),
        SettingType::Integer => json!({ "type": "integer", "minimum": 0 }),
        SettingType::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        SettingType::Text => json!({ "type": "string" }),
        SettingType::IntegerOrText => json!({ "type": ["integer", "string"] }),
        SettingType::Choice(texts) => json!({ "enum": texts }),
        SettingType::TextList => json!({ "type": "array", "items": { "type": "string" } }),
        SettingType::Tables => json!({ "type": "array", "items": { "type": "object" } }),
        SettingType::NamedTables => {
            json!({ "type": "object", "additionalProperties": { "type": "object" } })
        }
    };
    of["description"] = json!(key.description);
    let usual = key.default_value.and_then(|usual| usual.parse::<toml_edit::Value>().ok());
    let usual = usual.and_then(|usual| default_json(&usual));
    if let (Some(usual), Some(of)) = (usual, of.as_object_mut()) {
        of.insert("default".to_owned(), usual);
    }
    of
}

fn default_json(value: &toml_edit::Value) -> Option<Value> {
    match value {
        toml_edit::Value::String(text) => Some(json!(text.value())),
        toml_edit::Value::Integer(number) => Some(json!(number.value())),
        toml_edit::Value::Float(number) => Some(json!(number.value())),
        toml_edit::Value::Boolean(yes) => Some(json!(yes.value())),
        _ => None,
    }
}

/// Returns a settings file in which every setting with a default is a comment.
pub(crate) fn settings_template() -> String {
    let mut text =
        String::from("# Settings of foveal. `foveal config explain NAME` tells of each.\n");
    let mut tables: Vec<(&str, Vec<String>)> = Vec::new();
    for key in SETTING_KEYS.iter().filter(|key| key.default_value.is_some()) {
        let (table, last) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        let line = format!(
            "# {last} = {}  # {}\n",
            key.default_value.unwrap_or_default(),
            key.description
        );
        match tables.iter_mut().find(|(name, _)| *name == table) {
            Some((_, lines)) => lines.push(line),
            None => tables.push((table, vec![line])),
        }
    }
    for (table, lines) in tables {
        text += &if table.is_empty() { "\n".to_owned() } else { format!("\n[{table}]\n") };
        text += &lines.concat();
    }
    text
}
