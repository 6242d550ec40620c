//! Clients over HTTP: one address, `/mcp`, by the protocol's streamable transport.

mod auth;
mod listen;
mod settings;

pub use self::listen::{serve, serve_on};
pub use self::settings::{HttpError, HttpSettings, PATH, Token};
