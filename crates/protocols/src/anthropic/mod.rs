//! Anthropic's Messages.

pub(crate) mod answer_scan;
pub(crate) mod event_decoder;
pub(crate) mod prompt_encoder;
mod request_messages;

pub use self::request_messages::{
    add_message, add_response_blocks, parse_anthropic_usage, split_user_content,
};
