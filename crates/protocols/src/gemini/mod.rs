//! Google's `generateContent` and `streamGenerateContent`.

pub(crate) mod answer_scan;
mod request_messages;

pub use self::request_messages::{GooglePart, add_message, parse_parts};
