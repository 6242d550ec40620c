//! The model's replies in each protocol: documents, stream events, errors.

mod answer_content;
mod answer_format;
mod chat;
mod gemini;
mod messages;
mod responses;

pub(crate) use answer_content::AnswerContent;
pub(crate) use answer_format::{
    answer_document, count_output_tokens, error_document, error_event, keep_alive_event,
    stream_events, token_count_document,
};
