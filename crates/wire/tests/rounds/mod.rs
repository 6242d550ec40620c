//! Several answers of a model told as one, and the hidden rounds put back into requests.

mod chat;
mod gemini;
mod messages;
mod responses;
