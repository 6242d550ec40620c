//! OpenAI's Responses.

pub(crate) mod answer_scan;
pub(crate) mod event_decoder;
pub(crate) mod prompt_encoder;
mod request_items;

pub use self::request_items::{
    ASSUME_SUCCESS, ResponseItemReader, is_item_type, parse_responses_usage,
};
