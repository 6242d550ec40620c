//! The table of settings for others: a JSON Schema for editors, and a file to begin with.

use serde_json::{Value, json};

use super::keys::{Form, KEYS, Key, is_any, parts};

/// A JSON Schema (2020-12) of the file.
pub(crate) fn schema() -> Value {
    let mut root = table();
    for key in &KEYS {
        let (tables, last) = parts(key.name);
        let mut place = &mut root;
        for part in tables {
            place = inside(place, part, table);
        }
        inside(place, last, || of(key));
    }
    root["properties"]["$schema"] =
        json!({ "type": "string", "description": "in JSON, for editors alone: this schema" });
    root["$schema"] = json!("https://json-schema.org/draft/2020-12/schema");
    root["title"] = json!("foveal's settings");
    root
}

fn table() -> Value {
    json!({ "type": "object", "properties": {}, "additionalProperties": false })
}

/// What a table holds under a name, or under any.
fn inside<'a>(table: &'a mut Value, part: &str, new: impl FnOnce() -> Value) -> &'a mut Value {
    let place = match is_any(part) {
        true => &mut table["additionalProperties"],
        false => &mut table["properties"][part],
    };
    if !place.is_object() {
        *place = new();
    }
    place
}

fn of(key: &Key) -> Value {
    let mut of = match key.form {
        Form::YesNo => json!({ "type": "boolean" }),
        Form::Whole => json!({ "type": "integer", "minimum": 0 }),
        Form::Share => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
        Form::Text => json!({ "type": "string" }),
        Form::WholeOrText => json!({ "type": ["integer", "string"] }),
        Form::OneOf(texts) => json!({ "enum": texts }),
        Form::Texts => json!({ "type": "array", "items": { "type": "string" } }),
        Form::Tables => json!({ "type": "array", "items": { "type": "object" } }),
        Form::ByName => json!({ "type": "object", "additionalProperties": { "type": "object" } }),
    };
    of["description"] = json!(key.about);
    let usual = key.usual.and_then(|usual| usual.parse::<toml_edit::Value>().ok());
    let usual = usual.and_then(|usual| as_json(&usual));
    if let (Some(usual), Some(of)) = (usual, of.as_object_mut()) {
        of.insert("default".to_owned(), usual);
    }
    of
}

fn as_json(value: &toml_edit::Value) -> Option<Value> {
    match value {
        toml_edit::Value::String(text) => Some(json!(text.value())),
        toml_edit::Value::Integer(number) => Some(json!(number.value())),
        toml_edit::Value::Float(number) => Some(json!(number.value())),
        toml_edit::Value::Boolean(yes) => Some(json!(yes.value())),
        _ => None,
    }
}

/// A file in which every setting with a usual value stands behind a sign for comments.
pub(crate) fn template() -> String {
    let mut text =
        String::from("# Settings of foveal. `foveal config explain NAME` tells of each.\n");
    let mut tables: Vec<(&str, Vec<String>)> = Vec::new();
    for key in KEYS.iter().filter(|key| key.usual.is_some()) {
        let (table, last) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        let line = format!("# {last} = {}  # {}\n", key.usual.unwrap_or_default(), key.about);
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
