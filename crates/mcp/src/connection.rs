//! A client's connection: its workspace, and the sessions that its calls belong to.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use foveal_tools::{ToolSession, Toolbox};
use foveal_transcript::Handle;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::caller::Caller;
use crate::client_limits;
use crate::log::{LogThreshold, Severity};
use crate::roots::{self, ClientRoots, RootFolders};
use crate::round_trips::{self, RoundTrips};
use crate::server_state::ServerState;
use crate::sessions::{ClientSession, PromptIdentity, SessionKey};
use crate::toolbox_cache::BoxError;

/// Request metadata that names the client's conversation.
const SESSION_NAME_KEY: &str = "foveal/session";

/// Longest session name that a client may give, in bytes.
const SESSION_NAME_BYTES_MAX: usize = 200;

/// The number of requests that belong to no connection.
const NO_CONNECTION: u64 = 0;

/// The error while the client's changed folders are unknown.
const UNKNOWN_ROOTS_MESSAGE: &str = "the client reported that its folders changed, but did not \
                                     list them; the next call asks again";

/// Duplicate detection on or off, or the server's setting (null).
#[derive(Debug, Clone, Copy)]
pub(crate) struct DedupOverride(pub(crate) Option<bool>);

impl DedupOverride {
    pub(crate) fn from_json(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(enable) => Some(Self(Some(*enable))),
            Value::Null => Some(Self(None)),
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// A client's connection.
#[derive(Debug)]
pub struct ClientConnection {
    pub(crate) shared: Arc<ServerState>,
    connection_number: AtomicU64,
    workspace: Mutex<Option<ConnectionWorkspace>>,
    /// Whether the client may have changed its roots.
    has_stale_roots: AtomicBool,
    /// The client's duplicate detection override for new sessions.
    dedup_override: std::sync::Mutex<Option<bool>>,
    pub(crate) threshold: LogThreshold,
}

/// The roots of a connection and the toolbox opened on them.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionWorkspace {
    roots: Vec<PathBuf>,
    toolbox: Arc<Toolbox>,
}

/// Identifies the session of a request without blocking. [`Self::open_session`] creates it, on a
/// thread that may block.
#[derive(Debug)]
pub(crate) struct SessionRef {
    shared: Arc<ServerState>,
    workspace: ConnectionWorkspace,
    /// [`NO_CONNECTION`] if the client is unknown.
    connection_number: u64,
    caller: Caller,
    /// The duplicate detection override for a new session.
    dedup_override: Option<bool>,
    /// The client's name.
    client_name: Option<String>,
}

impl SessionRef {
    /// Returns the session, and creates it if needed. Blocks.
    pub(crate) fn open_session(self) -> Arc<ClientSession> {
        let toolbox = &self.workspace.toolbox;
        let prompt = self.caller.resolve_prompt(toolbox);
        // Other ids are never reused: a session restores what is stored under its id, which would
        // belong to another conversation.
        let make = || {
            let new_id = || format!("mcp-{}", Uuid::new_v4().simple());
            let session = match &prompt {
                PromptIdentity::Unknown => ToolSession::new_stateless(toolbox, new_id()),
                PromptIdentity::Recorded(reader) => {
                    ToolSession::new(toolbox, new_id()).with_reader(reader)
                }
                PromptIdentity::Sole => ToolSession::new(toolbox, new_id()),
                PromptIdentity::Named(name) => {
                    let id = named_session_id(name, &self.workspace.roots);
                    let session = ToolSession::new(toolbox, id);
                    // Calls are remembered over a restart. Whether the client's prompt still holds
                    // their answers is not known.
                    session.clear_visibility();
                    session
                }
            };
            let room = client_limits::output_budget_for(
                self.client_name.as_deref(),
                &self.shared.settings,
                &toolbox.settings,
            );
            let session =
                session.with_logical_clock(&self.shared.arrivals).with_output_budget(room);
            if self.dedup_override.is_some() {
                session.duplicates.set_detection(self.dedup_override);
            }
            ClientSession::new(session)
        };
        let is_nobodys = self.connection_number == NO_CONNECTION
            && matches!(prompt, PromptIdentity::Sole | PromptIdentity::Unknown);
        if is_nobodys {
            return Arc::new(make());
        }
        let (connection, roots) = (self.connection_number, self.workspace.roots.clone());
        let key = SessionKey { connection, prompt: prompt.clone(), roots };
        self.shared.sessions.get_or_insert_with(&key, make)
    }

    /// Returns the session to report on. If the request does not say which of several, that is the
    /// session of the last call. Blocks.
    pub(crate) fn open_latest_session(self) -> Arc<ClientSession> {
        let latest = match self.caller {
            Caller::Unknown => self.shared.sessions.latest_session(self.connection_number),
            Caller::Sole | Caller::Named(_) | Caller::ToolUse(_) => None,
        };
        latest.unwrap_or_else(|| self.open_session())
    }
}

impl ClientConnection {
    pub(crate) fn new(shared: Arc<ServerState>, number: Option<u64>) -> Self {
        Self {
            shared,
            connection_number: AtomicU64::new(number.unwrap_or(NO_CONNECTION)),
            workspace: Mutex::new(None),
            has_stale_roots: AtomicBool::new(false),
            dedup_override: std::sync::Mutex::default(),
            threshold: LogThreshold::new(),
        }
    }

    /// Assigns a connection number, if there is none.
    pub(crate) fn assign_number(&self) {
        if self.number() == NO_CONNECTION {
            self.connection_number.store(self.shared.next_connection_number(), Ordering::Relaxed);
        }
    }

    /// Makes the next request ask the client for its folders.
    pub(crate) fn invalidate_roots(&self) {
        self.has_stale_roots.store(true, Ordering::Relaxed);
    }

    fn number(&self) -> u64 {
        self.connection_number.load(Ordering::Relaxed)
    }

    /// Returns the session that a request belongs to; `None` if the client must be asked for its
    /// folders first.
    pub(crate) async fn resolve_session(
        &self,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<SessionRef>, BoxError> {
        let Some(workspace) = self.resolve_workspace(context, round_trips).await? else {
            return Ok(None);
        };
        let name = context.meta.get(SESSION_NAME_KEY).and_then(|name| name.as_str());
        let name = name.filter(|name| !name.is_empty() && name.len() <= SESSION_NAME_BYTES_MAX);
        let caller = name
            .map_or_else(|| Caller::from_request(context), |name| Caller::Named(name.to_owned()));
        let (shared, connection) = (Arc::clone(&self.shared), self.number());
        let detect = *self.dedup_override.lock().unwrap_or_else(PoisonError::into_inner);
        let client = context.client_info().map(|info| info.name);
        Ok(Some(SessionRef {
            shared,
            workspace,
            connection_number: connection,
            caller,
            dedup_override: detect,
            client_name: client,
        }))
    }

    /// Applies a `notifications/foveal/duplicates`; fields that cannot be read are ignored.
    pub(crate) fn apply_duplicates_notification(&self, params: &Value) {
        let name = params.get("session").and_then(Value::as_str);
        let enable = params.get("enable").and_then(DedupOverride::from_json);
        let clear = params.get("clear").and_then(Value::as_bool) == Some(true);
        if let (Some(DedupOverride(enable)), None) = (enable, name) {
            *self.dedup_override.lock().unwrap_or_else(PoisonError::into_inner) = enable;
        }
        self.shared.sessions.for_each_session(self.number_or_unused(), name, |session| {
            if let Some(DedupOverride(enable)) = enable {
                session.duplicates.set_detection(enable);
            }
            if clear {
                session.duplicates.remove_calls();
            }
        });
    }

    /// Returns the connection's workspace; asks the client if it is unknown.
    async fn resolve_workspace(
        &self,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<ConnectionWorkspace>, BoxError> {
        let mut workspace = self.workspace.lock().await;
        let was_stale = self.has_stale_roots.swap(false, Ordering::Relaxed);
        if let Some(workspace) = workspace.as_ref().filter(|_| !was_stale) {
            return Ok(Some(workspace.clone()));
        }
        let settled = self.update_workspace(&mut workspace, context, round_trips).await;
        if !matches!(settled, Ok(Some(_))) {
            // Until the workspace is known, every call asks again.
            self.invalidate_roots();
        }
        settled
    }

    /// Opens the workspace that the client wants.
    async fn update_workspace(
        &self,
        workspace: &mut Option<ConnectionWorkspace>,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<ConnectionWorkspace>, BoxError> {
        let Some(wanted) = self.select_roots(workspace.is_some(), context, round_trips).await?
        else {
            return Ok(None);
        };
        if let Some(workspace) = workspace.as_ref().filter(|workspace| workspace.roots == wanted) {
            return Ok(Some(workspace.clone()));
        }
        let shared = Arc::clone(&self.shared);
        let opened = tokio::task::spawn_blocking(move || {
            shared
                .workspaces
                .get_or_open(&wanted)
                .map(|toolbox| ConnectionWorkspace { roots: wanted, toolbox })
        });
        let opened = opened.await??;
        // Sessions of the previous folders are obsolete.
        self.shared.sessions.close_connection(self.number_or_unused());
        *workspace = Some(opened.clone());
        let folders: Vec<String> =
            opened.roots.iter().map(|root| root.display().to_string()).collect();
        self.threshold.log(context, Severity::Info, json!({"roots": folders})).await;
        Ok(Some(opened))
    }

    /// Returns the roots to work in: those of the command line, else those that the client names,
    /// else the current folder. `None` if the client must be asked first.
    ///
    /// # Errors
    /// If none of the client's folders exists here; or if the client announced new folders and does
    /// not name them, since its previous folders may no longer be meant.
    async fn select_roots(
        &self,
        works_somewhere: bool,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<Vec<PathBuf>>, BoxError> {
        let settings = &self.shared.settings;
        if !settings.roots.is_empty() {
            return Ok(Some(settings.roots.clone()));
        }
        if !settings.asks_for_roots {
            return Ok(Some(vec![settings.directory.clone()]));
        }
        let RootFolders { existing: mut there, missing } =
            match request_client_roots(context, round_trips).await {
                ClientRoots::AskFirst => return Ok(None),
                ClientRoots::Unanswered if works_somewhere => {
                    return Err(UNKNOWN_ROOTS_MESSAGE.into());
                }
                ClientRoots::Unanswered | ClientRoots::Unsupported => RootFolders::default(),
                ClientRoots::Named(folders) => folders,
            };
        match (there.is_empty(), missing.is_empty()) {
            (true, true) => there.push(settings.directory.clone()),
            (true, false) => {
                let named = missing.join(", ");
                return Err(format!("there is no such folder on this machine: {named}").into());
            }
            (false, true) => {}
            (false, false) => {
                let said = json!({"roots that are no folders here": missing});
                self.threshold.log(context, Severity::Warning, said).await;
            }
        }
        Ok(Some(there))
    }

    /// Returns the connection's number; if it has none, a number that no session has, so that
    /// closing it closes nothing.
    pub(crate) fn number_or_unused(&self) -> u64 {
        match self.number() {
            NO_CONNECTION => u64::MAX,
            number => number,
        }
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        self.shared.sessions.close_connection(self.number_or_unused());
    }
}

/// Asks the client for its folders from within one of its own requests, since only then is a client
/// over HTTP certain to be reachable.
async fn request_client_roots(
    context: &RequestContext<RoleServer>,
    round_trips: &RoundTrips,
) -> ClientRoots {
    let capabilities = context.client_capabilities();
    if capabilities.and_then(|capabilities| capabilities.roots).is_none() {
        return ClientRoots::Unsupported;
    }
    if round_trips::are_required(context) {
        return round_trips.client_roots().unwrap_or(ClientRoots::AskFirst);
    }
    roots::request_roots(&context.peer).await
}

/// Returns the id of the session that the client calls `name`, the same after a restart.
fn named_session_id(name: &str, roots: &[PathBuf]) -> String {
    let roots = roots.iter().map(|root| root.display().to_string());
    let parts: Vec<String> = std::iter::once(name.to_owned()).chain(roots).collect();
    format!("mcp-{}", Handle::from_content(parts.join("\n").as_bytes()))
}
