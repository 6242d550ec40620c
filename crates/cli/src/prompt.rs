//! The messages of a projected prompt as text.

use std::borrow::Cow;

use foveal_context::step::Item;
use foveal_transcript::{Entry, Role};

/// What the model is sent for `entry`: its text, or what stands in its place.
pub(crate) fn text<'a>(entry: &'a Entry, item: &Item) -> Cow<'a, str> {
    let original = original(entry);
    match item.decision.shape() {
        Some(shape) => Cow::Owned(shape.render(&original)),
        None => original,
    }
}

/// The text of `entry` as recorded.
pub(crate) fn original(entry: &Entry) -> Cow<'_, str> {
    match entry.result() {
        Some(result) => Cow::Borrowed(&result.content),
        None => Cow::Owned(entry.prompt_text()),
    }
}

/// The role's name.
pub(crate) fn role(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}
