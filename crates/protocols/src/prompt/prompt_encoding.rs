//! Encoding of prompts for all protocols.

use super::api_dialect::ApiDialect;
use super::prompt_content::Prompt;
use super::{chat, messages, responses};

/// Returns the body of a request for a streamed answer.
pub fn encode_prompt(dialect: ApiDialect, prompt: &Prompt<'_>) -> Vec<u8> {
    match dialect {
        ApiDialect::Messages => messages::encode(prompt),
        ApiDialect::Chat => chat::encode(prompt),
        ApiDialect::Responses => responses::encode(prompt),
    }
}
