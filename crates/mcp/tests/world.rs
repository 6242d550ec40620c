//! A folder, a server on it, and clients that record what they receive.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use foveal_index::Index;
use foveal_mcp::{McpServer, McpSettings, ToolboxOpener, stdio};
use foveal_sandbox::{CommandEnvironment, ShellProgram};
use foveal_store::SqliteStore;
use foveal_tools::Toolbox;
use foveal_tools::permission::{PermissionPolicy, PermissionRule, Verdict};
use foveal_tools::settings::ToolSettings;
use foveal_tools::tool_table::ToolSet;
use foveal_tools::toolbox::CommandRuntime;
use foveal_workspace::WorkspaceRoots;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, ErrorData, Implementation, ProgressNotificationParam,
};
use rmcp::service::{NotificationContext, RequestContext, RunningService};
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::Value;
use tokio_util::sync::CancellationToken;

/// What a client received, and how it answers.
#[derive(Debug, Default)]
pub(crate) struct Desk {
    pub(crate) has_roots: bool,
    pub(crate) roots: Mutex<Vec<PathBuf>>,
    /// Whether it fails to name its roots.
    pub(crate) is_silent: AtomicBool,
    /// The user's choice; `None`: no user answers.
    pub(crate) choice: Option<&'static str>,
    pub(crate) asked: Mutex<Vec<String>>,
    pub(crate) progress: Mutex<Vec<ProgressNotificationParam>>,
    pub(crate) logged: Mutex<Vec<Value>>,
    /// The client's name; `None`: `test`.
    pub(crate) name: Option<&'static str>,
}

/// A client.
#[derive(Debug, Clone, Default)]
pub(crate) struct Client(pub(crate) Arc<Desk>);

#[expect(deprecated, reason = "most clients speak versions of the protocol that have them")]
impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.roots = self.0.has_roots.then(Default::default);
        capabilities.elicitation = self.0.choice.map(|_| Default::default());
        ClientConfig::new(capabilities, Implementation::new(self.0.name.unwrap_or("test"), "1"))
    }

    async fn list_roots(
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<rmcp::model::ListRootsResult, ErrorData> {
        if self.0.is_silent.load(Ordering::Relaxed) {
            return Err(ErrorData::internal_error("not now", None));
        }
        let roots = self.0.roots.lock().unwrap();
        let uri = |path: &PathBuf| format!("file://{}", path.display());
        let roots = roots.iter().map(|root| rmcp::model::Root::new(uri(root))).collect();
        Ok(rmcp::model::ListRootsResult::new(roots))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        if let ElicitRequestParams::FormElicitationParams { message, .. } = request {
            self.0.asked.lock().unwrap().push(message);
        }
        Ok(match self.0.choice {
            Some("decline") | None => ElicitResult::new(ElicitationAction::Decline),
            Some(choice) => ElicitResult::new(ElicitationAction::Accept)
                .with_content(serde_json::json!({"allow": choice})),
        })
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.0.progress.lock().unwrap().push(params);
    }

    async fn on_logging_message(
        &self,
        params: rmcp::model::LoggingMessageNotificationParam,
        _context: NotificationContext<RoleClient>,
    ) {
        self.0.logged.lock().unwrap().push(params.data);
    }
}

/// A connected client.
pub(crate) type Running = RunningService<RoleClient, Client>;

/// A folder and a server.
pub(crate) struct World {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) server: McpServer,
    /// The number of toolboxes opened.
    pub(crate) opened: Arc<AtomicUsize>,
    /// The store that all toolboxes share.
    pub(crate) store: Arc<SqliteStore>,
}

impl World {
    /// Passes the folder on the command line.
    pub(crate) fn new(tools: ToolSet) -> Self {
        Self::with(tools, |settings, folder| settings.roots.push(folder.to_owned()))
    }

    pub(crate) fn with(tools: ToolSet, change: impl FnOnce(&mut McpSettings, &Path)) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut settings = McpSettings::new(tools, folder.path().to_owned());
        change(&mut settings, folder.path());
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&opened);
        let store = Arc::new(SqliteStore::in_memory().unwrap());
        let kept = Arc::clone(&store);
        let open: ToolboxOpener = Arc::new(move |roots: Vec<PathBuf>| {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(Arc::new(toolbox(&roots, Arc::clone(&kept))?))
        });
        Self { folder, server: McpServer::new(settings, open), opened, store }
    }

    pub(crate) fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        fs::write(self.folder.path().join(path), content).unwrap();
    }

    /// Connects a client over streams in memory.
    pub(crate) async fn connect(&self, desk: Desk) -> Running {
        let (near, far) = tokio::io::duplex(1 << 16);
        let server = self.server.clone();
        tokio::spawn(async move {
            let (input, output) = tokio::io::split(far);
            stdio::serve_streams(&server, input, output, CancellationToken::new()).await
        });
        Client(Arc::new(desk)).serve(near).await.unwrap()
    }
}

/// Opens tools on folders with a store in memory. Access to `.env` files needs approval.
fn toolbox(roots: &[PathBuf], store: Arc<SqliteStore>) -> Result<Toolbox, foveal_mcp::BoxError> {
    let first = roots[0].clone();
    let roots = WorkspaceRoots::open(roots)?;
    let path = std::env::var_os("PATH");
    let environment =
        CommandEnvironment::from_inherited(path.clone().map(|path| ("PATH".into(), path)));
    let shell = ShellProgram::find(path.as_deref()).ok_or("there is no shell")?;
    let host = CommandRuntime { environment, shell, sandbox: None, guard: None };
    let open = Box::new(move || Index::in_memory(&first, None));
    let mut toolbox = Toolbox::new(roots, store, open, host, ToolSettings::default());
    let rule = |tool: &str, subject: &str, verdict| PermissionRule {
        tool: tool.to_owned(),
        subject: subject.to_owned(),
        verdict,
    };
    let rules = vec![rule("bash", "sh *", Verdict::Allow), rule("*", "*asked*", Verdict::Ask)];
    toolbox.policy = PermissionPolicy { rules };
    Ok(toolbox)
}

/// Builds a call.
pub(crate) fn params(tool: &str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

/// Makes a call and returns its answer.
pub(crate) async fn ask(client: &Running, tool: &str, arguments: Value) -> CallToolResult {
    client.call_tool(params(tool, arguments)).await.unwrap()
}

/// Returns the text of an answer that is no error.
pub(crate) async fn call(client: &Running, tool: &str, arguments: Value) -> String {
    let answer = ask(client, tool, arguments).await;
    assert_eq!(answer.is_error, Some(false), "{answer:?}");
    text(&answer)
}

pub(crate) fn text(answer: &CallToolResult) -> String {
    answer.content.iter().filter_map(|block| block.as_text()).map(|text| &*text.text).collect()
}

/// Ninety numbered lines, few enough to be shown whole.
pub(crate) fn lines() -> String {
    (1..=90).map(|n| format!("line number {n} of the file\n")).collect()
}
