//! The state that all connections of a server share.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use foveal_tools::session::LogicalClock;
use rmcp::model::Tool;
use tokio::sync::Semaphore;

use crate::sessions::SessionRegistry;
use crate::settings::McpSettings;
use crate::tool_definitions;
use crate::toolbox_cache::{ToolboxCache, ToolboxOpener};

#[derive(Debug)]
pub(crate) struct ServerState {
    pub(crate) settings: McpSettings,
    pub(crate) workspaces: ToolboxCache,
    pub(crate) sessions: SessionRegistry,
    /// Threads for calls; the limit keeps some free for the protocol.
    pub(crate) call_threads: Arc<Semaphore>,
    /// The clock that orders arrivals and deliveries.
    pub(crate) arrivals: Arc<LogicalClock>,
    tool_definitions: OnceLock<Vec<Tool>>,
    connection_count: AtomicU64,
}

impl ServerState {
    pub(crate) fn new(settings: McpSettings, open: ToolboxOpener) -> Self {
        let sessions = SessionRegistry::new(settings.sessions_max, settings.session_idle);
        let call_threads = Arc::new(Semaphore::new(settings.calls_max.max(1)));
        Self {
            settings,
            workspaces: ToolboxCache::new(open),
            sessions,
            call_threads,
            arrivals: Arc::default(),
            tool_definitions: OnceLock::new(),
            connection_count: AtomicU64::new(0),
        }
    }

    /// Returns an unused connection number.
    pub(crate) fn next_connection_number(&self) -> u64 {
        self.connection_count.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns the tool definitions in the protocol's form.
    pub(crate) fn tool_definitions(&self) -> &[Tool] {
        self.tool_definitions
            .get_or_init(|| tool_definitions::tool_definitions(self.settings.tools))
    }
}
