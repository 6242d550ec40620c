//! Asks models over three model APIs: Anthropic Messages, OpenAI Chat Completions and OpenAI
//! Responses, which hosted providers and local servers speak.
//!
//! [`Client::ask`] sends a body that [`foveal_wire::prompt::encode`] made and tells what comes of
//! the answer while it streams. It repeats what may be repeated, and everything has a bound: time
//! to connect, to the first byte, between two bytes and for the whole, how often it is asked again,
//! bytes of an answer. Dropping the future ends the request. Keys stand in one header and in no
//! message.

mod attempt;
mod client;
mod error;
mod find;
mod patience;
mod provider;
mod refusal;
mod server;
mod spec;

pub use client::{AskEvent, Client};
pub use error::AskError;
pub use find::{Found, Local, find};
pub use foveal_asking::ProxySettings;
pub use patience::Patience;
pub use provider::{PROVIDERS, Provider};
pub use server::Server;
pub use spec::{KEY_VARIABLE, ModelSpec, SpecError};
