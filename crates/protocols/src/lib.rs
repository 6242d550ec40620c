//! The APIs of model providers: request bodies with the positions of their texts, answer streams,
//! and prompts as requests.
//!
//! Pure over bytes. Opaque blocks hold the recorded value as compact JSON, with the keys in
//! recorded order.

pub mod conversation_builder;
pub mod json;
pub mod lenient_json;
pub mod problem;
pub mod prompt;
mod protocol;
pub mod request_body;
pub mod requests;
pub mod response;

pub use protocol::Protocol;
