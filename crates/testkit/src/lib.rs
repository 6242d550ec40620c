//! Dev-only: conversations as readable text, generators, and the laws as checks.
//!
//! [`fixture`](fixture::fixture) turns a readable text into a conversation,
//! [`visible`](render::visible) and its siblings turn what a model would see of one back
//! into text, and [`scripts`](generate::scripts) makes random conversations whose results
//! are true; [`laws::check`] holds a projector to the laws at every request. Everything
//! here panics on misuse with a message for the author of the test.

pub mod atif;
pub mod bodies;
pub mod corpora;
pub mod embedding_server;
pub mod fixture;
pub mod generate;
pub mod laws;
pub mod long;
pub mod render;
pub mod requests;
pub mod screen;
pub mod scripted_views;
pub mod sessions;
pub mod shapes;
pub mod world;

pub use atif::atif;
pub use fixture::fixture;
pub use generate::scripts;
pub use long::long_conversation;
pub use render::{course, prompt, visible};
