//! Metadata of answers of Anthropic's Messages.

use crate::response::answer_metadata_builder::AnswerMetadataBuilder;
use crate::response::field_extraction::{
    RawField, extract_fields, field_bytes, field_text, may_have_field,
};

/// Reads a stream event. Events with text are not parsed.
pub(super) fn read_event(draft: &mut AnswerMetadataBuilder, name: &[u8], data: &[u8]) {
    let is_read = match name {
        b"message_start" | b"message_delta" | b"error" => true,
        b"message_stop" => {
            draft.is_complete = true;
            false
        }
        // Servers with a partial implementation of the protocol leave the name out.
        b"" | b"message" => {
            let has_type = |kind| memchr::memmem::find(data, kind).is_some();
            may_have_field(data, b"\"usage\"")
                || may_have_field(data, b"\"error\"")
                || has_type(b"\"message_stop\"".as_slice())
        }
        _ => false,
    };
    if !is_read {
        return;
    }
    let keys = ["type", "message", "delta", "usage", "error"];
    let Some([kind, message, delta, usage, error]) = extract_fields(data, keys) else { return };
    match field_text(kind).as_deref() {
        Some("message_start") => read_message(draft, message),
        Some("message_delta") => {
            draft.merge_usage(usage);
            if let Some([reason]) = extract_fields(field_bytes(delta), ["stop_reason"]) {
                draft.set_stop_reason(reason);
            }
        }
        Some("message_stop") => draft.is_complete = true,
        Some("error") => draft.set_error(error),
        _ => {}
    }
}

/// Reads a complete answer: a message, an error, or a token count.
pub(super) fn read_document(draft: &mut AnswerMetadataBuilder, json: &[u8]) {
    let Some([error]) = extract_fields(json, ["error"]) else { return };
    draft.set_error(error);
    draft.is_complete = true;
    if let Some([id, model, reason, usage]) =
        extract_fields(json, ["id", "model", "stop_reason", "usage"])
    {
        set_fields(draft, [id, model, reason, usage]);
    }
}

fn read_message(draft: &mut AnswerMetadataBuilder, message: RawField<'_>) {
    if let Some(fields) =
        extract_fields(field_bytes(message), ["id", "model", "stop_reason", "usage"])
    {
        set_fields(draft, fields);
    }
}

fn set_fields(draft: &mut AnswerMetadataBuilder, [id, model, reason, usage]: [RawField<'_>; 4]) {
    draft.set_id(id);
    draft.set_model(model);
    draft.set_stop_reason(reason);
    draft.merge_usage(usage);
}
