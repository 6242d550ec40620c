//! A call's arguments, looked up under the several spellings agents use for one thing.

use serde_json::Value;

use crate::path;

/// A tool call's arguments and the directory they are relative to.
#[derive(Clone, Copy)]
pub(crate) struct Arguments<'a> {
    value: &'a Value,
    pub(crate) directory: Option<&'a str>,
}

pub(crate) const PATH: &[&str] = &[
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
const FOLDER: &[&str] = &[
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
const PATHS: &[&str] = &["paths", "file_paths", "files"];
const OLD: &[&str] =
    &["old_string", "oldString", "oldText", "old_str", "old_text", "old", "search"];
const NEW: &[&str] =
    &["new_string", "newString", "newText", "new_str", "new_text", "new", "replace", "replacement"];
const ALL: &[&str] = &["replace_all", "replaceAll", "allow_multiple", "all"];
pub(crate) const CONTENT: &[&str] =
    &["content", "contents", "file_text", "fileText", "text", "code", "CodeContent"];
/// The changes of one call, where there may be several.
pub(crate) const EDITS: &[&str] = &["edits", "operations", "replacements"];
const COMMAND: &[&str] = &["command", "cmd", "CommandLine", "script", "input"];
/// Words about a call rather than of it: why it is made.
pub const INTENT: &[&str] =
    &["intent", "description", "instructions", "instruction", "explanation"];

/// Whether agents pass a path, or a list of them, under this name.
pub fn is_path_name(name: &str) -> bool {
    [PATH, FOLDER, PATHS].iter().any(|names| names.contains(&name))
}

impl<'a> Arguments<'a> {
    pub(crate) fn new(value: &'a Value, directory: Option<&'a str>) -> Arguments<'a> {
        Arguments { value, directory }
    }

    /// The same arguments with another value in place, for nested objects.
    pub(crate) fn within(self, value: &'a Value) -> Arguments<'a> {
        Arguments { value, ..self }
    }

    pub(crate) fn value(self, names: &[&str]) -> Option<&'a Value> {
        names.iter().find_map(|name| self.value.get(name)).filter(|value| !value.is_null())
    }

    pub(crate) fn text(self, names: &[&str]) -> Option<&'a str> {
        names.iter().find_map(|name| self.value.get(name)?.as_str())
    }

    /// A number, also one spelt as text. Fractions and what does not fit are none.
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
        let path = self.text(PATH).filter(|path| !path.is_empty())?;
        Some(self.resolve(path))
    }

    /// The file or folder a search or list looks in.
    pub(crate) fn folder(self) -> Option<String> {
        let path = self.text(FOLDER).filter(|path| !path.is_empty())?;
        Some(self.resolve(path))
    }

    pub(crate) fn resolve(self, path: &str) -> String {
        path::resolve(path.strip_prefix("file://").unwrap_or(path), self.directory)
    }

    pub(crate) fn old(self) -> Option<&'a str> {
        self.text(OLD)
    }

    pub(crate) fn new_text(self) -> Option<&'a str> {
        self.text(NEW)
    }

    /// Whether every occurrence is replaced.
    pub(crate) fn all(self) -> bool {
        self.flag(ALL) || self.number(&["expected_replacements"]).is_some_and(|count| count > 1)
    }

    pub(crate) fn content(self) -> Option<&'a str> {
        self.text(CONTENT)
    }

    pub(crate) fn intent(self) -> Option<String> {
        self.text(INTENT).map(str::to_owned)
    }

    /// The command: a command line, or the words of one.
    pub(crate) fn command(self) -> Option<&'a Value> {
        self.value(COMMAND).or_else(|| {
            let action = self.value.get("action")?;
            self.within(action).value(COMMAND)
        })
    }

    /// The arguments as plain text, for tools that take one string.
    pub(crate) fn plain(self) -> Option<&'a str> {
        self.value.as_str()
    }

    /// Whether no argument has a name outside `names`.
    pub(crate) fn only(self, names: &[&[&str]]) -> bool {
        self.value.as_object().is_some_and(|object| {
            object.keys().all(|key| names.iter().any(|group| group.contains(&key.as_str())))
        })
    }
}

/// `value` as a whole number, if it is one or spells one.
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
