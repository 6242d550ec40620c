//! The arguments of a call, found under the various names that agents use for the same thing.

use serde_json::Value;

use crate::path;

/// The arguments of a tool call and the directory that their paths are relative to.
#[derive(Clone, Copy)]
pub(crate) struct CallArguments<'a> {
    value: &'a Value,
    pub(crate) directory: Option<&'a str>,
}

pub(crate) const PATH_NAMES: &[&str] = &[
    "file_path",
    "path",
    "filePath",
    "filename",
    "absolute_path",
    "target_file",
    "notebook_path",
    "file",
    "relative_workspace_path",
    "AbsolutePath",
    "TargetFile",
];
const FOLDER_NAMES: &[&str] = &[
    "path",
    "dir_path",
    "dir",
    "directory",
    "target_directory",
    "relative_workspace_path",
    "DirectoryPath",
    "SearchDirectory",
    "SearchPath",
    "file_path",
    "filePath",
    "file",
];
const PATH_LIST_NAMES: &[&str] = &["paths", "file_paths", "files"];
const OLD_TEXT_NAMES: &[&str] =
    &["old_string", "oldString", "oldText", "old_str", "old_text", "old", "search"];
const NEW_TEXT_NAMES: &[&str] =
    &["new_string", "newString", "newText", "new_str", "new_text", "new", "replace", "replacement"];
const REPLACE_ALL_NAMES: &[&str] = &["replace_all", "replaceAll", "allow_multiple", "all"];
pub(crate) const CONTENT_NAMES: &[&str] =
    &["content", "contents", "file_text", "fileText", "text", "code", "CodeContent"];
/// Names of the list of changes, in calls that make several.
pub(crate) const EDIT_LIST_NAMES: &[&str] = &["edits", "operations", "replacements"];
const COMMAND_NAMES: &[&str] = &["command", "cmd", "CommandLine", "script", "input"];
/// Names of arguments that say why the call is made.
pub const INTENT_NAMES: &[&str] =
    &["intent", "description", "instructions", "instruction", "explanation"];

/// Returns whether agents pass a path, or a list of paths, under this name.
pub fn is_path_name(name: &str) -> bool {
    [PATH_NAMES, FOLDER_NAMES, PATH_LIST_NAMES].iter().any(|names| names.contains(&name))
}

impl<'a> CallArguments<'a> {
    pub(crate) fn new(value: &'a Value, directory: Option<&'a str>) -> CallArguments<'a> {
        CallArguments { value, directory }
    }

    /// Returns arguments with another value, for nested objects.
    pub(crate) fn with_value(self, value: &'a Value) -> CallArguments<'a> {
        CallArguments { value, ..self }
    }

    pub(crate) fn value(self, names: &[&str]) -> Option<&'a Value> {
        names.iter().find_map(|name| self.value.get(name)).filter(|value| !value.is_null())
    }

    pub(crate) fn text(self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.value.get(name)?.as_str())
    }

    /// Returns a whole number, also one spelled as text. Fractions and overflows count as missing.
    pub(crate) fn number(self, names: &[&str]) -> Option<i64> {
        names.iter().find_map(|name| whole_number(self.value.get(name)?))
    }

    pub(crate) fn flag(self, names: &[&str]) -> bool {
        names.iter().any(|name| match self.value.get(name) {
            Some(Value::Bool(flag)) => *flag,
            Some(Value::String(text)) => text.eq_ignore_ascii_case("true"),
            _ => false,
        })
    }

    pub(crate) fn list(self, names: &[&str]) -> Option<&'a [Value]> {
        names.iter().find_map(|name| self.value.get(name)?.as_array().map(Vec::as_slice))
    }

    pub(crate) fn path(self) -> Option<String> {
        let path = self.text(PATH_NAMES).filter(|path| !path.is_empty())?;
        Some(self.resolve(path))
    }

    /// Returns the file or folder that a search or list looks in.
    pub(crate) fn folder(self) -> Option<String> {
        let path = self.text(FOLDER_NAMES).filter(|path| !path.is_empty())?;
        Some(self.resolve(path))
    }

    pub(crate) fn resolve(self, path: &str) -> String {
        path::resolve(path.strip_prefix("file://").unwrap_or(path), self.directory)
    }

    pub(crate) fn old_text(self) -> Option<&'a str> {
        self.text(OLD_TEXT_NAMES)
    }

    pub(crate) fn new_text(self) -> Option<&'a str> {
        self.text(NEW_TEXT_NAMES)
    }

    /// Returns whether the call replaces every occurrence.
    pub(crate) fn replaces_all(self) -> bool {
        self.flag(REPLACE_ALL_NAMES)
            || self.number(&["expected_replacements"]).is_some_and(|count| count > 1)
    }

    pub(crate) fn content(self) -> Option<&'a str> {
        self.text(CONTENT_NAMES)
    }

    pub(crate) fn intent(self) -> Option<String> {
        self.text(INTENT_NAMES).map(str::to_owned)
    }

    /// Returns the command: a command line, or a list of words.
    pub(crate) fn command(self) -> Option<&'a Value> {
        self.value(COMMAND_NAMES).or_else(|| {
            let action = self.value.get("action")?;
            self.with_value(action).value(COMMAND_NAMES)
        })
    }

    /// Returns the arguments as text, for tools that take one string.
    pub(crate) fn as_text(self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// Returns whether every argument has one of `names`.
    pub(crate) fn has_only_arguments(self, names: &[&[&str]]) -> bool {
        self.value.as_object().is_some_and(|object| {
            object.keys().all(|key| names.iter().any(|group| group.contains(&key.as_str())))
        })
    }
}

/// Returns `value` as a whole number, if it is one or spells one.
pub fn whole_number(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            (float.fract() == 0.0 && float.abs() < 1e15).then_some(float as i64)
        }),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
