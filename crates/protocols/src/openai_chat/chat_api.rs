//! The forms of Chat Completions.

use super::{answer_scan, billed_usage, request_messages, result_strings};
use crate::conversation_builder::ConversationBuilder;
use crate::json::JsonObject;
use crate::problem::ProblemCollector;
use crate::provider_api::{MessagePosition, ProviderApi};
use crate::request_body::BodyError;
use crate::request_body::body_field::BodyField;
use crate::request_body::json_lookup::{self, ByteRange};
use crate::request_body::result_strings::ResultStrings;
use crate::response::BilledUsage;
use crate::response::answer_metadata_builder::AnswerMetadataBuilder;

/// OpenAI's Chat Completions.
pub(crate) struct ChatApi;

impl ProviderApi for ChatApi {
    fn body_fields(&self) -> &'static [(&'static str, BodyField)] {
        &[
            ("max_completion_tokens", BodyField::MaxTokens),
            ("max_tokens", BodyField::MaxTokens),
            ("messages", BodyField::Messages),
            ("reasoning_effort", BodyField::ReasoningEffort),
            ("response_format", BodyField::OutputFormat),
        ]
    }

    fn add_message(
        &self,
        mut draft: ConversationBuilder,
        message: JsonObject,
        _position: MessagePosition,
        problems: &mut ProblemCollector,
    ) -> ConversationBuilder {
        request_messages::add_request_message(&mut draft, message, problems);
        draft
    }

    fn result_strings(&self, message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
        result_strings::result_strings(message)
    }

    fn is_result_message(&self, bytes: &[u8], place: &ByteRange) -> Result<bool, BodyError> {
        let role = json_lookup::member_text(bytes, place, "role")?;
        Ok(matches!(role.as_deref(), Some("tool" | "function")))
    }

    fn read_event(&self, draft: &mut AnswerMetadataBuilder, _name: &[u8], data: &[u8]) {
        answer_scan::read_event(draft, data);
    }

    fn read_document(&self, draft: &mut AnswerMetadataBuilder, json: &[u8]) {
        answer_scan::read_document(draft, json);
    }

    fn parse_billed_usage(&self, usage: &JsonObject) -> BilledUsage {
        billed_usage::parse_billed_usage(usage)
    }
}
