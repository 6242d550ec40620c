//! Collects the metadata of an answer while its bytes arrive.

use serde_json::Value;
use serde_json::value::RawValue;

use super::answer_metadata::{
    AnswerCompletion, AnswerError, AnswerMetadata, ERROR_BYTES_MAX, METADATA_TEXT_BYTES_MAX,
    truncate_text,
};
use super::billed_usage::BilledUsage;
use super::field_extraction::{self, RawField, extract_fields, field_text};
use super::usage_fields;
use crate::json::JsonObject;

/// Collects the metadata of an answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerMetadataBuilder {
    pub(crate) model: Option<String>,
    pub(crate) id: Option<String>,
    pub(crate) stop_reason: Option<String>,
    pub(crate) error: Option<AnswerError>,
    /// Whether the protocol's last event was read.
    pub(crate) is_complete: bool,
    /// The provider's usage object, with the latest value of each field.
    usage: JsonObject,
}

impl AnswerMetadataBuilder {
    /// Merges a `usage` object. Counts only grow during an answer, so a 0 behind a larger count
    /// means that the server leaves the field out.
    pub(crate) fn merge_usage(&mut self, usage: RawField<'_>) {
        let told = usage.and_then(|usage| serde_json::from_str(usage.get()).ok());
        let Some(Value::Object(told)) = told else { return };
        for (key, value) in told {
            let is_less = value.as_u64() == Some(0) && self.usage.contains_key(&key);
            if usage_fields::USAGE_FIELDS.contains(&key.as_str()) && !value.is_null() && !is_less {
                self.usage.insert(key, value);
            }
        }
    }

    pub(crate) fn set_model(&mut self, field: RawField<'_>) {
        set_text(&mut self.model, field);
    }

    pub(crate) fn set_id(&mut self, field: RawField<'_>) {
        set_text(&mut self.id, field);
    }

    pub(crate) fn set_stop_reason(&mut self, field: RawField<'_>) {
        set_text(&mut self.stop_reason, field);
    }

    /// Sets an error in any of the providers' forms: `{"type", "message"}` (Anthropic, OpenAI),
    /// `{"code", "message"}`, `{"status", "message"}` (Google), or the message alone.
    pub(crate) fn set_error(&mut self, error: RawField<'_>) {
        let Some(error) = error else { return };
        if let Some(message) = field_text(Some(error)) {
            self.error =
                Some(AnswerError { kind: None, message: truncate_text(&message, ERROR_BYTES_MAX) });
        }
        let keys = ["status", "type", "code", "message"];
        let Some([status, kind, code, message]) =
            extract_fields(field_extraction::field_bytes(Some(error)), keys)
        else {
            return;
        };
        // A number is as good as a name here; an object is not.
        let number = |field: RawField<'_>| {
            field.map(RawValue::get).filter(|value| value.parse::<i64>().is_ok()).map(str::to_owned)
        };
        let word =
            |field| field_text(field).map(|word| truncate_text(&word, METADATA_TEXT_BYTES_MAX));
        let kind = word(kind).filter(|kind| kind != "error");
        let kind = word(status).or(kind).or(word(code)).or(number(code));
        let message = field_text(message).map(|message| truncate_text(&message, ERROR_BYTES_MAX));
        self.error = Some(AnswerError { kind, message: message.unwrap_or_default() });
    }

    /// Returns the metadata once no more bytes come, with the usage that `parse_usage` reads.
    pub(crate) fn finish(
        self,
        parse_usage: impl FnOnce(&JsonObject) -> BilledUsage,
    ) -> AnswerMetadata {
        let is_whole = self.is_complete || self.error.is_some();
        AnswerMetadata {
            billed: parse_usage(&self.usage),
            model: self.model,
            stop_reason: self.stop_reason,
            id: self.id,
            error: self.error,
            completion: if is_whole {
                AnswerCompletion::Complete
            } else {
                AnswerCompletion::Truncated
            },
        }
    }
}

fn set_text(place: &mut Option<String>, field: RawField<'_>) {
    if let Some(text) = field_text(field) {
        *place = Some(truncate_text(&text, METADATA_TEXT_BYTES_MAX));
    }
}
