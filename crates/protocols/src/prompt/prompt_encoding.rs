//! Encoding of prompts for all protocols.

use super::api_dialect::ApiDialect;
use super::prompt_content::Prompt;
use crate::{anthropic, openai_chat, openai_responses};

/// Returns the body of a request for a streamed answer.
pub fn encode_prompt(dialect: ApiDialect, prompt: &Prompt<'_>) -> Vec<u8> {
    match dialect {
        ApiDialect::Messages => anthropic::prompt_encoder::encode(prompt),
        ApiDialect::Chat => openai_chat::prompt_encoder::encode(prompt),
        ApiDialect::Responses => openai_responses::prompt_encoder::encode(prompt),
    }
}
