//! Test support: conversations as readable text, generators, and the laws as checks.
//!
//! [`parse_fixture`](fixture::parse_fixture) turns a readable text into a conversation.
//! [`prompt_summary`](render::prompt_summary) and its siblings render as text what the model would
//! see. [`conversation_scripts`](generate::conversation_scripts) generates random conversations
//! with consistent results, and [`laws::check_laws`] checks the laws on a projector at every
//! request. On misuse, everything here panics with a message for the author of the test.

pub mod atif;
pub mod client_requests;
pub mod embedding_server;
pub mod fixture;
pub mod fuzz_corpora;
pub mod generate;
pub mod laws;
pub mod long_conversation;
pub mod random_views;
pub mod render;
pub mod request_bodies;
pub mod session_text;
pub mod simulated_files;
pub mod stress_inputs;
pub mod terminal_screen;

pub use atif::render_atif;
pub use fixture::parse_fixture;
pub use generate::conversation_scripts;
pub use long_conversation::long_conversation;
pub use render::{prompt_summary, prompt_text, step_summary};
