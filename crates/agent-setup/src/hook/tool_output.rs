//! Responses of agent tools: extracts the text that the model reads, and replaces it. Responses of
//! an unknown form stay unchanged.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::agent_hook::{AgentHook, HookResultForm};
use super::event::AnsweredCall;

/// Results of fewer bytes are not shaped: there is little to save.
const BYTES_MIN: usize = 400;

/// The fields that name the file of an output of which Claude Code shows only the beginning.
const PERSISTED_FIELDS: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// The largest such file that is read, in bytes. The results of larger ones are not shaped.
const PERSISTED_BYTES_MAX: u64 = 16 << 20;

/// A tool result that can be shaped.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ShapeableOutput {
    /// The text that the model would read, as far as it is known.
    pub(super) text: String,
    pub(super) kind: OutputKind,
}

/// The kind of a shapeable output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OutputKind {
    /// The output of a command.
    Bash,
    /// The hits of a search.
    Grep,
    /// Lines of a file. Claude Code renumbers replaced lines from the first one.
    Read {
        /// The number of the first line, from 1.
        first: u32,
    },
}

impl ShapeableOutput {
    /// Extracts the text of a response. Returns `None` if its form is unknown or the text is short.
    pub(super) fn from_answered_call(answered: &AnsweredCall, host: &AgentHook) -> Option<Self> {
        match &host.results {
            HookResultForm::ClaudeCode => Self::from_claude_code(answered),
            HookResultForm::Text(results) if results.tools.contains(&&*answered.tool) => {
                let text = (results.text)(&answered.response)?;
                Self::from_long_text(text.to_owned(), OutputKind::Bash)
            }
            HookResultForm::Text(_) => None,
        }
    }

    fn from_long_text(text: String, form: OutputKind) -> Option<Self> {
        (text.len() >= BYTES_MIN).then_some(Self { text, kind: form })
    }

    fn from_claude_code(answered: &AnsweredCall) -> Option<Self> {
        let response = answered.response.as_object()?;
        let (text, form) = match answered.tool.as_str() {
            "Bash" => {
                let is = |name: &str| response.get(name).and_then(Value::as_bool) == Some(true);
                let has = |name: &str| response.get(name).is_some_and(|value| !value.is_null());
                if is("isImage") || is("interrupted") || has("backgroundTaskId") {
                    return None;
                }
                let part = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or("");
                // Claude Code shows only the beginning of an output that it stores in a file.
                let kept = match response.get(PERSISTED_FIELDS[0]).filter(|path| !path.is_null()) {
                    Some(path) => Some(read_persisted_output(Path::new(path.as_str()?))?),
                    None => None,
                };
                let out = kept.as_deref().unwrap_or(part("stdout")).trim_end();
                let error = part("stderr").trim();
                let between = if out.is_empty() || error.is_empty() { "" } else { "\n" };
                (format!("{out}{between}{error}"), OutputKind::Bash)
            }
            "Grep" => {
                if response.get("mode")?.as_str()? != "content" {
                    return None;
                }
                (response.get("content")?.as_str()?.to_owned(), OutputKind::Grep)
            }
            "Read" => {
                if response.get("type")?.as_str()? != "text" {
                    return None;
                }
                let file = response.get("file")?.as_object()?;
                let first = file.get("startLine")?.as_u64()?;
                let first = u32::try_from(first).ok().filter(|first| *first > 0)?;
                (number_lines(file.get("content")?.as_str()?, first)?, OutputKind::Read { first })
            }
            _ => return None,
        };
        Self::from_long_text(text, form)
    }
}

/// Reads a command output that Claude Code stored in a file.
fn read_persisted_output(path: &Path) -> Option<String> {
    // Opening a named pipe would block until a writer comes.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let read = File::open(path).ok()?.take(PERSISTED_BYTES_MAX + 1).read_to_string(&mut text);
    read.is_ok_and(|bytes| bytes as u64 <= PERSISTED_BYTES_MAX).then_some(text)
}

/// Numbers lines in the format of Claude Code's `Read`.
pub(super) fn number_lines(content: &str, first: u32) -> Option<String> {
    let mut text = String::with_capacity(content.len() + content.len() / 4);
    for (at, line) in content.split('\n').enumerate() {
        let number = first.checked_add(u32::try_from(at).ok()?)?;
        if at > 0 {
            text.push('\n');
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{number:>6}→{line}");
    }
    Some(text)
}

/// Returns a response of `Bash` with its output replaced by `text`.
pub(super) fn replace_bash_output(response: &Value, text: &str) -> Value {
    let mut response = response.clone();
    response["stdout"] = text.into();
    // With these fields the model would be shown the beginning of the file.
    if let Some(fields) = response.as_object_mut() {
        fields.retain(|name, _| !PERSISTED_FIELDS.contains(&name.as_str()));
    }
    // `text` ends with it.
    response["stderr"] = "".into();
    response
}

/// Returns a response of `Grep` with its hits replaced by `text`.
pub(super) fn replace_grep_hits(response: &Value, text: &str) -> Value {
    let mut response = response.clone();
    response["content"] = text.into();
    response["numLines"] = text.lines().count().into();
    response
}

/// Returns a response of `Read` with only the given lines, counted from 0.
pub(super) fn retain_read_lines(
    response: &Value,
    first: u32,
    lines: std::ops::Range<usize>,
) -> Option<Value> {
    let content = response["file"]["content"].as_str()?;
    let kept: Vec<&str> = content.split('\n').skip(lines.start).take(lines.len()).collect();
    let number = first.checked_add(u32::try_from(lines.start).ok()?)?;
    let mut response = response.clone();
    let file = response.get_mut("file")?;
    file["numLines"] = kept.len().into();
    file["startLine"] = number.into();
    file["content"] = kept.join("\n").into();
    Some(response)
}
