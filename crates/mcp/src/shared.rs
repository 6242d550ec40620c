//! What all connections of a server share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use foveal_tools::session::Arrivals;
use rmcp::model::Tool;
use tokio::sync::Semaphore;

use crate::listing;
use crate::sessions::Sessions;
use crate::settings::McpSettings;
use crate::workspaces::{OpenToolbox, Workspaces};

#[derive(Debug)]
pub(crate) struct Shared {
    pub(crate) settings: McpSettings,
    pub(crate) workspaces: Workspaces,
    pub(crate) sessions: Sessions,
    /// Threads for calls: some must stay free for what keeps the protocol going.
    pub(crate) threads: Arc<Semaphore>,
    /// When requests arrive.
    pub(crate) arrivals: Arc<Arrivals>,
    listed: OnceLock<Vec<Tool>>,
    connections: AtomicU64,
}

impl Shared {
    pub(crate) fn new(settings: McpSettings, open: OpenToolbox) -> Self {
        let sessions = Sessions::new(settings.sessions_max, settings.session_idle);
        let threads = Arc::new(Semaphore::new(settings.calls_max.max(1)));
        Self {
            settings,
            workspaces: Workspaces::new(open),
            sessions,
            threads,
            arrivals: Arc::default(),
            listed: OnceLock::new(),
            connections: AtomicU64::new(0),
        }
    }

    /// A number that no connection has had.
    pub(crate) fn next_connection(&self) -> u64 {
        self.connections.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// The tools as clients are told of them.
    pub(crate) fn tools(&self) -> &[Tool] {
        self.listed.get_or_init(|| listing::tools(self.settings.tools))
    }
}
