//! OpenAI's Chat Completions and its variants on other servers.

pub(crate) mod answer_scan;
pub(crate) mod event_decoder;
pub(crate) mod prompt_encoder;
mod request_messages;

pub use self::request_messages::{add_message, add_request_message, parse_call, parse_chat_usage};
