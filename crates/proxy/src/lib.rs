//! The gateway's decisions about requests of live clients. A client sends its whole history with
//! each request. This crate finds the conversation that a request continues, lets the engine decide
//! about the new messages, and splices the replacement texts into the client's own bytes.
//!
//! The crate does no I/O and reads no clock. The caller passes the time, and a
//! [`Recorder`](recorder::Recorder) that stores decisions before they are used.

mod answer_breakpoint;
mod auto_cache;
mod breakpoint_layout;
mod compaction;
mod conversation_cache;
mod conversation_locks;
mod conversation_registry;
mod conversation_state;
mod decoded_messages;
mod fingerprint_chain;
mod handle_style;
mod inactive_reason;
mod last_requests;
mod message_history;
mod message_texts;
mod model_windows;
mod pending_overrides;
mod prelude_tokens;
mod query_filter;
mod redacted_chain;
mod redactor;
mod request_context;
mod rewrite_backoff;
mod system_prompt;

mod body_replacements;
pub mod breakpoint_policy;
pub mod compress;
pub mod models;
pub mod overview;
pub mod price_overrides;
pub mod profile_rules;
pub mod prompt_changes;
pub mod recorder;
pub mod request;
pub mod request_shaper;
pub mod rules;

pub use compress::Compressor;
pub use handle_style::HandleStyle;
pub use redactor::Redactor;
pub use request_shaper::RequestShaper;
