//! Clients over HTTP: one address, `/mcp`, by the protocol's streamable transport.

mod answer_body;
mod auth;
mod body;
mod clear;
mod coding;
mod connections;
mod endpoint;
mod guests;
mod heads;
mod hosts;
mod line;
mod listen;
mod read_last;
mod settings;

pub use foveal_listening::Token;

pub use self::heads::taken_heads;
pub use self::listen::{serve, serve_on};
pub use self::settings::{HttpError, HttpSettings, PATH, Patience};
