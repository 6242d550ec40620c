//! One connection: what its client asks for, and whose sessions its calls belong to.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use foveal_tools::{Session, Toolbox};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelledNotificationParam, CustomNotification,
    CustomRequest, CustomResult, ErrorData, Implementation, InitializeRequestParams,
    InitializeResult, JsonObject, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::log::{Threshold, Weight};
use crate::refusal::refusal;
use crate::roots::{Folders, Said};
use crate::rounds::Rounds;
use crate::server::Shared;
use crate::sessions::{Key, Reader};
use crate::workspaces::BoxError;
use crate::{call, content, roots};

/// The notification by which a client says that its model no longer has what it was shown:
/// after a compaction, say. Its `session` names one session; without it all of the connection
/// are meant.
pub const RESET_NOTIFICATION: &str = "notifications/foveal/reset";

/// The notification by which a client says how calls that repeat earlier ones are answered.
/// `enable` (true, false; null: as the server's settings say) and `clear` (true: forget the
/// calls so far, so that each is carried out again) hold for the session named by `session`;
/// without it for all of the connection, those that begin later included.
pub const DUPLICATES_NOTIFICATION: &str = "notifications/foveal/duplicates";

/// Under this name a request says to which of its client's conversations it belongs.
const SESSION_KEY: &str = "foveal/session";

/// Longest name of a session that a client may give.
const NAME_BYTES_MAX: usize = 200;

/// The number of requests that belong to no connection.
const NO_CONNECTION: u64 = 0;

/// Why a client is not worked for.
const UNNAMED: &str = "the client said that its folders changed, and does not name them when \
                       asked; the next call asks again";
/// On, off, or (null) as for all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Switch(pub(crate) Option<bool>);

impl Switch {
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
    place: Mutex<Option<Place>>,
    /// Whether the client may have changed its roots.
    stale: AtomicBool,
    /// Whether new sessions answer calls from earlier ones, where the client said so.
    detect: std::sync::Mutex<Option<bool>>,
    pub(crate) threshold: Threshold,
}

/// Where a connection works.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    roots: Vec<PathBuf>,
    toolbox: Arc<Toolbox>,
}

/// Which session a request belongs to, found without blocking; the session itself is made where
/// blocking does no harm.
#[derive(Debug)]
pub(crate) struct Belongs {
    shared: Arc<Shared>,
    place: Place,
    /// `None`: to none that is remembered.
    key: Option<Key>,
    /// Whether it answers calls from earlier ones, if it is new and the client said so.
    detect: Option<bool>,
}

impl Belongs {
    /// The session. Blocks.
    pub(crate) fn reader(self) -> Arc<Reader> {
        let toolbox = &self.place.toolbox;
        // Never a name that was used before: a session takes up what the one of its name was
        // shown, and another conversation may have had that name.
        let make = || {
            let session = Session::new(toolbox, format!("mcp-{}", Uuid::new_v4().simple()));
            if self.detect.is_some() {
                session.set_duplicate_detection(self.detect);
            }
            Reader::new(session)
        };
        match &self.key {
            Some(key) => self.shared.sessions.get_or_make(key, make),
            None => Arc::new(make()),
        }
    }
}

impl Connection {
    pub(crate) fn new(shared: Arc<Shared>, number: Option<u64>) -> Self {
        Self {
            shared,
            number: AtomicU64::new(number.unwrap_or(NO_CONNECTION)),
            place: Mutex::new(None),
            stale: AtomicBool::new(false),
            detect: std::sync::Mutex::default(),
            threshold: Threshold::unasked(),
        }
    }

    fn number(&self) -> u64 {
        self.number.load(Ordering::Relaxed)
    }

    /// Which session a request belongs to; `None` if the client has to be asked for its folders
    /// first.
    pub(crate) async fn belongs(
        &self,
        context: &RequestContext<RoleServer>,
        rounds: &Rounds,
    ) -> Result<Option<Belongs>, BoxError> {
        let Some(place) = self.place(context, rounds).await? else { return Ok(None) };
        let name = context.meta.get(SESSION_KEY).and_then(|name| name.as_str());
        let name = name.filter(|name| !name.is_empty() && name.len() <= NAME_BYTES_MAX);
        let connection = self.number();
        let is_nobodys = connection == NO_CONNECTION && name.is_none();
        let key = (!is_nobodys).then(|| Key {
            connection,
            name: name.map(str::to_owned),
            roots: place.roots.clone(),
        });
        let detect = *self.detect.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Some(Belongs { shared: Arc::clone(&self.shared), place, key, detect }))
    }

    /// Does what a [`DUPLICATES_NOTIFICATION`] says; what is not understood is left alone.
    fn duplicates(&self, params: &Value) {
        let name = params.get("session").and_then(Value::as_str);
        let enable = params.get("enable").and_then(Switch::of);
        let clear = params.get("clear").and_then(Value::as_bool) == Some(true);
        if let (Some(Switch(enable)), None) = (enable, name) {
            *self.detect.lock().unwrap_or_else(PoisonError::into_inner) = enable;
        }
        self.shared.sessions.each(self.number_if_lasting(), name, |session| {
            if let Some(Switch(enable)) = enable {
                session.set_duplicate_detection(enable);
            }
            if clear {
                session.clear_calls();
            }
        });
    }

    /// Where the connection works; asks the client when that is not known.
    async fn place(
        &self,
        context: &RequestContext<RoleServer>,
        rounds: &Rounds,
    ) -> Result<Option<Place>, BoxError> {
        let mut place = self.place.lock().await;
        let was_stale = self.stale.swap(false, Ordering::Relaxed);
        if let Some(place) = place.as_ref().filter(|_| !was_stale) {
            return Ok(Some(place.clone()));
        }
        let settled = self.settle(&mut place, context, rounds).await;
        if !matches!(settled, Ok(Some(_))) {
            // Until it is known where to work, every call asks anew.
            self.stale.store(true, Ordering::Relaxed);
        }
        settled
    }

    /// Moves the connection to where its client wants it.
    async fn settle(
        &self,
        place: &mut Option<Place>,
        context: &RequestContext<RoleServer>,
        rounds: &Rounds,
    ) -> Result<Option<Place>, BoxError> {
        let Some(wanted) = self.wanted(place.is_some(), context, rounds).await? else {
            return Ok(None);
        };
        if let Some(place) = place.as_ref().filter(|place| place.roots == wanted) {
            return Ok(Some(place.clone()));
        }
        let shared = Arc::clone(&self.shared);
        let opened = tokio::task::spawn_blocking(move || {
            shared.workspaces.toolbox(&wanted).map(|toolbox| Place { roots: wanted, toolbox })
        });
        let opened = opened.await??;
        // Sessions of the folders that were left are of no use any more.
        self.shared.sessions.close(self.number_if_lasting());
        *place = Some(opened.clone());
        let folders: Vec<String> =
            opened.roots.iter().map(|root| root.display().to_string()).collect();
        self.threshold.say(context, Weight::Info, json!({"roots": folders})).await;
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
        rounds: &Rounds,
    ) -> Result<Option<Vec<PathBuf>>, BoxError> {
        let settings = &self.shared.settings;
        if !settings.roots.is_empty() {
            return Ok(Some(settings.roots.clone()));
        }
        let Folders { mut there, missing } = match roots::of_client(context, rounds).await {
            Said::AskFirst => return Ok(None),
            Said::Silence if works_somewhere => return Err(UNNAMED.into()),
            Said::Silence | Said::Nothing => Folders::default(),
            Said::Folders(folders) => folders,
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
                self.threshold.say(context, Weight::Warning, said).await;
            }
        }
        Ok(Some(there))
    }

    /// The number, or one that nobody has: what belongs to no connection is never closed.
    fn number_if_lasting(&self) -> u64 {
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

impl ServerHandler for Connection {
    fn get_info(&self) -> ServerConfig {
        let mut capabilities =
            ServerCapabilities::builder().enable_tools().enable_resources().build();
        capabilities.logging = Some(JsonObject::new());
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("foveal", env!("CARGO_PKG_VERSION")))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        if self.number() == NO_CONNECTION {
            self.number.store(self.shared.next_connection(), Ordering::Relaxed);
        }
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(self.shared.tools().to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools().iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(call::call(self, request, context).await)
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(content::listed()))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(content::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let failed = |what: String| ErrorData::internal_error(what, None);
        let rounds = Rounds::of(request.request_state.as_deref(), request.input_responses);
        let belongs = self.belongs(&context, &rounds).await;
        let Some(belongs) = belongs.map_err(|error| failed(error.to_string()))? else {
            return Ok(rounds.ask_folders().into());
        };
        let read =
            tokio::task::spawn_blocking(move || content::read(&belongs.reader(), &request.uri));
        let read = read.await.map_err(|error| failed(error.to_string()))??;
        Ok(read.into())
    }

    #[expect(deprecated, reason = "most clients speak versions of the protocol that have it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.threshold.set(request.level);
        Ok(())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(refusal(&request))
    }

    async fn on_cancelled(
        &self,
        _notification: CancelledNotificationParam,
        _context: NotificationContext<RoleServer>,
    ) {
        // The answer may be on its way already; a client that cancelled lets it drop.
        self.shared.sessions.forget_shown(self.number_if_lasting(), None);
    }

    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        // Asked anew with the next request: only from within one can every client be asked.
        self.stale.store(true, Ordering::Relaxed);
    }

    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _context: NotificationContext<RoleServer>,
    ) {
        if notification.method == RESET_NOTIFICATION {
            let named = notification.params.as_ref().and_then(|params| params.get("session"));
            let name = named.and_then(|name| name.as_str());
            self.shared.sessions.forget_shown(self.number_if_lasting(), name);
        }
        if notification.method == DUPLICATES_NOTIFICATION {
            self.duplicates(&notification.params.unwrap_or_default());
        }
    }
}
