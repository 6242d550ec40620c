//! Toolboxes on folders, with the resources of this machine that they need.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, bail};
use foveal_agent_runtime::side_agents::{
    CuratorWithFallback, SideBill, SideCurator, SideModelConnection, build_indexer,
};
use foveal_index::{IndexError, LockWait};
use foveal_providers::ModelSpec;
use foveal_sandbox::{GuardProgram, Sandbox, ShellProgram};
use foveal_settings::UserSettings;
use foveal_store::{EphemeralContentStore, ReadOnlyStore, SqliteStore, Store};
use foveal_tools::code_index::Indexer;
use foveal_tools::permission::{PermissionPolicy, WriteDecision, nearest_decision};
use foveal_tools::store_notice::StoreUnavailableNotice;
use foveal_tools::toolbox::CommandRuntime;
use foveal_tools::user_notifier::UserNotifier;
use foveal_tools::{Toolbox, code_index};
use foveal_workspace::{FileWriter, Journal, WorkspaceRoots};

use crate::command_caches::{CommandCaches, create_private_folder};
use crate::debug_topics::DebugTopics;
use crate::environment::{self, Environment};
use crate::explanations::{self, agent_explainer};
use crate::models::resolve_model_spec;
use crate::notice;
use crate::project_settings::with_project_and_notice;
use crate::readable_folders;
use crate::repository_index;
use crate::uptime;

/// Opens toolboxes that share one store, one writer and one set of models.
pub(crate) struct ToolboxFactory {
    environment: Environment,
    host: CommandRuntime,
    settings: UserSettings,
    client_folder: Option<PathBuf>,
    /// The roots of the sessions opened so far.
    served_roots: Mutex<Vec<PathBuf>>,
    writer: Mutex<Option<FileWriter>>,
    store: Mutex<Option<OpenedStore>>,
    curator: OnceLock<Option<Arc<SideCurator>>>,
    /// The bill for the curator and indexer models, if their costs count.
    side_bill: Option<Arc<SideBill>>,
    /// Shared by all toolboxes, so that together they keep to its budget.
    indexer: OnceLock<Option<Arc<Indexer>>>,
    debug_topics: DebugTopics,
    /// The notices that were printed so far.
    printed_notices: Mutex<BTreeSet<String>>,
}

/// A store, with the information whether its content outlives the program.
#[derive(Clone)]
struct OpenedStore {
    store: Arc<dyn Store>,
    is_persistent: bool,
}

impl ToolboxFactory {
    /// Creates a factory. Only the user's settings are read yet.
    ///
    /// # Errors
    /// If there is no shell, or the settings are invalid.
    pub(crate) fn new(environment: &Environment) -> anyhow::Result<Self> {
        let variables = environment::command_environment();
        let shell = ShellProgram::find(variables.get("PATH"))
            .context("no shell found to run commands: install bash, or add sh to PATH")?;
        let (sandbox, guard) = (Some(Sandbox::default()), Some(GuardProgram::current_executable()));
        let host = CommandRuntime { environment: variables, shell, sandbox, guard };
        Ok(Self {
            environment: environment.clone(),
            host,
            settings: environment.read_user_settings()?,
            client_folder: None,
            served_roots: Mutex::default(),
            writer: Mutex::default(),
            store: Mutex::new(None),
            curator: OnceLock::new(),
            side_bill: None,
            indexer: OnceLock::new(),
            debug_topics: environment.debug_topics()?,
            printed_notices: Mutex::default(),
        })
    }

    /// Returns the user's settings.
    pub(crate) fn settings(&self) -> &UserSettings {
        &self.settings
    }

    /// Lets commands write to the roots, the folder for temporary files, private caches and
    /// `writable`.
    pub(crate) fn with_writable_roots(self, writable: &[PathBuf]) -> Self {
        let temporary = std::env::temp_dir();
        let temporary = std::path::absolute(&temporary).unwrap_or(temporary);
        self.with_command_caches([writable, &[temporary]].concat()).0
    }

    /// Lets commands write only to `writable`, private caches and a private folder for temporary
    /// files, because roots may lie in the system's one.
    pub(crate) fn with_only_writable(self, writable: &[PathBuf]) -> Self {
        let (mut opener, own) = self.with_command_caches(writable.to_vec());
        opener.host.sandbox = opener.host.sandbox.map(Sandbox::with_read_only_roots);
        let temporary = own.map(|own| own.join("tmp"));
        if let Some(folder) = temporary.filter(|folder| create_private_folder(folder).is_ok()) {
            opener.host.environment = opener.host.environment.with_variable("TMPDIR", folder);
        }
        opener
    }

    /// Lets commands write to `writable` and private caches; returns the folder of the caches too.
    fn with_command_caches(mut self, mut writable: Vec<PathBuf>) -> (Self, Option<PathBuf>) {
        let caches = CommandCaches::create(&self.environment, &self.host.environment, &writable);
        writable.extend(caches.folder.clone());
        let sandbox = Sandbox::from_writable(writable);
        for folder in sandbox.skipped_folders() {
            notice::print_notice(format_args!(
                "commands cannot write to `{}`: its path goes through a symbolic link, which a \
                 command may have created; give the real path to `--writable`",
                folder.display()
            ));
        }
        for (name, value) in caches.variables {
            self.host.environment = self.host.environment.with_variable(name, value);
        }
        self.host.sandbox = Some(sandbox);
        (self, caches.folder)
    }

    /// Keeps the contents of files, pages and outputs off the disk.
    pub(crate) fn without_stored_contents(mut self) -> Self {
        self.settings.keep_contents = Some(false);
        self
    }

    /// Refuses commands if the kernel cannot confine their writes.
    pub(crate) fn with_required_sandbox(mut self) -> Self {
        self.host.sandbox = self.host.sandbox.map(Sandbox::with_required_confinement);
        self
    }

    /// Lets commands read only their writable folders, the system's files that programs need, and
    /// `named`.
    pub(crate) fn with_confined_reads(mut self, named: &[PathBuf]) -> Self {
        let folders = readable_folders::list_readable_folders(
            &self.environment,
            &self.host.environment,
            named,
        );
        self.host.sandbox = self.host.sandbox.map(|sandbox| sandbox.with_readable_folders(folders));
        self
    }

    /// Hides this variable from commands.
    pub(crate) fn without_variable(mut self, variable: &str) -> Self {
        self.host.environment = self.host.environment.without_variable(variable);
        self
    }

    /// Cuts commands off from the network.
    pub(crate) fn without_network(mut self) -> Self {
        self.host.sandbox = self.host.sandbox.map(Sandbox::without_network);
        self
    }

    /// Adds the costs of the curator and indexer models to `bill`.
    pub(crate) fn with_side_bill(mut self, bill: &Arc<SideBill>) -> Self {
        self.side_bill = Some(Arc::clone(bill));
        self
    }

    /// Sets the folder in which the client works, whatever the roots are.
    pub(crate) fn with_client_folder(mut self, folder: &Path) -> Self {
        self.client_folder = folder.canonicalize().ok();
        self
    }

    /// Opens tools on `roots`, each with its index; relative paths start in the first root.
    ///
    /// # Errors
    /// If a root is no folder.
    pub(crate) fn open(&self, roots: &[PathBuf]) -> anyhow::Result<Arc<Toolbox>> {
        let opened = WorkspaceRoots::open(roots)?;
        let paths: Vec<PathBuf> = opened.all().map(|root| root.path().to_owned()).collect();
        let index = |root: &Path| -> code_index::IndexOpener {
            let (root, environment) = (root.to_owned(), self.environment.clone());
            let keeps = self.settings.keeps_contents();
            let (mut is_told, mut wait) = (false, LockWait::ANSWER);
            Box::new(move || {
                // Only the first opening waits for the index; a later one would delay an answer.
                let wait = std::mem::replace(&mut wait, LockWait::NONE);
                let index =
                    repository_index::open_index_for_tools(&root, keeps, &environment, wait)?;
                if index.is_substitute() && !std::mem::replace(&mut is_told, true) {
                    notice::print_notice(format_args!(
                        "another process has locked the index of `{}`; files are read without it \
                         until it is released",
                        root.display()
                    ));
                }
                Ok(index)
            })
        };
        let first = index(opened.working_directory());
        let mut toolbox = self.build_with_index(opened, first);
        toolbox.sandbox = self.sandbox_for_roots(roots)?;
        if let Some(sandbox) = &toolbox.sandbox {
            self.report_forbidden_folders(sandbox, &toolbox.policy, &paths);
        }
        toolbox.writer = self.file_writer();
        toolbox.recover_interrupted_writes();
        if let Some(indexer) = self.indexer_model() {
            toolbox.index.set_indexer(Arc::clone(indexer));
        }
        for root in paths.iter().skip(1) {
            toolbox.index.add_root(root.clone(), index(root));
        }
        Ok(Arc::new(toolbox))
    }

    /// Returns the sandbox for commands of a session in `roots`.
    ///
    /// # Errors
    /// If a root is reached through a link that a command may have made.
    fn sandbox_for_roots(&self, roots: &[PathBuf]) -> anyhow::Result<Option<Sandbox>> {
        let Some(held) = self.host.sandbox.clone() else { return Ok(None) };
        let absolute: Vec<PathBuf> = roots
            .iter()
            .map(|root| std::path::absolute(root).unwrap_or_else(|_| root.clone()))
            .collect();
        let mut served = self.served_roots.lock().unwrap_or_else(PoisonError::into_inner);
        let sandbox = held.with_roots(&absolute, &served).map_err(|root| {
            anyhow::anyhow!(
                "`{}` goes through a symbolic link in a folder that commands may write to, so a \
                 command may have created it: give the real path",
                root.display()
            )
        })?;
        served.extend(absolute);
        Ok(Some(sandbox))
    }

    /// Prints which of the commands' writable folders permission rules forbid as a whole.
    fn report_forbidden_folders(
        &self,
        sandbox: &Sandbox,
        policy: &PermissionPolicy,
        roots: &[PathBuf],
    ) {
        let paths: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
        let Some(first) = paths.first() else { return };
        let named = policy.write_decisions(first, &paths);
        let parts = named.iter().map(|(path, said)| (path.clone(), said.to_sandbox_writing()));
        let mut told = self.printed_notices.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in sandbox.clone().with_write_rules(parts).forbidden_folders() {
            let Some(WriteDecision { rule: at, .. }) = nearest_decision(&named, folder) else {
                continue;
            };
            let rule = &policy.rules[at];
            let text = format!(
                "commands cannot write to `{}`: permission rule {} ({:?} {:?}) forbids it",
                folder.display(),
                at + 1,
                rule.tool,
                rule.subject
            );
            if told.insert(text.clone()) {
                notice::print_notice(text);
            }
        }
    }

    /// Opens tools for a single call of a user: no index is created or read, and paths outside of
    /// the default folder need approval.
    ///
    /// # Errors
    /// If a folder is missing or not a folder.
    pub(crate) fn open_for_single_call(&self, place: &CallFolders) -> anyhow::Result<Arc<Toolbox>> {
        let store = self.shared_store();
        let mut toolbox = self.build_without_index(place, store.store)?;
        // Content that is left out of the answer could not be fetched later.
        toolbox.keeps_content = store.is_persistent;
        Ok(Arc::new(toolbox))
    }

    /// Opens tools only for permission checks; no data is stored.
    ///
    /// # Errors
    /// If a folder is missing or not a folder.
    pub(crate) fn open_for_permission_checks(
        &self,
        place: &CallFolders,
    ) -> anyhow::Result<Arc<Toolbox>> {
        Ok(Arc::new(self.build_without_index(place, shared_memory_store())?))
    }

    fn build_without_index(
        &self,
        place: &CallFolders,
        store: Arc<dyn Store>,
    ) -> anyhow::Result<Toolbox> {
        let path = place.default_folder.clone();
        let index = Box::new(move || {
            let source = io::Error::from(io::ErrorKind::Unsupported);
            Err(IndexError::Unwritable { path: path.clone(), source })
        });
        let mut folders = vec![place.default_folder.clone()];
        if !place.working_directory.starts_with(&place.default_folder) {
            folders.push(place.working_directory.clone());
        }
        let roots = WorkspaceRoots::open(&folders)?
            .with_canonical_working_directory(&place.working_directory);
        let mut toolbox = self.build_toolbox(roots, index, store);
        toolbox.default_folder = Some(place.default_folder.clone());
        Ok(toolbox)
    }

    fn build_with_index(&self, roots: WorkspaceRoots, index: code_index::IndexOpener) -> Toolbox {
        self.build_toolbox(roots, index, self.shared_store().store)
    }

    fn build_toolbox(
        &self,
        roots: WorkspaceRoots,
        index: code_index::IndexOpener,
        store: Arc<dyn Store>,
    ) -> Toolbox {
        let settings = self.settings_for_folder(roots.working_directory());
        let tools = settings.tool_settings();
        let mut toolbox = Toolbox::new(roots, store, index, self.host.clone(), tools);
        toolbox.policy = settings.permission_policy();
        if let (Some(wish), Some(model)) = (settings.curator(), self.curator_model()) {
            let views = CuratorWithFallback::new(model, toolbox.curator());
            let version = format!("{}, {}", wish.model, env!("CARGO_PKG_VERSION"));
            toolbox.set_model_curator(Arc::new(views), version);
        }
        let converter = running_program().map(|program| vec![program, CONVERT_PAGE.into()]);
        let proxies = self.environment.proxies();
        toolbox.configure_fetcher(Arc::new(move |address| proxies.proxy_for(address)), converter);
        toolbox.rules_file = self.environment.settings_path();
        toolbox.client_folder.clone_from(&self.client_folder);
        toolbox.set_explanation_sink(explanations::tool_explainer(self.debug_topics));
        toolbox.user_notifier = UserNotifier::new(|text| notice::print_notice(text));
        toolbox.store_notice = Arc::new(StoreUnavailableNotice::new(|error| {
            notice::print_notice(format_args!(
                "cannot save data: {}",
                notice::describe_error(error)
            ));
        }));
        toolbox
    }

    /// Returns the settings for a folder: the user's, with those of a trusted project.
    pub(crate) fn settings_for_folder(&self, folder: &Path) -> UserSettings {
        let (settings, told) = with_project_and_notice(&self.settings, folder, &self.environment);
        let mut projects = self.printed_notices.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(told) = told.filter(|told| projects.insert(told.clone())) {
            notice::print_notice(told);
        }
        settings
    }

    /// Returns the shared writer of files, with a journal if there is a data folder.
    fn file_writer(&self) -> FileWriter {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || {
            let folder = journal_path(&self.environment)?;
            // If this fails, the store reports that no data can be kept.
            Some(FileWriter::with_journal(Arc::new(Journal::open(&folder).ok()?)))
        };
        writer.get_or_insert_with(|| open().unwrap_or_default()).clone()
    }

    /// Returns the curator model, if the user names one. If it cannot be opened, one notice says so
    /// and the program continues without it.
    pub(crate) fn curator_model(&self) -> Option<&Arc<SideCurator>> {
        let open = || {
            let wish = self.settings.curator()?;
            let (store, bill) = (self.shared_store().store, self.side_bill.as_ref());
            match self.connect_side_model(&wish.model) {
                Ok(model) => Some(Arc::new(SideCurator::new(model, wish.longer_than, store, bill))),
                Err(error) => {
                    notice::print_notice(format_args!(
                        "the curator model is not used: {}",
                        notice::describe_error(error.as_ref())
                    ));
                    None
                }
            }
        };
        self.curator.get_or_init(open).as_ref()
    }

    /// Returns the model that reads files into the index, if the user names one.
    fn indexer_model(&self) -> Option<&Arc<Indexer>> {
        let open = || {
            let wish = self.settings.indexer()?;
            let opened = self.connect_side_model(&wish.model);
            opened
                .map(|model| build_indexer(&wish, model, self.side_bill.as_ref()))
                .inspect_err(|error| {
                    let why = notice::describe_error(error.as_ref());
                    notice::print_notice(format_args!("the indexer model is not used: {why}"));
                })
                .ok()
        };
        self.indexer.get_or_init(open).as_ref()
    }

    /// Returns the model that the user names for a task beside the main agent.
    ///
    /// # Errors
    /// If its key is not set.
    fn connect_side_model(&self, spec: &ModelSpec) -> anyhow::Result<SideModelConnection> {
        Ok(SideModelConnection {
            name: spec.to_string(),
            chosen: resolve_model_spec(spec.clone(), &self.environment)?,
            proxies: self.environment.proxies(),
            explainer: agent_explainer(self.debug_topics),
        })
    }

    /// Returns true if sessions outlive this process.
    pub(crate) fn persists_sessions(&self) -> bool {
        self.shared_store().is_persistent
    }

    fn shared_store(&self) -> OpenedStore {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let keeps_contents = self.settings.keeps_contents();
        store
            .get_or_insert_with(|| open_persistent_store(&self.environment, keeps_contents))
            .clone()
    }
}

/// The hidden command by which foveal has itself convert a page.
pub(crate) const CONVERT_PAGE: &str = "convert-page";

/// Returns the path of the running program, even if its file was replaced since.
fn running_program() -> Option<OsString> {
    let running = Path::new("/proc/self/exe");
    match running.exists() {
        true => Some(running.into()),
        false => std::env::current_exe().ok().map(Into::into),
    }
}

/// The folders of a single call from a shell.
#[derive(Debug)]
pub(crate) struct CallFolders {
    /// The folder that is meant by default. Both paths are canonical.
    pub(crate) default_folder: PathBuf,
    /// The folder in which relative paths start.
    pub(crate) working_directory: PathBuf,
}

/// The file name of the store.
pub(crate) const STORE_FILE_NAME: &str = "store.db";

/// Returns the path of the store; `None` if there is no data folder.
pub(crate) fn store_path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.user.data_folder()?.join("foveal").join(STORE_FILE_NAME))
}

/// Returns the folder of the write journal; `None` if there is no data folder.
fn journal_path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.user.data_folder()?.join("foveal").join("writes"))
}

/// Opens the user's store or, with a notice, one in memory if that fails. Contents stay in memory
/// unless `keeps_contents` is set.
fn open_persistent_store(environment: &Environment, keeps_contents: bool) -> OpenedStore {
    let why = match store_path(environment).as_deref().map(SqliteStore::open) {
        Some(Ok(store)) => {
            store.take_notices().iter().for_each(notice::print_notice);
            let store = store.with_uptime_clock(uptime::machine_uptime);
            let store: Arc<dyn Store> = match keeps_contents {
                true => Arc::new(store),
                false => Arc::new(EphemeralContentStore::new(store, memory_store())),
            };
            return OpenedStore { store, is_persistent: keeps_contents };
        }
        Some(Err(error)) => notice::describe_error(&error),
        None => "no folder for the store: set HOME or XDG_DATA_HOME".to_owned(),
    };
    notice::print_notice(format_args!("{why}; nothing is saved after this run"));
    OpenedStore { store: shared_memory_store(), is_persistent: false }
}

/// Opens the store of a gateway or, with a notice, one in memory.
pub(crate) fn open_gateway_store(environment: &Environment) -> Arc<dyn Store> {
    let keeps_contents = environment.may_keep_contents();
    open_persistent_store(environment, keeps_contents).store
}

fn shared_memory_store() -> Arc<dyn Store> {
    Arc::new(memory_store())
}

fn memory_store() -> SqliteStore {
    SqliteStore::in_memory().expect("a store in memory needs nothing but memory")
}

/// Opens the store for reading; `None` if there is none yet. A store on a read-only disk is opened
/// without changes.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn open_store_for_reading(
    environment: &Environment,
) -> anyhow::Result<Option<SqliteStore>> {
    let Some(path) = store_path(environment).filter(|path| path.exists()) else { return Ok(None) };
    match SqliteStore::open(&path) {
        Ok(store) => {
            store.take_notices().iter().for_each(notice::print_notice);
            Ok(Some(store))
        }
        Err(error) if error.is_inaccessible() => match SqliteStore::open_read_only(&path)? {
            ReadOnlyStore::Store(store) => Ok(Some(store)),
            ReadOnlyStore::Older | ReadOnlyStore::Newer | ReadOnlyStore::Foreign => {
                Err(error.into())
            }
        },
        Err(error) => Err(error.into()),
    }
}

/// Returns the folders as absolute paths. Links are not resolved: a command may have chosen their
/// targets, which the sandbox checks.
///
/// # Errors
/// If a folder is missing, or not a folder.
pub(crate) fn resolve_folders(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let absolute = |path: &PathBuf| {
        let shown = path.display();
        let found = Path::canonicalize(path);
        if found.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            bail!("`{shown}` cannot be used: there is no such folder");
        }
        let found = found.with_context(|| format!("`{shown}` cannot be used"))?;
        if !found.is_dir() {
            bail!("`{shown}` is not a folder: give a folder");
        }
        Ok(std::path::absolute(path)?)
    };
    folders.iter().map(absolute).collect()
}
