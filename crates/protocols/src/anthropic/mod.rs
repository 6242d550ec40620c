//! Anthropic's Messages.

mod answer_scan;
mod billed_usage;
pub(crate) mod event_decoder;
mod messages_api;
pub(crate) mod prompt_encoder;
mod request_messages;
mod result_strings;

pub(crate) use self::messages_api::MessagesApi;
pub use self::request_messages::{
    add_message, add_response_blocks, parse_anthropic_usage, split_user_content,
};
