//! Metadata of answers of Chat Completions.

use serde_json::value::RawValue;

use crate::response::answer_metadata_builder::AnswerMetadataBuilder;
use crate::response::field_extraction::{RawField, extract_fields, field_bytes, may_have_field};

/// Reads a stream event: a chunk or `[DONE]`. Parses the first chunks until model and id are known,
/// and the chunks with usage, a stop reason or an error.
pub(super) fn read_event(draft: &mut AnswerMetadataBuilder, data: &[u8]) {
    if data.trim_ascii() == b"[DONE]" {
        draft.is_complete = true;
        return;
    }
    let is_known = draft.model.is_some() && draft.id.is_some();
    let tells = |key| may_have_field(data, key);
    if !is_known || tells(b"\"usage\"") || tells(b"\"finish_reason\"") || tells(b"\"error\"") {
        read_document(draft, data);
    }
}

/// Reads a chunk or a complete answer. A stop reason completes the answer, since not all servers
/// send `[DONE]`.
pub(super) fn read_document(draft: &mut AnswerMetadataBuilder, json: &[u8]) {
    let keys = ["id", "model", "choices", "usage", "error", "x_groq"];
    let Some([id, model, choices, usage, error, groq]) = extract_fields(json, keys) else { return };
    draft.set_id(id);
    draft.set_model(model);
    draft.set_error(error);
    read_choice(draft, choices);
    if let Some([usage]) = extract_fields(field_bytes(groq), ["usage"]) {
        draft.merge_usage(usage);
    }
    draft.merge_usage(usage);
}

/// Reads the first choice's stop reason, and the usage that Moonshot puts beside it.
fn read_choice(draft: &mut AnswerMetadataBuilder, choices: RawField<'_>) {
    let choices: Option<Vec<&RawValue>> =
        choices.and_then(|choices| serde_json::from_str(choices.get()).ok());
    let Some(first) = choices.as_deref().and_then(<[_]>::first) else { return };
    if let Some([reason, usage]) =
        extract_fields(first.get().as_bytes(), ["finish_reason", "usage"])
    {
        draft.is_complete |= reason.is_some();
        draft.set_stop_reason(reason);
        draft.merge_usage(usage);
    }
}
