//! The forms of OpenAI's Responses.

use foveal_transcript::ContentBlock;
use serde_json::Value;

use super::request_items::{ASSUME_SUCCESS, ResponseItemReader};
use super::{answer_scan, billed_usage, result_strings};
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

/// OpenAI's Responses.
pub(crate) struct ResponsesApi;

impl ProviderApi for ResponsesApi {
    fn body_fields(&self) -> &'static [(&'static str, BodyField)] {
        &[
            ("conversation", BodyField::Conversation),
            ("input", BodyField::Messages),
            ("instructions", BodyField::System),
            ("max_output_tokens", BodyField::MaxTokens),
            ("previous_response_id", BodyField::PreviousResponse),
            ("text", BodyField::Text),
            ("truncation", BodyField::Truncation),
        ]
    }

    fn system_blocks(&self, prompt: Value) -> Vec<ContentBlock> {
        match prompt {
            Value::String(text) => vec![ContentBlock::Text(text)],
            _ => Vec::new(),
        }
    }

    fn add_message(
        &self,
        draft: ConversationBuilder,
        message: JsonObject,
        position: MessagePosition,
        problems: &mut ProblemCollector,
    ) -> ConversationBuilder {
        let mut items = ResponseItemReader::new(draft, ASSUME_SUCCESS);
        items.earlier_items = position.index;
        items.read_item(message, None, problems);
        items.draft
    }

    fn result_strings(&self, message: &[u8]) -> Result<Vec<ResultStrings>, BodyError> {
        result_strings::result_strings(message)
    }

    fn is_result_message(&self, bytes: &[u8], place: &ByteRange) -> Result<bool, BodyError> {
        let kind = json_lookup::member_text(bytes, place, "type")?;
        Ok(kind.is_some_and(|kind| kind.ends_with("_output")))
    }

    fn is_response_part(&self, bytes: &[u8], place: &ByteRange) -> Result<Option<bool>, BodyError> {
        Ok(match json_lookup::member_text(bytes, place, "type")?.as_deref() {
            None | Some("message") => {
                match json_lookup::member_text(bytes, place, "role")?.as_deref() {
                    Some("assistant") => Some(true),
                    Some("user" | "system" | "developer") => Some(false),
                    _ => None,
                }
            }
            Some(kind) => Some(!kind.ends_with("_output")),
        })
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
