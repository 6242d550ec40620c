//! Serves clients over the protocol's streamable HTTP transport at one path, `/mcp`.

mod allowed_hosts;
mod ambiguity;
mod answer_body;
mod auth;
mod body_encoding;
mod connections;
mod endpoint;
mod listener;
mod recent_bytes;
mod request_body;
mod request_head;
mod session_eviction;
mod settings;
mod tracked_connection;

pub use foveal_http_guard::AccessToken;

pub use self::listener::{serve, serve_listener};
pub use self::request_head::admitted_heads;
pub use self::settings::{HttpError, HttpSettings, HttpTimeouts, MCP_PATH};
