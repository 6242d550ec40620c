//! The server: what its clients share, and a connection for each.

use std::sync::Arc;

use crate::connection::Connection;
use crate::settings::McpSettings;
use crate::shared::Shared;
use crate::workspaces::OpenToolbox;

/// What all clients of a server share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) shared: Arc<Shared>,
}

impl Server {
    /// A server that opens toolboxes with `open`, at most once for each set of roots in use.
    pub fn new(settings: McpSettings, open: OpenToolbox) -> Self {
        Self { shared: Arc::new(Shared::new(settings, open)) }
    }

    /// A connection that lasts: all its requests come from one client.
    pub fn connection(&self) -> Connection {
        Connection::new(Arc::clone(&self.shared), Some(self.shared.next_connection()))
    }

    /// A connection that lasts if it begins with `initialize`; else its one request belongs to
    /// nobody known.
    pub(crate) fn request(&self) -> Connection {
        Connection::new(Arc::clone(&self.shared), None)
    }
}
