//! OpenAI's Responses.

mod answer_scan;
mod billed_usage;
pub(crate) mod event_decoder;
pub(crate) mod prompt_encoder;
mod request_items;
mod responses_api;
mod result_strings;

pub use self::request_items::{
    ASSUME_SUCCESS, ResponseItemReader, is_item_type, parse_responses_usage,
};
pub(crate) use self::responses_api::ResponsesApi;
