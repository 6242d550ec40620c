//! The tools as a server of the Model Context Protocol.
//!
//! [`Server`] holds what all clients share; [`stdio`] and [`http`] bring clients to it. Each
//! client has sessions of its own, so that nothing is pointed at that only another client was
//! shown. The tools run on threads beside the one that speaks the protocol.

mod approver;
mod call;
mod caller;
mod claims;
mod clients;
mod connection;
mod elicitation;
mod handler;
pub mod http;
mod input;
mod instructions;
mod invalid_request;
mod lines;
mod listing;
mod log;
mod message;
mod office;
mod passage;
mod progress;
mod resources;
mod roots;
mod round_trips;
mod runtime;
mod server;
mod session_report;
mod sessions;
mod settings;
mod shared;
pub mod stdio;
mod streams;
mod taken;
mod workspaces;

pub use self::connection::Connection;
pub use self::handler::{DUPLICATES_NOTIFICATION, RESET_NOTIFICATION};
pub use self::server::Server;
pub use self::settings::McpSettings;
pub use self::taken::{TakenLine, taken_lines};
pub use self::workspaces::{BoxError, OpenToolbox};
