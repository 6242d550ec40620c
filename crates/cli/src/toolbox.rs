//! Tools on folders, with what they need of this machine.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, bail};
use foveal_files::Roots;
use foveal_index::IndexError;
use foveal_processes::{Sandbox, Shell};
use foveal_store::{SqliteStore, Store};
use foveal_tools::toolbox::Host;
use foveal_tools::{Toolbox, code_index};

use crate::environment::{self, Environment};
use crate::notice;
use crate::repository_index;
use crate::user_settings::{self, UserSettings};

/// Caches of package managers, which commands may write to: the variable that moves one, where
/// it is in the home folder, and what of it is meant (all, if nothing is named). No folder
/// from which programs are started is among them.
const CACHES: &[(&str, &str, &[&str])] = &[
    ("XDG_CACHE_HOME", ".cache", &[]),
    (
        "CARGO_HOME",
        ".cargo",
        &["registry", "git", ".package-cache", ".package-cache-mutate", ".global-cache"],
    ),
    ("npm_config_cache", ".npm", &[]),
    ("PNPM_HOME", ".local/share/pnpm", &["store"]),
    ("YARN_CACHE_FOLDER", ".yarn", &["cache", "berry/cache"]),
    ("GOPATH", "go", &["pkg"]),
    ("GRADLE_USER_HOME", ".gradle", &["caches", "daemon", "native", "wrapper/dists"]),
    ("MAVEN_REPOSITORY", ".m2/repository", &[]),
    ("NUGET_PACKAGES", ".nuget/packages", &[]),
    ("BUNDLE_USER_CACHE", ".bundle/cache", &[]),
    ("COMPOSER_CACHE_DIR", ".composer/cache", &[]),
    ("DENO_DIR", ".deno", &["deps", "gen", "npm"]),
];

/// Opens toolboxes that share one store.
pub(crate) struct Opener {
    environment: Environment,
    host: Host,
    settings: UserSettings,
    client_folder: Option<PathBuf>,
    store: Mutex<Option<Arc<dyn Store>>>,
}

impl Opener {
    /// Nothing is opened yet but the user's settings. Commands may write to the roots, the
    /// folder for temporary files, caches of package managers and `writable`.
    ///
    /// # Errors
    /// If there is no shell, or the settings cannot be used.
    pub(crate) fn new(environment: &Environment, writable: &[PathBuf]) -> anyhow::Result<Self> {
        let variables = environment::of_commands();
        let shell = Shell::find(variables.get("PATH"))
            .context("there is no shell to run commands in: install bash, or put sh into PATH")?;
        let mut writable = writable.to_vec();
        let temporary = std::env::temp_dir();
        writable.push(std::path::absolute(&temporary).unwrap_or(temporary));
        writable.extend(caches(environment, &variables));
        let host = Host {
            environment: variables,
            shell,
            writable: Some(writable),
            requires_sandbox: false,
        };
        Ok(Self {
            environment: environment.clone(),
            host,
            settings: user_settings::read(environment)?,
            client_folder: None,
            store: Mutex::new(None),
        })
    }

    /// The same, but no command runs where the kernel cannot hold it to the folders that it may
    /// write.
    pub(crate) fn requiring_sandbox(mut self) -> Self {
        self.host.requires_sandbox = true;
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
            Box::new(move || repository_index::open_for_tools(&root, &environment))
        };
        let first = index(opened.working_directory());
        let mut toolbox = self.with_index(opened, first);
        for root in paths.iter().skip(1) {
            toolbox.index.add(root.clone(), index(root));
        }
        Ok(Arc::new(toolbox))
    }

    /// Tools on one folder for a single call: its index is neither made nor asked.
    ///
    /// # Errors
    /// If it is no folder.
    pub(crate) fn open_without_index(&self, root: &Path) -> anyhow::Result<Arc<Toolbox>> {
        let path = root.to_owned();
        let source = io::Error::from(io::ErrorKind::Unsupported);
        let index = Box::new(move || Err(IndexError::Place { path, source }));
        Ok(Arc::new(self.with_index(Roots::open(&[root])?, index)))
    }

    fn with_index(&self, roots: Roots, index: code_index::Open) -> Toolbox {
        let UserSettings { tools, policy } = self.settings.clone();
        let mut toolbox = Toolbox::new(roots, self.store(), index, self.host.clone(), tools);
        for folder in toolbox.sandbox.iter().flat_map(Sandbox::passed_over) {
            notice::say(format_args!(
                "commands cannot write to `{}`: its name leads through another folder that they \
                 may write, so that a command could have chosen what it leads to",
                folder.display()
            ));
        }
        toolbox.policy = policy;
        toolbox.client_folder.clone_from(&self.client_folder);
        toolbox
    }

    fn store(&self) -> Arc<dyn Store> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(store.get_or_insert_with(|| open_store(&self.environment)))
    }
}

/// Where the store is; `None` if there is no place for it.
pub(crate) fn store_path(environment: &Environment) -> Option<PathBuf> {
    Some(environment.data_folder()?.join("foveal").join("store.db"))
}

/// The store among the user's data; one in memory, which is said, where that cannot be used.
pub(crate) fn open_store(environment: &Environment) -> Arc<dyn Store> {
    let why = match store_path(environment).as_deref().map(SqliteStore::open) {
        Some(Ok(store)) => {
            store.take_notices().iter().for_each(notice::say);
            return Arc::new(store);
        }
        Some(Err(error)) => format!("{:#}", anyhow::Error::from(error)),
        None => "there is no place for the store: set HOME or XDG_DATA_HOME".to_owned(),
    };
    notice::say(format_args!("{why}; what is left out of answers is kept only while this runs"));
    Arc::new(SqliteStore::in_memory().expect("a store in memory needs nothing but memory"))
}

/// What of [`CACHES`] is meant here, whether it exists or not.
fn caches(
    environment: &Environment,
    variables: &foveal_processes::Environment,
) -> impl Iterator<Item = PathBuf> {
    CACHES.iter().flat_map(|(variable, place, parts)| {
        let moved = variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let own = environment.home.as_ref().map(|home| home.join(place));
        let folder = moved.or(own);
        let whole = folder.clone().filter(|_| parts.is_empty());
        let parts = parts.iter().filter_map(move |part| Some(folder.as_ref()?.join(part)));
        whole.into_iter().chain(parts)
    })
}

/// Folders that commands may write, as absolute paths. Links in them are left as they are: what
/// a link leads to may have been chosen by a command, which the sandbox looks at.
///
/// # Errors
/// If one is not there, or is no folder.
pub(crate) fn writable(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    folders(named)?;
    named.iter().map(|path| Ok(std::path::absolute(path)?)).collect()
}

/// The folders as absolute paths without links.
///
/// # Errors
/// If one is not there, or is no folder.
pub(crate) fn folders(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let absolute = |path: &PathBuf| {
        let shown = path.display();
        let found = Path::canonicalize(path);
        let found = found.with_context(|| format!("`{shown}` cannot be used"))?;
        if !found.is_dir() {
            bail!("`{shown}` is no folder: name one");
        }
        Ok(found)
    };
    named.iter().map(absolute).collect()
}
