//! An answer while its bytes come.

use serde_json::Value;
use serde_json::value::RawValue;

use super::answer::{Answer, AnswerError, ERROR_BYTES_MAX, End, TEXT_BYTES_MAX, cut};
use super::pick::{self, Field, pick, text};
use super::usage;
use crate::json::Object;
use crate::protocol::Protocol;

/// What was read of an answer so far.
#[derive(Debug, Default)]
pub(super) struct Draft {
    pub(super) model: Option<String>,
    pub(super) id: Option<String>,
    pub(super) stop_reason: Option<String>,
    pub(super) error: Option<AnswerError>,
    /// Whether the protocol's last event was read.
    pub(super) is_over: bool,
    /// The provider's usage, field by field the last that was told.
    usage: Object,
}

impl Draft {
    /// Takes what `usage` tells. Counts only grow while an answer comes, so a 0 behind a larger
    /// count is a server that leaves a field out.
    pub(super) fn take_usage(&mut self, usage: Field<'_>) {
        let told = usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
        let Some(Value::Object(told)) = told else { return };
        for (key, value) in told {
            let is_less = value.as_u64() == Some(0) && self.usage.contains_key(&key);
            if usage::FIELDS.contains(&key.as_str()) && !value.is_null() && !is_less {
                self.usage.insert(key, value);
            }
        }
    }

    pub(super) fn take_model(&mut self, field: Field<'_>) {
        take_text(&mut self.model, field);
    }

    pub(super) fn take_id(&mut self, field: Field<'_>) {
        take_text(&mut self.id, field);
    }

    pub(super) fn take_stop_reason(&mut self, field: Field<'_>) {
        take_text(&mut self.stop_reason, field);
    }

    /// Takes an error in any of the providers' forms: `{"type", "message"}` (Anthropic, OpenAI),
    /// `{"code", "message"}`, `{"status", "message"}` (Google), or its message alone.
    pub(super) fn take_error(&mut self, error: Field<'_>) {
        let Some(error) = error else { return };
        if let Some(message) = text(Some(error)) {
            self.error = Some(AnswerError { kind: None, message: cut(&message, ERROR_BYTES_MAX) });
        }
        let keys = ["status", "type", "code", "message"];
        let Some([status, kind, code, message]) = pick(pick::bytes(Some(error)), keys) else {
            return;
        };
        // A number says as much as a word here; an object does not.
        let number = |field: Field<'_>| {
            field.map(RawValue::get).filter(|value| value.parse::<i64>().is_ok()).map(str::to_owned)
        };
        let word = |field| text(field).map(|word| cut(&word, TEXT_BYTES_MAX));
        let kind = word(kind).filter(|kind| kind != "error");
        let kind = word(status).or(kind).or(word(code)).or(number(code));
        let message = text(message).map(|message| cut(&message, ERROR_BYTES_MAX));
        self.error = Some(AnswerError { kind, message: message.unwrap_or_default() });
    }

    /// What the answer was, once no more of it comes.
    pub(super) fn end(self, protocol: Protocol) -> Answer {
        let is_whole = self.is_over || self.error.is_some();
        Answer {
            billed: usage::billed(protocol, &self.usage),
            model: self.model,
            stop_reason: self.stop_reason,
            id: self.id,
            error: self.error,
            ended: if is_whole { End::Whole } else { End::Cut },
        }
    }
}

fn take_text(place: &mut Option<String>, field: Field<'_>) {
    if let Some(text) = text(field) {
        *place = Some(cut(&text, TEXT_BYTES_MAX));
    }
}
