//! What is known about one call, and its short name in notes.

use super::hash::LineHash;
use super::names::file_name;
use foveal_effects::{Effect, EffectKind, Span, effect_of};
use foveal_secrets::without;
use foveal_transcript::Call;
use serde_json::Value;

/// What is known about the call behind a tool result.
#[derive(Debug, Clone, PartialEq)]
pub struct CallFacts {
    /// What the call does.
    pub effect: Effect,
    /// A short name for the call in notes: the tool and what it was asked ("Read a.rs").
    pub label: String,
    /// The tool's name.
    pub tool: String,
    /// Hash of the tool and its arguments, for finding repeated calls.
    pub key: LineHash,
    /// The key of the whole file that the call reads, if that is what it does.
    pub file_key: Option<LineHash>,
    /// Whether the model wants the whole result, whatever stands above.
    pub wants_whole: bool,
}

/// By this argument of any call the model wants it answered as if it were the first.
pub const DETECT_ARGUMENT: &str = "enable_duplicate_detection";

impl CallFacts {
    /// The facts of a call whose relative paths start at `directory`.
    pub(super) fn of(call: &Call, directory: Option<&str>) -> Self {
        let effect = effect_of(call, directory);
        let label = label_of(call, &effect);
        let key = LineHash::of(&format!("{} {}", call.name, call.arguments));
        let file_key = match effect.reads.as_slice() {
            [read] if read.span == Span::All && effect.kind == EffectKind::Read => {
                Some(LineHash::of(&format!("read {}", read.path)))
            }
            _ => None,
        };
        let wants_whole =
            call.arguments.get(DETECT_ARGUMENT).and_then(Value::as_bool) == Some(false);
        Self { effect, label, tool: call.name.clone(), key, file_key, wants_whole }
    }
}

/// Longest label, in characters.
const LABEL_LENGTH_MAX: usize = 48;

/// Bytes of a text that are looked through for secrets before a label is cut from it.
const SUBJECT_BYTES_MAX: usize = 16 << 10;

/// The label stands in notes that are stored: a secret is removed before the text is cut, since
/// a part of it would not be recognised any more.
fn label_of(call: &Call, effect: &Effect) -> String {
    let subject = match (&effect.command, effect.reads.first(), effect.writes.first()) {
        (Some(command), _, _) => behind_change_of_folder(command).to_owned(),
        (None, Some(read), _) => file_name(&read.path).to_owned(),
        (None, None, Some(write)) => file_name(&write.path).to_owned(),
        // In a note the handle it asked for would be taken for the note's own.
        (None, None, None) if effect.verbatim => String::new(),
        (None, None, None) => first_text(&call.arguments),
    };
    let end = subject.floor_char_boundary(SUBJECT_BYTES_MAX);
    let subject = without(&subject[..end]);
    let line = subject.split('\n').next().unwrap_or_default();
    let label = format!("{} {}", call.name, line.trim());
    let mut short: String = label.trim().chars().take(LABEL_LENGTH_MAX).collect();
    if short.len() < label.trim().len() {
        short.push('…');
    }
    short
}

/// What a command does behind `cd FOLDER &&`: agents begin many commands so, and the folder tells
/// little of them.
fn behind_change_of_folder(command: &str) -> &str {
    let Some((change, rest)) = command.split_once("&&") else { return command };
    let folder = change.trim().strip_prefix("cd ").map(str::trim);
    let is_plain = |folder: &str| !folder.contains([';', '|', '&', '\n', '`', '(']);
    match folder {
        Some(folder) if is_plain(folder) && !rest.trim().is_empty() => rest.trim_start(),
        _ => command,
    }
}

fn first_text(arguments: &serde_json::Value) -> String {
    arguments
        .as_object()
        .and_then(|object| object.values().find_map(serde_json::Value::as_str))
        .unwrap_or_default()
        .to_owned()
}
