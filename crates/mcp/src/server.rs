//! The server: the state that its clients share, and a connection for each.

use std::sync::Arc;

use crate::connection::ClientConnection;
use crate::server_state::ServerState;
use crate::settings::McpSettings;
use crate::toolbox_cache::ToolboxOpener;

/// An MCP server: the state that all clients share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct McpServer {
    pub(crate) shared: Arc<ServerState>,
}

impl McpServer {
    /// Creates a server that opens toolboxes with `open`, at most once for each set of roots in
    /// use.
    pub fn new(settings: McpSettings, open: ToolboxOpener) -> Self {
        Self { shared: Arc::new(ServerState::new(settings, open)) }
    }

    /// Opens a lasting connection: all its requests come from one client.
    pub fn open_connection(&self) -> ClientConnection {
        ClientConnection::new(Arc::clone(&self.shared), Some(self.shared.next_connection_number()))
    }

    /// Opens a connection that lasts only if its first request is `initialize`; otherwise that one
    /// request belongs to no known client.
    pub(crate) fn open_request_connection(&self) -> ClientConnection {
        ClientConnection::new(Arc::clone(&self.shared), None)
    }
}
