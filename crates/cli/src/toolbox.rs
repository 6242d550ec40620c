//! Tools on folders, with what they need of this machine.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use anyhow::{Context, bail};
use foveal_context::views::Views;
use foveal_files::{Journal, Roots, Writer};
use foveal_index::{IndexError, Wait};
use foveal_processes::{Guard, Sandbox, Shell};
use foveal_store::{PassingContents, ReadOnly, SqliteStore, Store};
use foveal_tools::code_index::Indexer;
use foveal_tools::permission::{Policy, Said, nearest};
use foveal_tools::person::Person;
use foveal_tools::toolbox::Host;
use foveal_tools::unkept::Unkept;
use foveal_tools::{Toolbox, code_index};

use crate::caches::{Caches, make_private};
use crate::debug::Debug;
use crate::environment::{self, Environment};
use crate::explained;
use crate::notice;
use crate::project_settings::with_project;
use crate::readable;
use crate::repository_index;
use crate::side_agents::{Curator, Later, ModelFirst, SideBill, indexer};
use crate::uptime;
use crate::user_settings::{self, UserSettings};

/// Opens toolboxes that share one store.
pub(crate) struct Opener {
    environment: Environment,
    host: Host,
    settings: UserSettings,
    client_folder: Option<PathBuf>,
    /// The roots that were served so far.
    served: Mutex<Vec<PathBuf>>,
    writer: Mutex<Option<Writer>>,
    store: Mutex<Option<OpenedStore>>,
    curator: OnceLock<Option<Arc<Curator>>>,
    /// What those models cost, where that counts.
    bill: Option<Arc<SideBill>>,
    /// For all toolboxes, so that together they keep to its budget.
    indexer: OnceLock<Option<Arc<Indexer>>>,
    debug: Debug,
    /// What was told of projects so far.
    told: Mutex<BTreeSet<String>>,
}

/// A store, and whether what it is given is there after the program has ended.
#[derive(Clone)]
struct OpenedStore {
    store: Arc<dyn Store>,
    is_kept: bool,
}

impl Opener {
    /// Nothing is opened yet but the user's settings.
    ///
    /// # Errors
    /// If there is no shell, or the settings cannot be used.
    pub(crate) fn new(environment: &Environment) -> anyhow::Result<Self> {
        let variables = environment::of_commands();
        let shell = Shell::find(variables.get("PATH"))
            .context("there is no shell to run commands in: install bash, or put sh into PATH")?;
        let (sandbox, guard) = (Some(Sandbox::default()), Some(Guard::this_program()));
        let host = Host { environment: variables, shell, sandbox, guard };
        Ok(Self {
            environment: environment.clone(),
            host,
            settings: user_settings::read(environment)?,
            client_folder: None,
            served: Mutex::default(),
            writer: Mutex::default(),
            store: Mutex::new(None),
            curator: OnceLock::new(),
            bill: None,
            indexer: OnceLock::new(),
            debug: environment.debug()?,
            told: Mutex::default(),
        })
    }

    /// What the user set.
    pub(crate) fn settings(&self) -> &UserSettings {
        &self.settings
    }

    /// The same for commands, which may write to the roots, the folder for temporary files,
    /// caches of their own and `writable`.
    pub(crate) fn for_commands(self, writable: &[PathBuf]) -> Self {
        let temporary = std::env::temp_dir();
        let temporary = std::path::absolute(&temporary).unwrap_or(temporary);
        self.writing([writable, &[temporary]].concat()).0
    }

    /// The same for commands, which may write to `writable`, and to caches and a folder for
    /// temporary files of their own: roots may lie in the one of all programs.
    pub(crate) fn for_commands_that_write_only(self, writable: &[PathBuf]) -> Self {
        let (mut opener, own) = self.writing(writable.to_vec());
        opener.host.sandbox = opener.host.sandbox.map(Sandbox::without_writing_roots);
        let temporary = own.map(|own| own.join("tmp"));
        if let Some(folder) = temporary.filter(|folder| make_private(folder).is_ok()) {
            opener.host.environment = opener.host.environment.with("TMPDIR", folder);
        }
        opener
    }

    /// The same for commands, which may write to `writable` and caches of their own, and the folder
    /// of those.
    fn writing(mut self, mut writable: Vec<PathBuf>) -> (Self, Option<PathBuf>) {
        let caches = Caches::make(&self.environment, &self.host.environment, &writable);
        writable.extend(caches.folder.clone());
        let sandbox = Sandbox::hold(writable);
        for folder in sandbox.passed_over() {
            notice::say(format_args!(
                "commands cannot write to `{}`: its name goes through a link, which a command may \
                 have made; name the folder itself with `--writable`",
                folder.display()
            ));
        }
        for (name, value) in caches.variables {
            self.host.environment = self.host.environment.with(name, value);
        }
        self.host.sandbox = Some(sandbox);
        (self, caches.folder)
    }

    /// The same, but nothing that files, pages and outputs hold is written to disk.
    pub(crate) fn keeping_no_contents(mut self) -> Self {
        self.settings.keeps_no_contents = true;
        self
    }

    /// The same, but no command runs where the kernel cannot hold it to the folders that it may
    /// write.
    pub(crate) fn requiring_sandbox(mut self) -> Self {
        self.host.sandbox = self.host.sandbox.map(Sandbox::required);
        self
    }

    /// The same, but commands read only what they may write, what programs need of the system, and
    /// `named`.
    pub(crate) fn reading_only(mut self, named: &[PathBuf]) -> Self {
        let folders = readable::folders(&self.environment, &self.host.environment, named);
        self.host.sandbox = self.host.sandbox.map(|sandbox| sandbox.reading_only(folders));
        self
    }

    /// The same, but commands do not see this variable.
    pub(crate) fn hiding(mut self, variable: &str) -> Self {
        self.host.environment = self.host.environment.without(variable);
        self
    }

    /// The same, but commands use no network.
    pub(crate) fn without_network(mut self) -> Self {
        self.host.sandbox = self.host.sandbox.map(Sandbox::without_network);
        self
    }

    /// The same, but what models cost that choose what is shown, or read files into the index, counts.
    pub(crate) fn billed_to(mut self, bill: &Arc<SideBill>) -> Self {
        self.bill = Some(Arc::clone(bill));
        self
    }

    /// The same for a client that works in `folder`, whatever the roots are.
    pub(crate) fn for_client_in(mut self, folder: &Path) -> Self {
        self.client_folder = folder.canonicalize().ok();
        self
    }

    /// Tools on `roots`, each with its index; the first is where relative paths begin.
    ///
    /// # Errors
    /// If a root is no folder.
    pub(crate) fn open(&self, roots: &[PathBuf]) -> anyhow::Result<Arc<Toolbox>> {
        let opened = Roots::open(roots)?;
        let paths: Vec<PathBuf> = opened.all().map(|root| root.path().to_owned()).collect();
        let index = |root: &Path| -> code_index::Open {
            let (root, environment) = (root.to_owned(), self.environment.clone());
            let keeps = !self.settings.keeps_no_contents;
            let (mut is_told, mut wait) = (false, Wait::ANSWER);
            Box::new(move || {
                // It was waited for once; somebody may wait for this one.
                let wait = std::mem::replace(&mut wait, Wait::NONE);
                let index = repository_index::open_for_tools(&root, keeps, &environment, wait)?;
                if index.is_stand_in() && !std::mem::replace(&mut is_told, true) {
                    notice::say(format_args!(
                        "another process holds the index of `{}`; files are read anew until it is \
                         free",
                        root.display()
                    ));
                }
                Ok(index)
            })
        };
        let first = index(opened.working_directory());
        let mut toolbox = self.with_index(opened, first);
        toolbox.sandbox = self.sandbox_for(roots)?;
        if let Some(sandbox) = &toolbox.sandbox {
            self.tell_forbidden(sandbox, &toolbox.policy, &paths);
        }
        toolbox.writer = self.writer();
        toolbox.mend_cut_off();
        if let Some(indexer) = self.indexer() {
            toolbox.index.index_by(Arc::clone(indexer));
        }
        for root in paths.iter().skip(1) {
            toolbox.index.add(root.clone(), index(root));
        }
        Ok(Arc::new(toolbox))
    }

    /// Where commands may write in a session in `roots`.
    ///
    /// # Errors
    /// If a link leads to a root that a command may have made.
    fn sandbox_for(&self, roots: &[PathBuf]) -> anyhow::Result<Option<Sandbox>> {
        let Some(held) = self.host.sandbox.clone() else { return Ok(None) };
        let absolute: Vec<PathBuf> = roots
            .iter()
            .map(|root| std::path::absolute(root).unwrap_or_else(|_| root.clone()))
            .collect();
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let sandbox = held.with_roots(&absolute, &served).map_err(|root| {
            anyhow::anyhow!(
                "`{}` is reached through a link in a folder that commands may write, so that a \
                 command may have made it: name the folder itself",
                root.display()
            )
        })?;
        served.extend(absolute);
        Ok(Some(sandbox))
    }

    /// Says which of the folders that commands may write rules forbid to write as a whole.
    fn tell_forbidden(&self, sandbox: &Sandbox, policy: &Policy, roots: &[PathBuf]) {
        let paths: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
        let Some(first) = paths.first() else { return };
        let named = policy.named_to_write(first, &paths);
        let parts = named.iter().map(|(path, said)| (path.clone(), said.writing()));
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        for folder in sandbox.clone().forbidding(parts).forbidden() {
            let Some(Said { rule: at, .. }) = nearest(&named, folder) else { continue };
            let rule = &policy.rules[at];
            let text = format!(
                "commands cannot write to `{}`: permission rule {} ({:?} {:?}) forbids it",
                folder.display(),
                at + 1,
                rule.tool,
                rule.subject
            );
            if told.insert(text.clone()) {
                notice::say(text);
            }
        }
    }

    /// Tools for a single call of a person in the folder that they mean: no index is made or
    /// asked, and what is outside of that folder needs their approval.
    ///
    /// # Errors
    /// If it is no folder.
    pub(crate) fn open_for_person(&self, place: &Place) -> anyhow::Result<Arc<Toolbox>> {
        let store = self.store();
        let mut toolbox = self.without_index(place, store.store)?;
        // What is left out of the answer could not be asked for.
        toolbox.keeps_content = store.is_kept;
        Ok(Arc::new(toolbox))
    }

    /// The same to ask what the rules allow, and nothing else: nothing is stored.
    ///
    /// # Errors
    /// If it is no folder.
    pub(crate) fn open_for_rules(&self, place: &Place) -> anyhow::Result<Arc<Toolbox>> {
        Ok(Arc::new(self.without_index(place, in_memory())?))
    }

    fn without_index(&self, place: &Place, store: Arc<dyn Store>) -> anyhow::Result<Toolbox> {
        let path = place.meant.clone();
        let index = Box::new(move || {
            let source = io::Error::from(io::ErrorKind::Unsupported);
            Err(IndexError::Place { path: path.clone(), source })
        });
        let mut folders = vec![place.meant.clone()];
        if !place.working.starts_with(&place.meant) {
            folders.push(place.working.clone());
        }
        let roots = Roots::open(&folders)?.starting_at(&place.working);
        let mut toolbox = self.with_store(roots, index, store);
        toolbox.meant_folder = Some(place.meant.clone());
        Ok(toolbox)
    }

    fn with_index(&self, roots: Roots, index: code_index::Open) -> Toolbox {
        self.with_store(roots, index, self.store().store)
    }

    fn with_store(&self, roots: Roots, index: code_index::Open, store: Arc<dyn Store>) -> Toolbox {
        let settings = self.settings_in(roots.working_directory());
        let UserSettings { tools, policy, curator, .. } = settings;
        let mut toolbox = Toolbox::new(roots, store, index, self.host.clone(), tools);
        toolbox.policy = policy;
        if let (Some(wish), Some(model)) = (&curator, self.model()) {
            let views = ModelFirst::new(model, toolbox.curator());
            let version = format!("{}, {}", wish.model, env!("CARGO_PKG_VERSION"));
            toolbox.curate_by_model(Arc::new(views), version);
        }
        let converter = own_program().map(|program| vec![program, CONVERT_PAGE.into()]);
        let proxies = self.environment.proxies();
        toolbox.fetch_pages(Arc::new(move |address| proxies.proxy_for(address)), converter);
        toolbox.rules_file = user_settings::file::path(&self.environment);
        toolbox.client_folder.clone_from(&self.client_folder);
        toolbox.explain_to(explained::of_tools(self.debug));
        toolbox.person = Person::told_by(|text| notice::say(text));
        toolbox.unkept = Arc::new(Unkept::new(|error| {
            notice::say(format_args!("nothing can be kept: {}", notice::in_one_line(error)));
        }));
        toolbox
    }

    /// What holds in a folder: what the user set, and what the project there may set beside that.
    fn settings_in(&self, folder: &Path) -> UserSettings {
        let (settings, told) = with_project(&self.settings, folder, &self.environment);
        let mut projects = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(told) = told.filter(|told| projects.insert(told.clone())) {
            notice::say(told);
        }
        settings
    }

    /// Writes files, with a journal where there is a place for one.
    fn writer(&self) -> Writer {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let open = || {
            let folder = journal_path(&self.environment)?;
            // Where that cannot be used, the store says that nothing can be kept.
            Some(Writer::with_journal(Arc::new(Journal::open(&folder).ok()?)))
        };
        writer.get_or_insert_with(|| open().unwrap_or_default()).clone()
    }

    /// Who chooses what is shown of files in a folder, with `otherwise` behind it. A model that
    /// does is asked beside the run too, for when less of old reads goes.
    pub(crate) fn curated(&self, folder: &Path, otherwise: Arc<dyn Views>) -> Arc<dyn Views> {
        let wish = self.settings_in(folder).curator;
        match wish.and_then(|_| self.model()) {
            Some(model) => {
                let first = Arc::new(ModelFirst::new(model, otherwise));
                Arc::new(Later::start(model, first))
            }
            None => otherwise,
        }
    }

    /// The model that chooses what is shown of files, if the user names one. Where it cannot be
    /// asked that is said once, and all goes on without it.
    fn model(&self) -> Option<&Arc<Curator>> {
        let open = || {
            let wish = self.settings.curator.as_ref()?;
            let (store, longer_than) = (self.store().store, wish.longer_than);
            let counts = (store, self.bill.as_ref());
            match Curator::of((&wish.model, longer_than), &self.environment, counts) {
                Ok(curator) => Some(Arc::new(curator)),
                Err(error) => {
                    notice::say(format_args!(
                        "no model chooses what is shown of files: {}",
                        notice::in_one_line(error.as_ref())
                    ));
                    None
                }
            }
        };
        self.curator.get_or_init(open).as_ref()
    }

    /// The model that reads files into the index, if the user names one.
    fn indexer(&self) -> Option<&Arc<Indexer>> {
        let open = || {
            let wish = self.settings.indexer.as_ref()?;
            let opened = indexer(wish, self.bill.as_ref(), &self.environment);
            opened
                .inspect_err(|error| {
                    let why = notice::in_one_line(error.as_ref());
                    notice::say(format_args!("no model reads files into the index: {why}"));
                })
                .ok()
        };
        self.indexer.get_or_init(open).as_ref()
    }

    /// Whether sessions are kept beyond this process.
    pub(crate) fn keeps_sessions(&self) -> bool {
        self.store().is_kept
    }

    fn store(&self) -> OpenedStore {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        let keeps_contents = !self.settings.keeps_no_contents;
        store.get_or_insert_with(|| open_store(&self.environment, keeps_contents)).clone()
    }
}

/// The command that converts a page, for the program itself.
pub(crate) const CONVERT_PAGE: &str = "convert-page";

/// This program as it runs, also where another one has taken its place on the disk since.
fn own_program() -> Option<OsString> {
    let running = Path::new("/proc/self/exe");
    match running.exists() {
        true => Some(running.into()),
        false => std::env::current_exe().ok().map(Into::into),
    }
}

/// Where a person's call works.
#[derive(Debug)]
pub(crate) struct Place {
    /// The folder that the person means without naming it. A canonical path, as the other is.
    pub(crate) meant: PathBuf,
    /// Where relative paths start.
    pub(crate) working: PathBuf,
}

/// What the file of the store is called.
pub(crate) const STORE: &str = "store.db";

/// Where the store is; `None` if there is no place for it.
pub(crate) fn store_path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.data_folder()?.join("foveal").join(STORE))
}

/// Where the journal of files that are being written is; `None` if there is no place for it.
fn journal_path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.data_folder()?.join("foveal").join("writes"))
}

/// The store among the user's data; one in memory, which is said, where that cannot be used.
/// Contents are in memory alone unless it `keeps_contents`.
fn open_store(environment: &Environment, keeps_contents: bool) -> OpenedStore {
    let why = match store_path(environment).as_deref().map(SqliteStore::open) {
        Some(Ok(store)) => {
            store.take_notices().iter().for_each(notice::say);
            let store = store.told_uptime(uptime::now);
            let store: Arc<dyn Store> = match keeps_contents {
                true => Arc::new(store),
                false => Arc::new(PassingContents::new(store, memory())),
            };
            return OpenedStore { store, is_kept: keeps_contents };
        }
        Some(Err(error)) => notice::in_one_line(&error),
        None => "there is no place for the store: set HOME or XDG_DATA_HOME".to_owned(),
    };
    notice::say(format_args!("{why}; nothing is kept beyond this run"));
    OpenedStore { store: in_memory(), is_kept: false }
}

/// The store for a gateway, or one in memory, which is said.
pub(crate) fn store_of_gateway(environment: &Environment) -> Arc<dyn Store> {
    open_store(environment, user_settings::keep_contents(environment)).store
}

fn in_memory() -> Arc<dyn Store> {
    Arc::new(memory())
}

fn memory() -> SqliteStore {
    SqliteStore::in_memory().expect("a store in memory needs nothing but memory")
}

/// The store, to be read; `None` if nothing was ever stored. Where it cannot be written, it is
/// read as it is.
///
/// # Errors
/// If it cannot be read.
pub(crate) fn store_to_read(environment: &Environment) -> anyhow::Result<Option<SqliteStore>> {
    let Some(path) = store_path(environment).filter(|path| path.exists()) else { return Ok(None) };
    match SqliteStore::open(&path) {
        Ok(store) => {
            store.take_notices().iter().for_each(notice::say);
            Ok(Some(store))
        }
        Err(error) if error.is_place() => match SqliteStore::open_read_only(&path)? {
            ReadOnly::Store(store) => Ok(Some(store)),
            ReadOnly::Older | ReadOnly::Newer | ReadOnly::Foreign => Err(error.into()),
        },
        Err(error) => Err(error.into()),
    }
}

/// The folders as absolute paths. Links in them are left as they are: what a link leads to may
/// have been chosen by a command, which the sandbox looks at.
///
/// # Errors
/// If one is not there, or is no folder.
pub(crate) fn named(folders: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let absolute = |path: &PathBuf| {
        let shown = path.display();
        let found = Path::canonicalize(path);
        if found.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            bail!("`{shown}` cannot be used: there is no such folder");
        }
        let found = found.with_context(|| format!("`{shown}` cannot be used"))?;
        if !found.is_dir() {
            bail!("`{shown}` is no folder: name one");
        }
        Ok(std::path::absolute(path)?)
    };
    folders.iter().map(absolute).collect()
}
