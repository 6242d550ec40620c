//! The APIs of model providers: request bodies with the positions of their texts, answer streams,
//! and prompts as requests.
//!
//! Each API has a module with the forms of its messages, events and requests. It implements
//! `ProviderApi`, which the shared code asks through [`Protocol`]. Scanning and splicing
//! of bodies ([`request_body`]), framing and metadata of answers ([`response`]) and the content of
//! prompts ([`prompt`]) are the same for all.
//!
//! Pure over bytes. Opaque blocks hold the recorded value as compact JSON, with the keys in
//! recorded order.

pub mod anthropic;
pub mod conversation_builder;
pub mod gemini;
pub mod json;
pub mod lenient_json;
pub mod openai_chat;
pub mod openai_responses;
pub mod problem;
pub mod prompt;
mod protocol;
mod provider_api;
pub mod request_body;
pub mod response;
pub mod wrapped_results;

pub use protocol::Protocol;
