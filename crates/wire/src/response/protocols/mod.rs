//! What of each protocol's events and documents is read, one protocol a file.

pub(super) mod chat;
pub(super) mod gemini;
pub(super) mod messages;
pub(super) mod responses;
