//! The tools as a server of the Model Context Protocol.
//!
//! [`Server`] holds what all clients share; [`stdio`] and [`http`] bring clients to it. Each
//! client has sessions of its own, so that nothing is pointed at that only another client was
//! shown. The tools run on threads beside the one that speaks the protocol.

mod call;
mod content;
mod handler;
pub mod http;
mod listing;
mod log;
mod opening;
mod person;
mod progress;
mod refusal;
mod report;
mod roots;
mod rounds;
mod server;
mod sessions;
mod settings;
mod signals;
pub mod stdio;
mod workspaces;

pub use self::handler::{Connection, DUPLICATES_NOTIFICATION, RESET_NOTIFICATION};
pub use self::server::Server;
pub use self::settings::McpSettings;
pub use self::workspaces::{BoxError, OpenToolbox};
