//! What all clients of a server share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rmcp::model::Tool;
use tokio::sync::Semaphore;

use crate::handler::Connection;
use crate::listing;
use crate::sessions::Sessions;
use crate::settings::McpSettings;
use crate::workspaces::{OpenToolbox, Workspaces};

/// What all clients of a server share. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Server {
    pub(crate) shared: Arc<Shared>,
}

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: McpSettings,
    pub(crate) workspaces: Workspaces,
    pub(crate) sessions: Sessions,
    /// Threads for calls: some must stay free for what keeps the protocol going.
    pub(crate) threads: Arc<Semaphore>,
    listed: OnceLock<Vec<Tool>>,
    connections: AtomicU64,
}

impl Server {
    /// A server that opens toolboxes with `open`, at most once for each set of roots in use.
    pub fn new(settings: McpSettings, open: OpenToolbox) -> Self {
        let sessions = Sessions::new(settings.sessions_max, settings.session_idle);
        let threads = Arc::new(Semaphore::new(settings.calls_max.max(1)));
        let shared = Shared {
            settings,
            workspaces: Workspaces::new(open),
            sessions,
            threads,
            listed: OnceLock::new(),
            connections: AtomicU64::new(0),
        };
        Self { shared: Arc::new(shared) }
    }

    /// A connection that lasts: all its requests come from one client.
    pub fn connection(&self) -> Connection {
        let number = self.shared.connections.fetch_add(1, Ordering::Relaxed) + 1;
        Connection::new(Arc::clone(&self.shared), Some(number))
    }

    /// A connection that lasts if it begins with `initialize`; else its one request belongs to
    /// nobody known.
    pub(crate) fn request(&self) -> Connection {
        Connection::new(Arc::clone(&self.shared), None)
    }
}

impl Shared {
    /// A number that no connection has had.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The tools as clients are told of them.
    pub(crate) fn tools(&self) -> &[Tool] {
        self.listed.get_or_init(|| listing::tools(self.settings.tools))
    }
}
