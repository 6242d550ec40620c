//! Facts about one call, and its label in notes.

use super::file_names::file_name;
use super::line_hash::LineHash;
use foveal_redaction::redact_text;
use foveal_tool_effects::{Effect, EffectKind, ReadSpan, call_effect};
use foveal_transcript::ToolCall;
use serde_json::Value;

/// Facts about the call behind a tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFacts {
    /// The effect of the call.
    pub effect: Effect,
    /// A short label for notes: the tool and its subject ("Read a.rs").
    pub label: String,
    /// The tool's name.
    pub tool: String,
    /// Hash of the tool and its arguments, to find repeated calls.
    pub key: LineHash,
    /// The key of the file, if the call reads a whole file.
    pub file_key: Option<LineHash>,
    /// Whether the model asks for the whole result, even if it stands above.
    pub wants_full_result: bool,
}

/// An argument of any call by which the model turns off the detection of duplicates.
pub const DUPLICATE_DETECTION_ARGUMENT: &str = "enable_duplicate_detection";

/// An argument that a tool session adds to the arguments of a read: the version of the file. The
/// model did not write it.
pub const VERSION_ARGUMENT: &str = "_version";

impl CallFacts {
    /// Computes the facts of a call whose relative paths start at `directory`.
    pub(super) fn from_call(call: &ToolCall, directory: Option<&str>) -> Self {
        let effect = call_effect(call, directory);
        let label = call_label(call, &effect);
        let key = LineHash::from_text(&format!("{} {}", call.name, call.arguments));
        let file_key = match effect.reads.as_slice() {
            [read] if read.span == ReadSpan::All && effect.kind == EffectKind::Read => {
                Some(LineHash::from_text(&format!("read {}", read.path)))
            }
            _ => None,
        };
        let wants_full_result =
            call.arguments.get(DUPLICATE_DETECTION_ARGUMENT).and_then(Value::as_bool)
                == Some(false);
        Self { effect, label, tool: call.name.clone(), key, file_key, wants_full_result }
    }
}

/// Longest label, in characters.
const LABEL_LENGTH_MAX: usize = 48;

/// Bytes of a text that are scanned for secrets before a label is cut from it.
const SUBJECT_BYTES_MAX: usize = 16 << 10;

/// Returns the label of a call. Labels stand in stored notes, so secrets are redacted before the
/// text is cut: a cut secret would not be recognised.
fn call_label(call: &ToolCall, effect: &Effect) -> String {
    let subject = match (&effect.command, effect.reads.first(), effect.writes.first()) {
        (Some(command), _, _) => strip_directory_change(command).to_owned(),
        (None, Some(read), _) => file_name(&read.path).to_owned(),
        (None, None, Some(write)) => file_name(&write.path).to_owned(),
        // The handle that the call asked for would be mistaken for the note's own.
        (None, None, None) if effect.verbatim => String::new(),
        (None, None, None) => first_string_argument(&call.arguments),
    };
    let end = subject.floor_char_boundary(SUBJECT_BYTES_MAX);
    let subject = redact_text(&subject[..end]);
    let line = subject.split('\n').next().unwrap_or_default();
    let label = format!("{} {}", call.name, line.trim());
    let mut short: String = label.trim().chars().take(LABEL_LENGTH_MAX).collect();
    if short.len() < label.trim().len() {
        short.push('…');
    }
    short
}

/// Strips a leading `cd FOLDER &&`: many commands of agents begin with it, and the folder
/// identifies little.
fn strip_directory_change(command: &str) -> &str {
    let Some((change, rest)) = command.split_once("&&") else { return command };
    let folder = change.trim().strip_prefix("cd ").map(str::trim);
    let is_plain = |folder: &str| !folder.contains([';', '|', '&', '\n', '`', '(']);
    match folder {
        Some(folder) if is_plain(folder) && !rest.trim().is_empty() => rest.trim_start(),
        _ => command,
    }
}

fn first_string_argument(arguments: &serde_json::Value) -> String {
    arguments
        .as_object()
        .and_then(|object| object.values().find_map(serde_json::Value::as_str))
        .unwrap_or_default()
        .to_owned()
}
