//! What the model says, put into each protocol: documents, the events of streams, errors.

mod chat;
mod gemini;
mod messages;
mod responses;
mod said;
mod spoken;

pub(crate) use said::Said;
pub(crate) use spoken::{count, document, error, error_event, events, keep_alive, output};
