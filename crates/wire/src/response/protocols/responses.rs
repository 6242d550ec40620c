//! OpenAI's Responses.

use super::super::draft::Draft;
use super::super::pick::{Field, bytes, pick, tells, text};

/// An event of a stream. Parsed are the first, which names model and id, and the last, which
/// alone has usage; `response.in_progress` repeats the whole request and is left alone.
pub(in super::super) fn event(draft: &mut Draft, name: &[u8], data: &[u8]) {
    let is_read = match name {
        b"response.created" => draft.id.is_none(),
        b"response.completed" | b"response.incomplete" | b"response.failed" | b"error" => true,
        b"" | b"message" => {
            draft.id.is_none() || tells(data, b"\"usage\"") || tells(data, b"\"error\"")
        }
        _ => false,
    };
    if !is_read {
        return;
    }
    let keys = ["type", "response", "error"];
    let Some([kind, response, error]) = pick(data, keys) else { return };
    match text(kind).as_deref() {
        Some("response.completed" | "response.incomplete" | "response.failed") => {
            take(draft, bytes(response));
            draft.is_over = true;
        }
        Some("response.created" | "response.in_progress" | "response.queued") => {
            take(draft, bytes(response));
        }
        // The error stands in the event itself or in a field of it.
        Some("error") => match error {
            Some(error) => draft.take_error(Some(error)),
            None => draft.take_error(serde_json::from_slice(data).ok()),
        },
        _ => {}
    }
}

/// A whole answer: a response, a compaction, or an error.
pub(in super::super) fn document(draft: &mut Draft, json: &[u8]) {
    draft.is_over = take(draft, json);
}

/// Takes what a response object tells; `false` where it is none.
fn take(draft: &mut Draft, response: &[u8]) -> bool {
    let keys = ["id", "model", "status", "incomplete_details", "usage", "error"];
    let Some([id, model, status, incomplete, usage, error]) = pick(response, keys) else {
        return false;
    };
    draft.take_id(id);
    draft.take_model(model);
    draft.take_usage(usage);
    draft.take_error(error);
    take_stop_reason(draft, status, incomplete);
    true
}

/// The status says how the response ended, and of one that stopped early `incomplete_details`
/// says why.
fn take_stop_reason(draft: &mut Draft, status: Field<'_>, incomplete: Field<'_>) {
    if text(status).is_some_and(|status| status != "in_progress" && status != "queued") {
        draft.take_stop_reason(status);
    }
    if let Some([reason]) = pick(bytes(incomplete), ["reason"]) {
        draft.take_stop_reason(reason);
    }
}
