//! The model's own edits among the calls of a response.

use foveal_tool_effects::{Effect, EffectKind, WriteChange};
use foveal_transcript::ToolCall;

use crate::call_texts::argument_texts;

/// Shortest text of an edit that counts as long, in bytes.
const TEXT_BYTES_MIN: usize = 100;

/// Returns whether a call is an edit tool's on one file, with a long text that the edit removes
/// from the file or inserts. Writes of a command line do not count, since the command may have
/// done more.
pub(super) fn has_long_text(call: &ToolCall, effect: &Effect) -> bool {
    let is_edit = matches!(effect.kind, EffectKind::Edit | EffectKind::Write)
        && effect.command.is_none()
        && edited_file(effect).is_some();
    let mut long = argument_texts(call).into_iter().filter(|text| text.len() >= TEXT_BYTES_MIN);
    is_edit && long.any(|text| effect.writes.iter().any(|write| has_text(&write.change, text)))
}

/// Returns the file that a call changes, if it is only one.
pub fn edited_file(effect: &Effect) -> Option<&str> {
    let (first, rest) = effect.writes.split_first()?;
    rest.iter().all(|write| write.path == first.path).then_some(first.path.as_str())
}

/// Returns whether `text` is what a change removes or inserts.
fn has_text(change: &WriteChange, text: &str) -> bool {
    match change {
        WriteChange::Replace { old, new, .. } => old == text || new == text,
        WriteChange::Lines { new, .. }
        | WriteChange::Insert { new, .. }
        | WriteChange::Content(new)
        | WriteChange::Append(new) => new == text,
        WriteChange::Remove | WriteChange::Unknown => false,
    }
}
