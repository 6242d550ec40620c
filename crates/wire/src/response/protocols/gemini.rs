//! Google's `generateContent` and `streamGenerateContent`.

use serde_json::value::RawValue;

use super::super::draft::Draft;
use super::super::pick::{Field, bytes, pick};

/// An event of a stream: a whole answer each, with the usage up to there.
pub(in super::super) fn event(draft: &mut Draft, data: &[u8]) {
    take(draft, data);
}

/// A whole answer, or, of a stream that was not asked for as events, the list of its parts.
pub(in super::super) fn document(draft: &mut Draft, json: &[u8]) {
    if json.trim_ascii_start().starts_with(b"[") {
        let parts: Vec<&RawValue> = serde_json::from_slice(json).unwrap_or_default();
        parts.iter().for_each(|part| take(draft, part.get().as_bytes()));
    } else {
        take(draft, json);
    }
}

fn take(draft: &mut Draft, json: &[u8]) {
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
    let Some([id, model, candidates, feedback, usage, error, inner, total]) = pick(json, keys)
    else {
        return;
    };
    // Logged-in Gemini CLIs are answered with the answer inside another object.
    if let (Some(inner), None) = (inner, candidates) {
        return take(draft, inner.get().as_bytes());
    }
    draft.take_id(id);
    draft.take_model(model);
    draft.take_usage(usage);
    draft.take_error(error);
    // A count of tokens is all its answer.
    draft.is_over |= total.is_some();
    take_reason(draft, candidates, feedback);
}

/// The first candidate's reason to stop, or why the prompt was refused.
fn take_reason(draft: &mut Draft, candidates: Field<'_>, feedback: Field<'_>) {
    let candidates: Option<Vec<&RawValue>> =
        candidates.and_then(|candidates| serde_json::from_str(candidates.get()).ok());
    let first = candidates.as_deref().and_then(<[_]>::first);
    let reason = first.and_then(|first| pick(first.get().as_bytes(), ["finishReason"]));
    let refusal = pick(bytes(feedback), ["blockReason"]);
    for [reason] in [reason, refusal].into_iter().flatten() {
        draft.is_over |= reason.is_some();
        draft.take_stop_reason(reason);
    }
}
