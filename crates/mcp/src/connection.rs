//! One connection: where it works, and whose sessions its calls belong to.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use foveal_tools::{Session, Toolbox};
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use serde_json::{Value, json};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::caller::Caller;
use crate::clients;
use crate::log::{LogThreshold, Severity};
use crate::roots::{self, ClientRoots, Folders};
use crate::round_trips::{self, RoundTrips};
use crate::sessions::{ClientSession, Prompt, SessionKey};
use crate::shared::Shared;
use crate::workspaces::BoxError;

/// Under this name a request says to which of its client's conversations it belongs.
const SESSION_KEY: &str = "foveal/session";

/// Longest name of a session that a client may give.
const NAME_BYTES_MAX: usize = 200;

/// The number of requests that belong to no connection.
const NO_CONNECTION: u64 = 0;

/// Why a client is not worked for.
const UNNAMED: &str = "the client said that its folders changed, and does not name them when \
                       asked; the next call asks again";

/// On, off, or (null) as the server's settings say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Toggle(pub(crate) Option<bool>);

impl Toggle {
    pub(crate) fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(enable) => Some(Self(Some(*enable))),
            Value::Null => Some(Self(None)),
            Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }
}

/// One client's connection.
#[derive(Debug)]
pub struct Connection {
    pub(crate) shared: Arc<Shared>,
    number: AtomicU64,
    workspace: Mutex<Option<Workspace>>,
    /// Whether the client may have changed its roots.
    stale: AtomicBool,
    /// Whether new sessions answer calls from earlier ones, where the client said so.
    detect: std::sync::Mutex<Option<bool>>,
    pub(crate) threshold: LogThreshold,
}

/// Where a connection works.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    roots: Vec<PathBuf>,
    toolbox: Arc<Toolbox>,
}

/// Which session a request belongs to, found without blocking; the session itself is made where
/// blocking does no harm.
#[derive(Debug)]
pub(crate) struct SessionRef {
    shared: Arc<Shared>,
    workspace: Workspace,
    /// [`NO_CONNECTION`]: of nobody known.
    connection: u64,
    caller: Caller,
    /// Whether it answers calls from earlier ones, if it is new and the client said so.
    detect: Option<bool>,
    /// What the client calls itself.
    client: Option<String>,
}

impl SessionRef {
    /// The session. Blocks.
    pub(crate) fn open(self) -> Arc<ClientSession> {
        let toolbox = &self.workspace.toolbox;
        let prompt = self.caller.prompt(toolbox);
        // Never a name that was used before: a session takes up what the one of its name was
        // shown, and another conversation may have had that name.
        let make = || {
            let id = format!("mcp-{}", Uuid::new_v4().simple());
            let session = match &prompt {
                Prompt::Unknown => Session::of_unknown_readers(toolbox, id),
                Prompt::Noted(reader) => Session::new(toolbox, id).of_one_reader(reader),
                Prompt::Only | Prompt::Named(_) => Session::new(toolbox, id),
            };
            let told = self.shared.settings.claude_code_tokens;
            let room = clients::room(self.client.as_deref(), &toolbox.settings, told);
            let session = session.with_arrivals(&self.shared.arrivals).with_room(room);
            if self.detect.is_some() {
                session.duplicates.set_detection(self.detect);
            }
            ClientSession::new(session)
        };
        let is_nobodys =
            self.connection == NO_CONNECTION && matches!(prompt, Prompt::Only | Prompt::Unknown);
        if is_nobodys {
            return Arc::new(make());
        }
        let (connection, roots) = (self.connection, self.workspace.roots.clone());
        let key = SessionKey { connection, prompt: prompt.clone(), roots };
        self.shared.sessions.get_or_make(&key, make)
    }

    /// The session to tell of where a request does not say which: of several that of the last
    /// call. Blocks.
    pub(crate) fn open_latest(self) -> Arc<ClientSession> {
        let latest = match self.caller {
            Caller::Unknown => self.shared.sessions.latest(self.connection),
            Caller::Only | Caller::Named(_) | Caller::Call(_) => None,
        };
        latest.unwrap_or_else(|| self.open())
    }
}

impl Connection {
    pub(crate) fn new(shared: Arc<Shared>, number: Option<u64>) -> Self {
        Self {
            shared,
            number: AtomicU64::new(number.unwrap_or(NO_CONNECTION)),
            workspace: Mutex::new(None),
            stale: AtomicBool::new(false),
            detect: std::sync::Mutex::default(),
            threshold: LogThreshold::unset(),
        }
    }

    /// Gives the connection a number, if it has none.
    pub(crate) fn begin(&self) {
        if self.number() == NO_CONNECTION {
            self.number.store(self.shared.next_connection(), Ordering::Relaxed);
        }
    }

    /// Has the next request ask the client for its folders.
    pub(crate) fn ask_roots_anew(&self) {
        self.stale.store(true, Ordering::Relaxed);
    }

    fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Which session a request belongs to; `None` if the client has to be asked for its folders
    /// first.
    pub(crate) async fn session(
        &self,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<SessionRef>, BoxError> {
        let Some(workspace) = self.workspace(context, round_trips).await? else { return Ok(None) };
        let name = context.meta.get(SESSION_KEY).and_then(|name| name.as_str());
        let name = name.filter(|name| !name.is_empty() && name.len() <= NAME_BYTES_MAX);
        let caller =
            name.map_or_else(|| Caller::of(context), |name| Caller::Named(name.to_owned()));
        let (shared, connection) = (Arc::clone(&self.shared), self.number());
        let detect = *self.detect.lock().unwrap_or_else(PoisonError::into_inner);
        let client = context.client_info().map(|info| info.name);
        Ok(Some(SessionRef { shared, workspace, connection, caller, detect, client }))
    }

    /// Does what a `notifications/foveal/duplicates` says; what is not understood is left alone.
    pub(crate) fn duplicates(&self, params: &Value) {
        let name = params.get("session").and_then(Value::as_str);
        let enable = params.get("enable").and_then(Toggle::of);
        let clear = params.get("clear").and_then(Value::as_bool) == Some(true);
        if let (Some(Toggle(enable)), None) = (enable, name) {
            *self.detect.lock().unwrap_or_else(PoisonError::into_inner) = enable;
        }
        self.shared.sessions.each(self.number_if_lasting(), name, |session| {
            if let Some(Toggle(enable)) = enable {
                session.duplicates.set_detection(enable);
            }
            if clear {
                session.duplicates.clear();
            }
        });
    }

    /// Where the connection works; asks the client when that is not known.
    async fn workspace(
        &self,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<Workspace>, BoxError> {
        let mut workspace = self.workspace.lock().await;
        let was_stale = self.stale.swap(false, Ordering::Relaxed);
        if let Some(workspace) = workspace.as_ref().filter(|_| !was_stale) {
            return Ok(Some(workspace.clone()));
        }
        let settled = self.settle(&mut workspace, context, round_trips).await;
        if !matches!(settled, Ok(Some(_))) {
            // Until it is known where to work, every call asks anew.
            self.ask_roots_anew();
        }
        settled
    }

    /// Moves the connection to where its client wants it.
    async fn settle(
        &self,
        workspace: &mut Option<Workspace>,
        context: &RequestContext<RoleServer>,
        round_trips: &RoundTrips,
    ) -> Result<Option<Workspace>, BoxError> {
        let Some(wanted) = self.wanted(workspace.is_some(), context, round_trips).await? else {
            return Ok(None);
        };
        if let Some(workspace) = workspace.as_ref().filter(|workspace| workspace.roots == wanted) {
            return Ok(Some(workspace.clone()));
        }
        let shared = Arc::clone(&self.shared);
        let opened = tokio::task::spawn_blocking(move || {
            shared.workspaces.toolbox(&wanted).map(|toolbox| Workspace { roots: wanted, toolbox })
        });
        let opened = opened.await??;
        // Sessions of the folders that were left are of no use any more.
        self.shared.sessions.close(self.number_if_lasting());
        *workspace = Some(opened.clone());
        let folders: Vec<String> =
            opened.roots.iter().map(|root| root.display().to_string()).collect();
        self.threshold.log(context, Severity::Info, json!({"roots": folders})).await;
        Ok(Some(opened))
    }

    /// The folders to work in: those of the command line, else those that the client names, and
    /// the current one where nobody names any. `None` if the client has to be asked first.
    ///
    /// # Errors
    /// If the client names folders of which none is here. And if it works somewhere, said that
    /// this changes and does not say to what: it may not want to be worked for where it was.
    async fn wanted(
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
        let Folders { mut there, missing } = match client_roots(context, round_trips).await {
            ClientRoots::AskFirst => return Ok(None),
            ClientRoots::Unanswered if works_somewhere => return Err(UNNAMED.into()),
            ClientRoots::Unanswered | ClientRoots::Unsupported => Folders::default(),
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

    /// The number, or one that nobody has: what belongs to no connection is never closed.
    pub(crate) fn number_if_lasting(&self) -> u64 {
        match self.number() {
            NO_CONNECTION => u64::MAX,
            number => number,
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.shared.sessions.close(self.number_if_lasting());
    }
}

/// Asks the client for its folders, from within one of its own requests: only there can a client
/// over HTTP be reached for certain.
async fn client_roots(
    context: &RequestContext<RoleServer>,
    round_trips: &RoundTrips,
) -> ClientRoots {
    let capabilities = context.client_capabilities();
    if capabilities.and_then(|capabilities| capabilities.roots).is_none() {
        return ClientRoots::Unsupported;
    }
    if round_trips::are_needed(context) {
        return round_trips.folders().unwrap_or(ClientRoots::AskFirst);
    }
    roots::ask(&context.peer).await
}
