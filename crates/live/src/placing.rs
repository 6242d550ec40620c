//! The system prompt of a request whose conversation had files moved to it.

use std::ops::Range;

use foveal_transcript::Role;
use foveal_wire::body::{Spelled, StringEncoding};
use memchr::memmem;

use crate::active::Request;
use crate::conversation::Live;
use crate::replaced::Replaced;

/// All texts in place of others: the system prompt stands in front of all results.
pub(crate) fn replaced(live: &Live, request: &Request<'_>) -> Replaced {
    let replaced = live.replaced(request.body);
    match placed(live, request) {
        Some(placed) => replaced.behind(placed),
        None => replaced,
    }
}

/// The system prompt with the files that stand in it since the last reset, and its place; `None`
/// where it goes as it came, or is not one text.
fn placed(live: &Live, request: &Request<'_>) -> Option<(Range<usize>, Spelled)> {
    let folder = request.rules.folder.as_ref()?;
    let base = live.steps().iter().rev().find_map(|planned| planned.step.base.as_ref())?;
    let (body, bytes) = request.bytes();
    let (place, entry) = match &body.system {
        Some(place) => (place.clone(), body.system_entry(bytes).ok()??),
        None => {
            let first = body.message(bytes, 0).ok()?.entries.into_iter().next()?;
            (body.messages.first()?.clone(), first)
        }
    };
    if entry.role != Role::System {
        return None;
    }
    let text = entry.text();
    // It stands there as whoever asks spelled it, which is this very program.
    let spelled = serde_json::to_string(&text).ok()?;
    let at = memmem::find(&bytes[place.clone()], spelled.as_bytes())?;
    let start = place.start + at;
    Some((
        start..start + spelled.len(),
        Spelled::new(&folder.system(&text, base), StringEncoding::brief(0)),
    ))
}
