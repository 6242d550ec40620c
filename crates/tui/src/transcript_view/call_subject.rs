//! The subject of a tool call in one line, and the files that it names.

use foveal_screen::escape_one_line;
use serde_json::Value;

/// The arguments that name a call's subject; the first that is present counts.
const SUBJECT_ARGUMENTS: [&str; 8] =
    ["command", "path", "pattern", "query", "url", "symbol", "handle", "label"];

/// Returns the subject of a call in one line.
pub(crate) fn call_subject(arguments: &Value) -> String {
    let text = |name: &&str| arguments.get(name).and_then(Value::as_str);
    if let Some(named) = SUBJECT_ARGUMENTS.iter().find_map(text) {
        return escape_one_line(named).into_owned();
    }
    let paths = |key: &str| {
        let of = |one: &Value| {
            let path = one.get("path").unwrap_or(one);
            path.as_str().map(|path| escape_one_line(path).into_owned())
        };
        let mut all: Vec<String> = arguments.get(key)?.as_array()?.iter().filter_map(of).collect();
        all.dedup();
        (!all.is_empty()).then(|| all.join(", "))
    };
    if let Some(paths) = paths("edits").or_else(|| paths("paths")) {
        return paths;
    }
    match arguments.as_object() {
        Some(object) if object.is_empty() => String::new(),
        _ => escape_one_line(&arguments.to_string()).into_owned(),
    }
}

/// Returns whether calls of this tool change the files that they name.
pub(crate) fn is_edit_tool(tool: &str) -> bool {
    matches!(tool, "edit_file" | "multi_edit" | "write_file")
}

/// Returns the paths that a call names.
pub(crate) fn paths_of_call(arguments: &Value) -> Vec<String> {
    let named = |value: &Value| {
        let path = value.get("path").unwrap_or(value);
        path.is_string().then(|| call_subject(&serde_json::json!({ "path": path })))
    };
    let one = arguments.get("path").and_then(named);
    let many = ["edits", "paths"].into_iter().filter_map(|key| arguments.get(key)?.as_array());
    one.into_iter().chain(many.flatten().filter_map(named)).collect()
}
