//! The forms of Anthropic's Messages.

use super::{answer_scan, billed_usage, request_messages, result_strings};
use crate::conversation_builder::ConversationBuilder;
use crate::json::JsonObject;
use crate::problem::ProblemCollector;
use crate::provider_api::{MessagePosition, ProviderApi};
use crate::request_body::BodyError;
use crate::request_body::body_field::BodyField;
use crate::request_body::result_strings::ResultStrings;
use crate::response::BilledUsage;
use crate::response::answer_metadata_builder::AnswerMetadataBuilder;

/// Anthropic's Messages.
pub(crate) struct MessagesApi;

impl ProviderApi for MessagesApi {
    fn body_fields(&self) -> &'static [(&'static str, BodyField)] {
        &[
            ("max_tokens", BodyField::MaxTokens),
            ("messages", BodyField::Messages),
            ("output_config", BodyField::OutputConfig),
            ("output_format", BodyField::OutputFormat),
            ("system", BodyField::System),
            ("tool_choice", BodyField::ToolChoice),
        ]
    }

    fn has_cache_control(&self) -> bool {
        true
    }

    fn add_message(
        &self,
        mut draft: ConversationBuilder,
        message: JsonObject,
        position: MessagePosition,
        problems: &mut ProblemCollector,
    ) -> ConversationBuilder {
        let is_first = position.is_leading_system_message;
        request_messages::add_message(&mut draft, message, is_first, problems);
        draft
    }

    fn result_strings(&self, message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
        result_strings::result_strings(message)
    }

    fn read_event(&self, draft: &mut AnswerMetadataBuilder, name: &[u8], data: &[u8]) {
        answer_scan::read_event(draft, name, data);
    }

    fn read_document(&self, draft: &mut AnswerMetadataBuilder, json: &[u8]) {
        answer_scan::read_document(draft, json);
    }

    fn parse_billed_usage(&self, usage: &JsonObject) -> BilledUsage {
        billed_usage::parse_billed_usage(usage)
    }
}
