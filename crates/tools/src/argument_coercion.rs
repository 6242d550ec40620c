//! Argument values in the forms that some clients send: integers with a fraction of zero, and
//! numbers, booleans, arrays and objects as JSON in a string.

use foveal_tool_effects::whole_number;
use serde_json::Value;

use crate::unique_keys::UniqueKeys;

/// Converts values to the types that the schema demands, where the meaning is clear. All other
/// values stay as they are, and the tool reports the type that it expects. The schema is generated
/// only if it is needed.
pub(crate) fn coerce_arguments(arguments: &mut Value, schema: impl FnOnce() -> Value) {
    if has_candidates(arguments) {
        coerce_with_schema(arguments, &schema());
    }
}

/// Returns whether a value may have another type than its schema demands.
fn has_candidates(value: &Value) -> bool {
    match value {
        Value::Object(object) => object.values().any(has_candidates),
        Value::Array(values) => values.iter().any(has_candidates),
        Value::Number(number) => number.is_f64(),
        Value::String(text) => {
            let text = text.trim_start();
            text.starts_with(['[', '{', '-'])
                || text.starts_with(|c: char| c.is_ascii_digit())
                || matches!(text.trim_end(), "true" | "false")
        }
        Value::Null | Value::Bool(_) => false,
    }
}

fn coerce_with_schema(value: &mut Value, schema: &Value) {
    let wanted = schema.get("type").and_then(Value::as_str).unwrap_or_default();
    if let Some(other) = coerced_value(value, wanted) {
        *value = other;
    }
    match value {
        Value::Object(object) => {
            let properties = schema.get("properties");
            for (name, value) in object {
                let schema = properties.and_then(|all| all.get(name)).unwrap_or(&Value::Null);
                coerce_with_schema(value, schema);
            }
        }
        Value::Array(values) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            values.iter_mut().for_each(|value| coerce_with_schema(value, items));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns the value of the wanted type that `value` encodes, unless it has that type already.
fn coerced_value(value: &Value, wanted: &str) -> Option<Value> {
    match (value, wanted) {
        (Value::Number(number), "integer") if number.is_f64() => {
            whole_number(value).map(Value::from)
        }
        (Value::String(text), "integer") => {
            let inner = parse_json(text).filter(Value::is_number)?;
            whole_number(&inner).map(Value::from)
        }
        (Value::String(text), "number") => parse_json(text).filter(Value::is_number),
        (Value::String(text), "boolean") => parse_json(text).filter(Value::is_boolean),
        (Value::String(text), "array") => parse_json(text).filter(Value::is_array),
        (Value::String(text), "object") => parse_json(text).filter(Value::is_object),
        _ => None,
    }
}

/// Parses JSON. An object with a duplicate key is rejected, because its meaning is ambiguous.
fn parse_json(text: &str) -> Option<Value> {
    serde_json::from_str::<UniqueKeys>(text).ok()?;
    serde_json::from_str(text).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::tool_table::find_tool;

    fn check(tool: &str, given: &Value, expected: &Value) {
        let tool = find_tool(tool).expect("a tool");
        assert_eq!(&tool.normalize_arguments(given), expected, "{} {given}", tool.name);
    }

    fn check_left(tool: &str, given: &Value) {
        check(tool, given, given);
        let tool = find_tool(tool).expect("a tool");
        assert!(tool.parse(tool.normalize_arguments(given)).is_err(), "{} {given}", tool.name);
    }

    #[test]
    fn values_get_the_type_that_the_schema_wants() {
        let lines = json!({"path": "a", "start": 1, "end": 20});
        check("read_lines", &json!({"path": "a", "start": 1.0, "end": 2e1}), &lines);
        check("read_lines", &json!({"path": "a", "start_line": "1", "end": "20.0"}), &lines);
        check("read_lines", &json!("{\"path\": \"a\", \"start\": 1, \"end\": 20.0}"), &lines);
        let grep = json!({"pattern": "1.0", "ignore_case": true, "context": 2});
        check("grep", &json!({"pattern": "1.0", "-i": "true", "-C": 2.0}), &grep);
        check(
            "bash",
            &json!({"command": "a", "timeout": "2.5"}),
            &json!({"command": "a", "timeout": 2.5}),
        );
        let paths = json!({"paths": ["a", "[1]"]});
        check("read_files", &json!({"paths": "[\"a\", \"[1]\"]"}), &paths);
        check("focus", &json!({"paths": "[]"}), &json!({"paths": []}));
        let edit = json!({"path": "a", "old_str": "[1]", "new_str": "2", "replace_all": true});
        let edits = json!({"edits": [edit]});
        let other =
            json!({"file_path": "a", "old_string": "[1]", "new_string": "2", "replaceAll": "true"});
        check("multi_edit", &json!({"edits": [other.to_string()]}), &edits);
        check("multi_edit", &json!({"edits": json!([other]).to_string()}), &edits);
        check("multi_edit", &json!({"edits": json!([other.to_string()]).to_string()}), &edits);
    }

    #[test]
    fn texts_stay_texts() {
        for text in ["[1]", "{}", "true", "1", "1.0", "null"] {
            let given = json!({"path": text, "content": text});
            check("write_file", &given, &given);
            let given = json!({"edits": [{"path": text, "old_str": text, "new_str": text}]});
            check("multi_edit", &given, &given);
        }
    }

    #[test]
    fn what_can_mean_several_things_is_left_to_the_tool() {
        check_left("read_lines", &json!({"path": "a", "start": 1.5, "end": 2}));
        check_left("read_lines", &json!({"path": "a", "start": "one", "end": 2}));
        check_left("read_lines", &json!({"path": "a", "start": "1 2", "end": 2}));
        check_left("read_lines", &json!({"path": "a", "start": 1e300, "end": 2}));
        check_left("read_files", &json!({"paths": "a.py"}));
        check_left("read_files", &json!({"paths": "[a].py"}));
        check_left("grep", &json!({"pattern": "a", "ignore_case": "yes"}));
        let twice = "[{\"path\":\"a\",\"path\":\"b\",\"old_str\":\"1\",\"new_str\":\"2\"}]";
        check_left("multi_edit", &json!({"edits": twice}));
    }
}
