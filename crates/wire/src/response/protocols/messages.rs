//! Anthropic's Messages.

use super::super::draft::Draft;
use super::super::pick::{Field, bytes, pick, tells, text};

/// An event of a stream. Those with text are not even parsed.
pub(in super::super) fn event(draft: &mut Draft, name: &[u8], data: &[u8]) {
    let is_read = match name {
        b"message_start" | b"message_delta" | b"error" => true,
        b"message_stop" => {
            draft.is_over = true;
            false
        }
        // Servers that speak this protocol by halves leave the name out.
        b"" | b"message" => {
            let has_type = |kind| memchr::memmem::find(data, kind).is_some();
            tells(data, b"\"usage\"")
                || tells(data, b"\"error\"")
                || has_type(b"\"message_stop\"".as_slice())
        }
        _ => false,
    };
    if !is_read {
        return;
    }
    let keys = ["type", "message", "delta", "usage", "error"];
    let Some([kind, message, delta, usage, error]) = pick(data, keys) else { return };
    match text(kind).as_deref() {
        Some("message_start") => take_message(draft, message),
        Some("message_delta") => {
            draft.take_usage(usage);
            if let Some([reason]) = pick(bytes(delta), ["stop_reason"]) {
                draft.take_stop_reason(reason);
            }
        }
        Some("message_stop") => draft.is_over = true,
        Some("error") => draft.take_error(error),
        _ => {}
    }
}

/// A whole answer: a message, an error, or a count of tokens.
pub(in super::super) fn document(draft: &mut Draft, json: &[u8]) {
    let Some([error]) = pick(json, ["error"]) else { return };
    draft.take_error(error);
    draft.is_over = true;
    if let Some([id, model, reason, usage]) = pick(json, ["id", "model", "stop_reason", "usage"]) {
        take(draft, [id, model, reason, usage]);
    }
}

fn take_message(draft: &mut Draft, message: Field<'_>) {
    if let Some(fields) = pick(bytes(message), ["id", "model", "stop_reason", "usage"]) {
        take(draft, fields);
    }
}

fn take(draft: &mut Draft, [id, model, reason, usage]: [Field<'_>; 4]) {
    draft.take_id(id);
    draft.take_model(model);
    draft.take_stop_reason(reason);
    draft.take_usage(usage);
}
