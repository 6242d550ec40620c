//! A prompt to bytes, whatever the protocol.

use super::dialect::Dialect;
use super::value::Prompt;
use super::{chat, messages, responses};

/// The body of a request for a streamed answer.
pub fn encode(dialect: Dialect, prompt: &Prompt<'_>) -> Vec<u8> {
    match dialect {
        Dialect::Messages => messages::encode(prompt),
        Dialect::Chat => chat::encode(prompt),
        Dialect::Responses => responses::encode(prompt),
    }
}
