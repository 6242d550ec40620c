//! Readers of events and documents, one protocol a file.

pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod messages;
pub(super) mod responses;
