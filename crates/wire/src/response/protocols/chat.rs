//! OpenAI's Chat Completions, and what other servers made of them.

use serde_json::value::RawValue;

use super::super::draft::Draft;
use super::super::pick::{Field, bytes, pick, tells};

/// An event of a stream: a chunk, or `[DONE]`. Parsed are the first chunks, until model and id
/// are known, and those with usage, a reason to stop or an error.
pub(in super::super) fn event(draft: &mut Draft, data: &[u8]) {
    if data.trim_ascii() == b"[DONE]" {
        draft.is_over = true;
        return;
    }
    let is_known = draft.model.is_some() && draft.id.is_some();
    let tells = |key| tells(data, key);
    if !is_known || tells(b"\"usage\"") || tells(b"\"finish_reason\"") || tells(b"\"error\"") {
        document(draft, data);
    }
}

/// A chunk or a whole answer. It is over with a reason to stop, since not all servers send
/// `[DONE]`.
pub(in super::super) fn document(draft: &mut Draft, json: &[u8]) {
    let keys = ["id", "model", "choices", "usage", "error", "x_groq"];
    let Some([id, model, choices, usage, error, groq]) = pick(json, keys) else { return };
    draft.take_id(id);
    draft.take_model(model);
    draft.take_error(error);
    take_choice(draft, choices);
    if let Some([usage]) = pick(bytes(groq), ["usage"]) {
        draft.take_usage(usage);
    }
    draft.take_usage(usage);
}

/// Takes the first choice's reason to stop, and the usage that Moonshot puts beside it.
fn take_choice(draft: &mut Draft, choices: Field<'_>) {
    let choices: Option<Vec<&RawValue>> =
        choices.and_then(|choices| serde_json::from_str(choices.get()).ok());
    let Some(first) = choices.as_deref().and_then(<[_]>::first) else { return };
    if let Some([reason, usage]) = pick(first.get().as_bytes(), ["finish_reason", "usage"]) {
        draft.is_over |= reason.is_some();
        draft.take_stop_reason(reason);
        draft.take_usage(usage);
    }
}
