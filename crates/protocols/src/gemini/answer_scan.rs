//! Metadata of answers of `generateContent`.

use serde_json::value::RawValue;

use crate::response::answer_metadata_builder::AnswerMetadataBuilder;
use crate::response::field_extraction::{RawField, extract_fields, field_bytes};

/// Reads a complete answer, or the list of parts of a stream that was not requested as events.
pub(super) fn read_document(draft: &mut AnswerMetadataBuilder, json: &[u8]) {
    if json.trim_ascii_start().starts_with(b"[") {
        let parts: Vec<&RawValue> = serde_json::from_slice(json).unwrap_or_default();
        parts.iter().for_each(|part| read_answer(draft, part.get().as_bytes()));
    } else {
        read_answer(draft, json);
    }
}

/// Reads an answer. A stream event is one, too, with the usage so far.
pub(super) fn read_answer(draft: &mut AnswerMetadataBuilder, json: &[u8]) {
    let keys = [
        "responseId",
        "modelVersion",
        "candidates",
        "promptFeedback",
        "usageMetadata",
        "error",
        "response",
        "totalTokens",
    ];
    let Some([id, model, candidates, feedback, usage, error, inner, total]) =
        extract_fields(json, keys)
    else {
        return;
    };
    // For logged-in users of Gemini CLI, the answer is inside of another object.
    if let (Some(inner), None) = (inner, candidates) {
        return read_answer(draft, inner.get().as_bytes());
    }
    draft.set_id(id);
    draft.set_model(model);
    draft.merge_usage(usage);
    draft.set_error(error);
    // A token count is a complete answer.
    draft.is_complete |= total.is_some();
    read_stop_reason(draft, candidates, feedback);
}

/// Reads the first candidate's stop reason, or the reason that the prompt was refused.
fn read_stop_reason(
    draft: &mut AnswerMetadataBuilder,
    candidates: RawField<'_>,
    feedback: RawField<'_>,
) {
    let candidates: Option<Vec<&RawValue>> =
        candidates.and_then(|candidates| serde_json::from_str(candidates.get()).ok());
    let first = candidates.as_deref().and_then(<[_]>::first);
    let reason = first.and_then(|first| extract_fields(first.get().as_bytes(), ["finishReason"]));
    let refusal = extract_fields(field_bytes(feedback), ["blockReason"]);
    for [reason] in [reason, refusal].into_iter().flatten() {
        draft.is_complete |= reason.is_some();
        draft.set_stop_reason(reason);
    }
}
