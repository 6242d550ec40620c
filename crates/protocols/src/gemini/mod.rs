//! Google's `generateContent` and `streamGenerateContent`.

mod answer_scan;
mod billed_usage;
mod gemini_api;
mod request_messages;
mod result_strings;

pub(crate) use self::gemini_api::GeminiApi;
pub use self::request_messages::{GooglePart, add_message, parse_parts};
