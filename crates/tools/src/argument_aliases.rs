//! Aliases of argument names that models know from other agents' tools and use here as well.

use serde_json::{Map, Value};

/// The name of an argument here, and its names elsewhere. A value means the same under each.
const ARGUMENT_ALIASES: &[(&str, &[&str])] = &[
    ("path", &["file_path", "filePath", "absolute_path", "target_file", "file", "filename"]),
    ("old_str", &["old_string", "oldString", "old_text"]),
    ("new_str", &["new_string", "newString", "new_text"]),
    ("replace_all", &["replaceAll"]),
    ("content", &["contents", "file_text"]),
    ("command", &["cmd"]),
    ("intent", &["description", "explanation"]),
    ("pattern", &["regex"]),
    ("glob", &["include"]),
    ("ignore_case", &["-i", "case_insensitive"]),
    ("context", &["-C"]),
    ("start", &["start_line", "startLine"]),
    ("end", &["end_line", "endLine"]),
];

/// Arguments that explain a call. They are dropped if a tool does not have them.
const REASON_ARGUMENTS: &[&str] = &["description", "explanation"];

/// Renames arguments to the names in the schema. Names in the schema stay, and so do two arguments
/// that would get the same name, unless their values are equal. The schema is generated only if it
/// is needed.
pub(crate) fn rename_aliases(arguments: &mut Value, schema: impl FnOnce() -> Value) {
    if has_aliases(arguments) {
        rename_with_schema(arguments, &schema());
    }
}

fn is_alias(name: &str) -> bool {
    ARGUMENT_ALIASES.iter().any(|(_, others)| others.contains(&name))
}

fn has_aliases(value: &Value) -> bool {
    match value {
        Value::Object(object) => {
            object.iter().any(|(name, value)| is_alias(name) || has_aliases(value))
        }
        Value::Array(values) => values.iter().any(has_aliases),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn rename_with_schema(value: &mut Value, schema: &Value) {
    match value {
        Value::Object(object) => {
            let Some(known) = schema.get("properties").and_then(Value::as_object) else { return };
            *object = rename_object(std::mem::take(object), known);
            for (name, value) in object {
                rename_with_schema(value, known.get(name).unwrap_or(&Value::Null));
            }
        }
        Value::Array(values) => {
            let items = schema.get("items").unwrap_or(&Value::Null);
            values.iter_mut().for_each(|value| rename_with_schema(value, items));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn rename_object(object: Map<String, Value>, known: &Map<String, Value>) -> Map<String, Value> {
    let (mut named, mut left) = (Map::new(), Map::new());
    for (name, value) in object {
        if known.contains_key(&name) { &mut named } else { &mut left }.insert(name, value);
    }
    for (name, value) in left {
        let own = ARGUMENT_ALIASES.iter().find(|(_, others)| others.contains(&&*name));
        let own = own.map(|(own, _)| *own).filter(|own| known.contains_key(*own));
        match own {
            Some(own) if !named.contains_key(own) => drop(named.insert(own.to_owned(), value)),
            Some(own) if named.get(own) == Some(&value) => {}
            None if REASON_ARGUMENTS.contains(&&*name) => {}
            // The tool reports arguments that it does not know.
            _ => drop(named.insert(name, value)),
        }
    }
    named
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::tool_table::{TOOLS, find_tool};

    fn check(tool: &str, given: &serde_json::Value, expected: &serde_json::Value) {
        let tool = find_tool(tool).expect("a tool");
        assert_eq!(&tool.normalize_arguments(given), expected, "{} {given}", tool.name);
    }

    #[test]
    fn names_of_other_agents_are_understood() {
        let own = json!({"path": "a", "old_str": "b", "new_str": "c", "replace_all": true});
        for given in [
            json!({"file_path": "a", "old_string": "b", "new_string": "c", "replace_all": true}),
            json!({"filePath": "a", "oldString": "b", "newString": "c", "replaceAll": true}),
        ] {
            check("edit_file", &given, &own);
        }
        check("read_file", &json!({"absolute_path": "a"}), &json!({"path": "a"}));
        check(
            "write_file",
            &json!({"file_path": "a", "contents": "b"}),
            &json!({"path": "a", "content": "b"}),
        );
        check(
            "read_lines",
            &json!({"file_path": "a", "start_line": 1, "end_line": 2}),
            &json!({"path": "a", "start": 1, "end": 2}),
        );
        check(
            "grep",
            &json!({"regex": "a", "include": "*.rs", "-i": true}),
            &json!({"pattern": "a", "glob": "*.rs", "ignore_case": true}),
        );
        check("bash", &json!({"cmd": "ls", "description": "look"}), &json!({"command": "ls"}));
        let edits = json!({"edits": [{"file_path": "a", "old_string": "b", "new_string": "c"}]});
        let own = json!({"edits": [{"path": "a", "old_str": "b", "new_str": "c"}]});
        check("multi_edit", &edits, &own);
    }

    #[test]
    fn what_is_said_twice_or_not_known_is_left_to_the_tool() {
        check("read_file", &json!({"path": "a", "file_path": "a"}), &json!({"path": "a"}));
        let two = json!({"path": "a", "file_path": "b"});
        check("read_file", &two, &two);
        let unknown = json!({"path": "a", "colour": "b"});
        check("read_file", &unknown, &unknown);
        let why = json!({"path": "a", "old_str": "b", "new_str": "c", "description": "why"});
        let own = json!({"path": "a", "old_str": "b", "new_str": "c", "intent": "why"});
        check("edit_file", &why, &own);
    }

    #[test]
    fn no_tool_has_an_argument_called_as_elsewhere() {
        for tool in TOOLS {
            let schema = tool.schema();
            for name in schema["properties"].as_object().expect("they are named").keys() {
                let is_own = !super::is_alias(name) || tool.name == "glob";
                assert!(is_own, "{} {name}", tool.name);
            }
        }
    }
}
