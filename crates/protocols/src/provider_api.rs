//! The interface of an API's module: all that the shared readers of requests and answers ask it.

use foveal_transcript::ContentBlock;
use serde_json::Value;

use crate::conversation_builder::ConversationBuilder;
use crate::json::{self, JsonObject};
use crate::problem::ProblemCollector;
use crate::request_body::BodyError;
use crate::request_body::body_field::BodyField;
use crate::request_body::json_lookup::ByteRange;
use crate::request_body::result_strings::ResultStrings;
use crate::response::BilledUsage;
use crate::response::answer_metadata_builder::AnswerMetadataBuilder;

/// The position of a message in its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessagePosition {
    /// The index of the message.
    pub(crate) index: usize,
    /// Whether it is a system message that only system messages precede.
    pub(crate) is_leading_system_message: bool,
}

/// The forms of one model API.
pub(crate) trait ProviderApi: Sync {
    /// Returns the members of its request bodies, beside those of all APIs.
    fn body_fields(&self) -> &'static [(&'static str, BodyField)];

    /// Returns whether clients can set `cache_control` marks in its request bodies.
    fn has_cache_control(&self) -> bool {
        false
    }

    /// Returns the blocks of a system prompt that stands apart from the messages.
    fn system_blocks(&self, prompt: Value) -> Vec<ContentBlock> {
        json::message_blocks(Some(prompt))
    }

    /// Returns `draft` with one message of a request added.
    fn add_message(
        &self,
        draft: ConversationBuilder,
        message: JsonObject,
        position: MessagePosition,
        problems: &mut ProblemCollector,
    ) -> ConversationBuilder;

    /// Returns the strings of each tool result of a message, in order.
    fn result_strings(&self, message: &[u8]) -> Result<Vec<ResultStrings>, BodyError>;

    /// Returns whether the message at `place` is a single tool result.
    fn is_result_message(&self, _bytes: &[u8], _place: &ByteRange) -> Result<bool, BodyError> {
        Ok(false)
    }

    /// Returns whether the message at `place` is from the model, if one response of the API may be
    /// several messages. `None` if it may not, or the message does not tell.
    fn is_response_part(
        &self,
        _bytes: &[u8],
        _place: &ByteRange,
    ) -> Result<Option<bool>, BodyError> {
        Ok(None)
    }

    /// Reads a stream event of an answer.
    fn read_event(&self, draft: &mut AnswerMetadataBuilder, name: &[u8], data: &[u8]);

    /// Reads a complete answer.
    fn read_document(&self, draft: &mut AnswerMetadataBuilder, json: &[u8]);

    /// Returns the billed tokens of a usage object.
    fn parse_billed_usage(&self, usage: &JsonObject) -> BilledUsage;
}
