//! What the tools of agents answer: the text that the model is sent of it, and the same with
//! another text. Anything of another form is left alone.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use serde_json::Value;

use super::event::Answered;
use super::host::Host;

/// Results of fewer bytes are left alone: there is little to gain.
const BYTES_MIN: usize = 400;

/// Fields that say where Claude Code keeps an output that it shows the beginning of.
const PERSISTED: [&str; 2] = ["persistedOutputPath", "persistedOutputSize"];

/// Bytes of such a file that are read; a larger one is left alone.
const PERSISTED_BYTES_MAX: u64 = 16 << 20;

/// A result that can be shaped.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Output {
    /// What the model is sent, as far as it is known.
    pub(super) text: String,
    pub(super) form: Form,
}

/// What it is a result of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// A command.
    Bash,
    /// Lines that were found.
    Grep,
    /// Lines of a file, the first of which has this number. Claude Code numbers them anew from
    /// there.
    Read {
        /// From 1.
        first: u32,
    },
}

impl Output {
    /// The result as text, if it is of a form that is known and long enough.
    pub(super) fn of(answered: &Answered, host: Host) -> Option<Self> {
        let text = match host {
            Host::ClaudeCode => return Self::of_claude_code(answered),
            _ if !host.text_tools().contains(&&*answered.tool) => return None,
            Host::Codex => answered.response.as_str()?.trim_end(),
            Host::Gemini => answered.response["llmContent"].as_str()?,
            Host::Opencode | Host::Pi => answered.response.as_str()?,
        };
        Self::long_enough(text.to_owned(), Form::Bash)
    }

    fn long_enough(text: String, form: Form) -> Option<Self> {
        (text.len() >= BYTES_MIN).then_some(Self { text, form })
    }

    fn of_claude_code(answered: &Answered) -> Option<Self> {
        let response = answered.response.as_object()?;
        let (text, form) = match answered.tool.as_str() {
            "Bash" => {
                let is = |name: &str| response.get(name).and_then(Value::as_bool) == Some(true);
                let has = |name: &str| response.get(name).is_some_and(|value| !value.is_null());
                if is("isImage") || is("interrupted") || has("backgroundTaskId") {
                    return None;
                }
                let part = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or("");
                // What is kept in a file is shown by its beginning alone.
                let kept = match response.get(PERSISTED[0]).filter(|path| !path.is_null()) {
                    Some(path) => Some(persisted(Path::new(path.as_str()?))?),
                    None => None,
                };
                let out = kept.as_deref().unwrap_or(part("stdout")).trim_end();
                let error = part("stderr").trim();
                let between = if out.is_empty() || error.is_empty() { "" } else { "\n" };
                (format!("{out}{between}{error}"), Form::Bash)
            }
            "Grep" => {
                if response.get("mode")?.as_str()? != "content" {
                    return None;
                }
                (response.get("content")?.as_str()?.to_owned(), Form::Grep)
            }
            "Read" => {
                if response.get("type")?.as_str()? != "text" {
                    return None;
                }
                let file = response.get("file")?.as_object()?;
                let first = file.get("startLine")?.as_u64()?;
                let first = u32::try_from(first).ok().filter(|first| *first > 0)?;
                (numbered(file.get("content")?.as_str()?, first)?, Form::Read { first })
            }
            _ => return None,
        };
        Self::long_enough(text, form)
    }
}

/// What a command printed that Claude Code keeps in a file.
fn persisted(path: &Path) -> Option<String> {
    // To open a pipe would be to wait for whoever writes to it.
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let read = File::open(path).ok()?.take(PERSISTED_BYTES_MAX + 1).read_to_string(&mut text);
    read.is_ok_and(|bytes| bytes as u64 <= PERSISTED_BYTES_MAX).then_some(text)
}

/// Lines as Claude Code numbers them.
pub(super) fn numbered(content: &str, first: u32) -> Option<String> {
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

/// The answer of `Bash` with another text.
pub(super) fn bash(response: &Value, text: &str) -> Value {
    let mut response = response.clone();
    response["stdout"] = text.into();
    // With them the model would be shown the beginning of the file.
    if let Some(fields) = response.as_object_mut() {
        fields.retain(|name, _| !PERSISTED.contains(&name.as_str()));
    }
    // It stands at the end of the text.
    response["stderr"] = "".into();
    response
}

/// The answer of `Grep` with another text.
pub(super) fn grep(response: &Value, text: &str) -> Value {
    let mut response = response.clone();
    response["content"] = text.into();
    response["numLines"] = text.lines().count().into();
    response
}

/// The answer of `Read` with some of its lines, counted from 0.
pub(super) fn read(response: &Value, first: u32, lines: std::ops::Range<usize>) -> Option<Value> {
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
