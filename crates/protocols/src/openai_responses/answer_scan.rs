//! Metadata of answers of OpenAI's Responses.

use crate::response::answer_metadata_builder::AnswerMetadataBuilder;
use crate::response::field_extraction::{
    RawField, extract_fields, field_bytes, field_text, may_have_field,
};

/// Reads a stream event. Parses the first event, which has model and id, and the last one, which
/// has the usage; `response.in_progress` repeats the whole request and is skipped.
pub(super) fn read_event(draft: &mut AnswerMetadataBuilder, name: &[u8], data: &[u8]) {
    let is_read = match name {
        b"response.created" => draft.id.is_none(),
        b"response.completed" | b"response.incomplete" | b"response.failed" | b"error" => true,
        b"" | b"message" => {
            draft.id.is_none()
                || may_have_field(data, b"\"usage\"")
                || may_have_field(data, b"\"error\"")
        }
        _ => false,
    };
    if !is_read {
        return;
    }
    let keys = ["type", "response", "error"];
    let Some([kind, response, error]) = extract_fields(data, keys) else { return };
    match field_text(kind).as_deref() {
        Some("response.completed" | "response.incomplete" | "response.failed") => {
            read_response(draft, field_bytes(response));
            draft.is_complete = true;
        }
        Some("response.created" | "response.in_progress" | "response.queued") => {
            read_response(draft, field_bytes(response));
        }
        // The error is the event itself or a field of it.
        Some("error") => match error {
            Some(error) => draft.set_error(Some(error)),
            None => draft.set_error(serde_json::from_slice(data).ok()),
        },
        _ => {}
    }
}

/// Reads a complete answer: a response, a compaction, or an error.
pub(super) fn read_document(draft: &mut AnswerMetadataBuilder, json: &[u8]) {
    draft.is_complete = read_response(draft, json);
}

/// Reads a response object. Returns `false` if it is none.
fn read_response(draft: &mut AnswerMetadataBuilder, response: &[u8]) -> bool {
    let keys = ["id", "model", "status", "incomplete_details", "usage", "error"];
    let Some([id, model, status, incomplete, usage, error]) = extract_fields(response, keys) else {
        return false;
    };
    draft.set_id(id);
    draft.set_model(model);
    draft.merge_usage(usage);
    draft.set_error(error);
    read_stop_reason(draft, status, incomplete);
    true
}

/// Reads the stop reason: the status, or for a response that stopped early the reason in
/// `incomplete_details`.
fn read_stop_reason(
    draft: &mut AnswerMetadataBuilder,
    status: RawField<'_>,
    incomplete: RawField<'_>,
) {
    if field_text(status).is_some_and(|status| status != "in_progress" && status != "queued") {
        draft.set_stop_reason(status);
    }
    if let Some([reason]) = extract_fields(field_bytes(incomplete), ["reason"]) {
        draft.set_stop_reason(reason);
    }
}
