//! Decodes the complete content of an answer while it streams, for foveal's own model clients.
//!
//! An [`AnswerDecoder`] contains an [`AnswerReader`](super::AnswerReader) for usage and completion.

mod call_arguments;
mod decoded_event;
pub(crate) mod decoded_parts;
mod decoder;
mod stop_reason;

pub use call_arguments::parse_call_arguments;
pub use decoded_event::DecodedEvent;
pub use decoded_parts::{DECODED_BYTES_MAX, DECODED_PARTS_MAX};
pub use decoder::{AnswerDecoder, DecodedAnswer};
pub use stop_reason::StopReason;
