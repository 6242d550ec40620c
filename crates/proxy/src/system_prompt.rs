//! The system prompt of requests whose conversation moved base files into it.

use std::ops::Range;

use foveal_protocols::request_body::{EncodedString, StringEncoding};
use foveal_transcript::MessageRole;
use memchr::memmem;

use crate::body_replacements::BodyReplacements;
use crate::conversation_state::ConversationState;
use crate::request_context::RequestContext;

/// Returns all replacement texts of a body, that of the system prompt first.
pub(crate) fn body_replacements(
    live: &ConversationState,
    request: &RequestContext<'_>,
) -> BodyReplacements {
    let replaced = live.texts.replacements(&request.body);
    match system_prompt_replacement(live, request) {
        Some((place, text)) => replaced.with_prepended(place, text),
        None => replaced,
    }
}

/// Returns the system prompt with the base files since the last reset, and its position; `None` if
/// it is sent unchanged, or if it is not a single text.
fn system_prompt_replacement(
    live: &ConversationState,
    request: &RequestContext<'_>,
) -> Option<(Range<usize>, EncodedString)> {
    let folder = request.rules.base_folder.as_ref()?;
    let base = live.steps().iter().rev().find_map(|planned| planned.step.base.as_ref())?;
    let (body, bytes) = (&request.body, request.bytes());
    let (place, entry) = match &body.system {
        Some(place) => (place.clone(), body.decode_system_prompt(bytes).ok()??),
        None => {
            let first = body.decode_message(bytes, 0).ok()?.entries.into_iter().next()?;
            (body.messages.first()?.clone(), first)
        }
    };
    if entry.role != MessageRole::System {
        return None;
    }
    let text = entry.text();
    // The client is this very program, so the spelling is known.
    let spelled = serde_json::to_string(&text).ok()?;
    let at = memmem::find(&bytes[place.clone()], spelled.as_bytes())?;
    let start = place.start + at;
    Some((
        start..start + spelled.len(),
        EncodedString::new(&folder.replace_base_files(&text, base), StringEncoding::minimal(0)),
    ))
}
