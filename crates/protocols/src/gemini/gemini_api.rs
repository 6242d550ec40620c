//! The forms of Google's `generateContent`.

use foveal_transcript::ContentBlock;
use serde_json::Value;

use super::{answer_scan, billed_usage, request_messages, result_strings};
use crate::conversation_builder::ConversationBuilder;
use crate::json::{self, JsonObject};
use crate::problem::ProblemCollector;
use crate::provider_api::{MessagePosition, ProviderApi};
use crate::request_body::BodyError;
use crate::request_body::body_field::BodyField;
use crate::request_body::result_strings::ResultStrings;
use crate::response::BilledUsage;
use crate::response::answer_metadata_builder::AnswerMetadataBuilder;

/// Google's `generateContent`.
pub(crate) struct GeminiApi;

impl ProviderApi for GeminiApi {
    fn body_fields(&self) -> &'static [(&'static str, BodyField)] {
        &[
            ("contents", BodyField::Messages),
            ("generationConfig", BodyField::GenerationConfig),
            ("generation_config", BodyField::GenerationConfig),
            ("systemInstruction", BodyField::System),
            ("system_instruction", BodyField::System),
        ]
    }

    fn system_blocks(&self, prompt: Value) -> Vec<ContentBlock> {
        match prompt {
            Value::Object(mut content) => {
                json::message_blocks(json::take_value(&mut content, "parts"))
            }
            text => json::message_blocks(Some(text)),
        }
    }

    fn add_message(
        &self,
        mut draft: ConversationBuilder,
        message: JsonObject,
        _position: MessagePosition,
        problems: &mut ProblemCollector,
    ) -> ConversationBuilder {
        request_messages::add_message(&mut draft, message, problems);
        draft
    }

    fn result_strings(&self, message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
        result_strings::result_strings(message)
    }

    fn read_event(&self, draft: &mut AnswerMetadataBuilder, _name: &[u8], data: &[u8]) {
        answer_scan::read_answer(draft, data);
    }

    fn read_document(&self, draft: &mut AnswerMetadataBuilder, json: &[u8]) {
        answer_scan::read_document(draft, json);
    }

    fn parse_billed_usage(&self, usage: &JsonObject) -> BilledUsage {
        billed_usage::parse_billed_usage(usage)
    }
}
