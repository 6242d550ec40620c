//! OpenAI's Chat Completions and its variants on other servers.

mod answer_scan;
mod billed_usage;
mod chat_api;
pub(crate) mod event_decoder;
pub(crate) mod prompt_encoder;
mod request_messages;
mod result_strings;

pub(crate) use self::chat_api::ChatApi;
pub use self::request_messages::{add_message, add_request_message, parse_call, parse_chat_usage};
