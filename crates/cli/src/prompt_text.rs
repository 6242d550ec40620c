//! The text of a projected prompt's messages.

use std::borrow::Cow;

use foveal_engine::plan_step::EntryState;
use foveal_transcript::{MessageRole, TranscriptEntry};

/// Returns the text that the model is sent for `entry`: its own, or its replacement.
pub(crate) fn projected_text<'a>(entry: &'a TranscriptEntry, item: &EntryState) -> Cow<'a, str> {
    let original = original_text(entry);
    match item.decision.shape() {
        Some(shape) => Cow::Owned(shape.render(&original)),
        None => original,
    }
}

/// Returns the text of `entry` as recorded.
pub(crate) fn original_text(entry: &TranscriptEntry) -> Cow<'_, str> {
    match entry.tool_result() {
        Some(result) => Cow::Borrowed(&result.content),
        None => Cow::Owned(entry.prompt_text()),
    }
}

/// Returns the name of a role.
pub(crate) fn role_name(role: MessageRole) -> &'static str {
    match role {
        MessageRole::System => "system",
        MessageRole::User => "user",
        MessageRole::Assistant => "assistant",
        MessageRole::Tool => "tool",
    }
}
