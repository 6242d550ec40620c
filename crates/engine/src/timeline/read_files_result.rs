//! Results in the form of the tool `read_files`: files by path, with their content or marked as
//! truncated.
//!
//! `{"type": "read_files", "files": [{"path": "a.rs", "content": "…"}, {"path": "b.rs",
//! "truncated": true}]}`.

use serde_json::Value;

/// A file in a `read_files` result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReadFile {
    /// The path as the result has it.
    pub(super) path: String,
    /// The content; `None` if it was removed or could not be read.
    pub(super) content: Option<String>,
}

/// Parses a `read_files` result; `None` if a tool result has another form.
pub(super) fn parse_read_files(text: &str) -> Option<Vec<ReadFile>> {
    // Most results are no JSON at all; the first byte tells without the parser.
    if !text.trim_start().starts_with('{') {
        return None;
    }
    let Value::Object(object) = serde_json::from_str(text).ok()? else { return None };
    if object.get("type")? != "read_files" {
        return None;
    }
    object.get("files")?.as_array()?.iter().map(parse_file).collect()
}

fn parse_file(file: &Value) -> Option<ReadFile> {
    let path = file["path"].as_str()?.to_owned();
    let content = match &file["content"] {
        Value::String(content) => Some(content.clone()),
        Value::Null => None,
        _ => return None,
    };
    let is_valid = file["truncated"].is_boolean() || file["truncated"].is_null();
    is_valid.then_some(ReadFile { path, content })
}

#[cfg(test)]
mod tests;
