//! Serves the tool catalogue as a Model Context Protocol server.
//!
//! [`McpServer`] holds the state that all clients share; [`stdio`] and [`http`] are the transports.
//! Each client has sessions of its own, so that an answer never points at content that only another
//! client received. Tool calls run on blocking threads beside the thread of the protocol.

mod approver;
mod call;
mod caller;
mod client_limits;
mod connection;
mod delivery_tracker;
mod elicitation;
mod handler;
pub mod http;
mod in_flight_requests;
mod instructions;
mod invalid_request;
mod line_reader;
mod log;
mod message;
mod parsed_lines;
mod progress;
mod request_ids;
mod resources;
mod roots;
mod round_trips;
mod runtime;
mod server;
mod server_state;
mod session_report;
mod sessions;
mod settings;
mod stdin;
pub mod stdio;
mod stream_transport;
mod tool_definitions;
mod toolbox_cache;

pub use self::connection::ClientConnection;
pub use self::handler::{DUPLICATES_NOTIFICATION, RESET_NOTIFICATION};
pub use self::parsed_lines::{ParsedLine, parse_lines};
pub use self::server::McpServer;
pub use self::settings::{ClientLimit, McpSettings};
pub use self::toolbox_cache::{BoxError, ToolboxOpener};
