//! Readers of model API answers. The gateway reads events, usage and completion while the bytes
//! pass unchanged. foveal's own model clients decode the whole content.

pub(crate) mod answer_decoder;
mod answer_metadata;
pub(crate) mod answer_metadata_builder;
mod answer_reader;
pub(crate) mod billed_usage;
mod context_overflow;
pub(crate) mod field_extraction;
mod sse;
pub(crate) mod usage_fields;

pub use answer_decoder::{
    AnswerDecoder, DECODED_BYTES_MAX, DECODED_PARTS_MAX, DecodedAnswer, DecodedEvent, StopReason,
    parse_call_arguments,
};
pub use answer_metadata::{
    AnswerCompletion, AnswerError, AnswerMetadata, ERROR_BYTES_MAX, METADATA_TEXT_BYTES_MAX,
};
pub use answer_reader::{AnswerReader, DOCUMENT_BYTES_MAX};
pub use billed_usage::BilledUsage;
pub use context_overflow::ContextOverflow;
pub use sse::{EVENT_BYTES_MAX, EventSplitter, StreamEvent};
