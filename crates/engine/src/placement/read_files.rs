//! The `read_files` tool result: files by path, with their content or marked as truncated.
//!
//! `{"type": "read_files", "files": [{"path": "a.rs", "content": "…"}, {"path": "b.rs",
//! "truncated": true}]}`. The order and unknown fields are preserved.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value, json};

use foveal_tool_effects::call_effect;
use foveal_transcript::{Conversation, EntryIndex};

/// A parsed `read_files` result.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadFilesResult {
    /// The whole object; `parse` and `new` ensure that `files` has the documented form.
    object: Map<String, Value>,
}

/// A file in a [`ReadFilesResult`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileView<'a> {
    /// The path as the result has it.
    pub path: &'a str,
    /// The content; `None` if it was removed or could not be read.
    pub content: Option<&'a str>,
    /// Whether the content was removed and only the path is left.
    pub truncated: bool,
}

impl ReadFilesResult {
    /// Creates a result that shows these files, as (path, content), in this order.
    pub fn new<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let files: Vec<Value> = files
            .into_iter()
            .map(|(path, content)| json!({"path": path, "content": content}))
            .collect();
        let mut object = Map::new();
        object.insert("type".to_owned(), json!("read_files"));
        object.insert("files".to_owned(), Value::Array(files));
        Self { object }
    }

    /// Parses a tool result; `None` if it has another form.
    pub fn parse(text: &str) -> Option<Self> {
        // Most results are no JSON at all; the first byte tells without the parser.
        if !text.trim_start().starts_with('{') {
            return None;
        }
        let Value::Object(object) = serde_json::from_str(text).ok()? else { return None };
        let files = object.get("files")?.as_array()?;
        let well_formed = object.get("type")? == "read_files"
            && files.iter().all(|file| {
                file["path"].is_string()
                    && (file["content"].is_string() || file["content"].is_null())
                    && (file["truncated"].is_boolean() || file["truncated"].is_null())
            });
        well_formed.then_some(Self { object })
    }

    /// Renders the result as compact JSON.
    pub fn render(&self) -> String {
        Value::from(self.object.clone()).to_string()
    }

    /// Returns the files, in order.
    pub fn files(&self) -> impl Iterator<Item = FileView<'_>> {
        self.file_values().iter().map(|file| FileView {
            path: file["path"].as_str().unwrap_or_default(),
            content: file["content"].as_str(),
            truncated: file["truncated"] == true,
        })
    }

    /// Returns the result with the content of the file at `position` removed and its path marked as
    /// truncated. A position without content changes nothing.
    #[must_use]
    pub fn without_content(&self, position: usize) -> Self {
        let mut result = self.clone();
        let file = result
            .object
            .get_mut("files")
            .and_then(Value::as_array_mut)
            .and_then(|files| files.get_mut(position))
            .and_then(Value::as_object_mut);
        if let Some(file) = file
            && file.get("content").is_some_and(Value::is_string)
        {
            // Not `remove`, which would move the last field to the front.
            file.shift_remove("content");
            file.insert("truncated".to_owned(), Value::Bool(true));
        }
        result
    }

    fn file_values(&self) -> &[Value] {
        self.object.get("files").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

/// A file that a conversation refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReferencedFile {
    /// The path as the result has it, or as [`call_effect`] resolves it.
    pub path: String,
    /// The entries that refer to it, in order, each once: results in `read_files` form, and the
    /// messages whose calls read or change it.
    pub entries: Vec<EntryIndex>,
}

/// Returns the files that `conversation` refers to, in the order of the first reference, without
/// duplicates. For a call with a `read_files` result only the result counts.
pub fn referenced_files(conversation: &Conversation) -> Vec<ReferencedFile> {
    let answers: HashMap<&str, ReadFilesResult> = conversation
        .entries()
        .iter()
        .filter_map(|entry| entry.tool_result())
        .filter_map(|result| Some((result.call.as_str(), ReadFilesResult::parse(&result.content)?)))
        .collect();
    let mut files: Vec<ReferencedFile> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    let mut refer = |path: &str, entry: EntryIndex| {
        let position = *known.entry(path.to_owned()).or_insert_with(|| {
            files.push(ReferencedFile { path: path.to_owned(), entries: Vec::new() });
            files.len() - 1
        });
        if files[position].entries.last() != Some(&entry) {
            files[position].entries.push(entry);
        }
    };
    let mut directory = conversation.directory.clone();
    for (index, entry) in (0u32..).map(EntryIndex).zip(conversation.entries()) {
        for call in entry.tool_calls().filter(|call| !answers.contains_key(call.id.as_str())) {
            let effect = call_effect(call, directory.as_deref());
            let reads = effect.reads.iter().map(|read| &read.path);
            let paths: Vec<&String> =
                reads.chain(effect.writes.iter().map(|write| &write.path)).collect();
            paths.into_iter().for_each(|path| refer(path, index));
            directory = effect.directory_after.or(directory);
        }
        if let Some(answer) =
            entry.tool_result().and_then(|result| ReadFilesResult::parse(&result.content))
        {
            answer.files().for_each(|file| refer(file.path, index));
        }
    }
    files
}

/// Returns the paths whose content any of `results` still shows.
pub fn shown_paths<'a>(results: impl IntoIterator<Item = &'a ReadFilesResult>) -> HashSet<&'a str> {
    results
        .into_iter()
        .flat_map(ReadFilesResult::files)
        .filter(|file| file.content.is_some())
        .map(|file| file.path)
        .collect()
}

#[cfg(test)]
mod tests;
