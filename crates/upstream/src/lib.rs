//! A model provider on loopback for tests and benchmarks of what stands in front of one.
//!
//! [`Upstream`] speaks Anthropic Messages (with `count_tokens`), OpenAI Chat Completions and
//! Responses, and Gemini `generateContent`, streamed and not. A [`Script`] says what the model
//! answers and what goes wrong; without one it answers with a short text. It simulates prompt
//! caching and bills by it, with a clock that the test moves. Of every request it keeps a
//! [`Seen`]: the bytes as they came, what was billed, how much of the prompt it had seen before,
//! and which rules of the API were broken.

mod answers;
mod body;
mod cache;
mod encoding;
mod fault;
mod head;
mod judge;
mod pairing;
mod prompt;
mod reply;
mod request;
mod route;
mod seen;
mod server;
mod service;
mod settings;

pub use cache::Bill;
pub use encoding::{Encoding, UnknownEncoding};
pub use fault::Fault;
pub use judge::Common;
pub use pairing::Broken;
pub use prompt::Lifetime;
pub use reply::{Asked, Call, Play, Reply, Script};
pub use route::Route;
pub use seen::{Delivery, Seen};
pub use server::Upstream;
pub use settings::{Keeps, Settings};
