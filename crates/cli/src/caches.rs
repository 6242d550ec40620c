//! Caches of package managers and other tools for commands: private ones.
//!
//! What lies in the user's own caches is run later by programs that no sandbox holds: sources of
//! packages are compiled, hooks are installed, prompts are drawn by scripts. So commands may not
//! write there. They get caches of their own, which only commands use, by the variables that
//! each tool reads. `docs/security.md` says of each cache what in it is run.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::environment::Environment;

/// A cache: the variable that moves it, where it is in the home folder if none is set, and where
/// among the private ones.
struct Cache {
    variable: &'static str,
    shared: &'static str,
    private: &'static str,
}

const fn cache(variable: &'static str, shared: &'static str, private: &'static str) -> Cache {
    Cache { variable, shared, private }
}

/// All that are moved. Most tools follow `XDG_CACHE_HOME`; those that are named beside it may be
/// moved by a variable of the user.
const CACHES: &[Cache] = &[
    cache("XDG_CACHE_HOME", ".cache", "xdg"),
    cache("CARGO_HOME", ".cargo", "cargo"),
    cache("npm_config_cache", ".npm", "npm"),
    cache("npm_config_store_dir", ".local/share/pnpm/store", "pnpm"),
    cache("YARN_CACHE_FOLDER", ".yarn/cache", "yarn/cache"),
    cache("YARN_GLOBAL_FOLDER", ".yarn/berry", "yarn/berry"),
    cache("COREPACK_HOME", ".cache/node/corepack", "corepack"),
    cache("GOMODCACHE", "go/pkg/mod", "go/mod"),
    cache("GOCACHE", ".cache/go-build", "go/build"),
    cache("GRADLE_USER_HOME", ".gradle", "gradle"),
    cache("NUGET_PACKAGES", ".nuget/packages", "nuget/packages"),
    cache("NUGET_HTTP_CACHE_PATH", ".local/share/NuGet/http-cache", "nuget/http"),
    cache("BUNDLE_USER_CACHE", ".bundle/cache", "bundle"),
    cache("COMPOSER_CACHE_DIR", ".composer/cache", "composer"),
    cache("DENO_DIR", ".cache/deno", "deno"),
    cache("PIP_CACHE_DIR", ".cache/pip", "pip"),
    cache("UV_CACHE_DIR", ".cache/uv", "uv"),
    cache("PRE_COMMIT_HOME", ".cache/pre-commit", "pre-commit"),
    cache("CCACHE_DIR", ".cache/ccache", "ccache"),
    cache("SCCACHE_DIR", ".cache/sccache", "sccache"),
];

/// The variable by which Maven is told options, and the one of them that moves its cache.
const MAVEN: (&str, &str) = ("MAVEN_OPTS", "-Dmaven.repo.local=");

/// What is large, only read, and of no use if it is not found: browsers for tests. The variable
/// names the user's own, which commands cannot write.
const READ_ONLY: &[(&str, &str)] = &[
    ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
    ("PUPPETEER_CACHE_DIR", ".cache/puppeteer"),
    ("CYPRESS_CACHE_FOLDER", ".cache/Cypress"),
];

/// Settings and accounts that lie beside a cache: the private one has links to them.
const SETTINGS: &[(&str, &str, &[&str])] = &[
    ("CARGO_HOME", "cargo", &["config.toml", "config", "credentials.toml", "credentials"]),
    ("GRADLE_USER_HOME", "gradle", &["gradle.properties", "init.gradle", "init.d"]),
];

/// Private caches, made for commands.
#[derive(Debug, Default)]
pub(crate) struct Caches {
    /// The folder that all are in.
    pub(crate) folder: Option<PathBuf>,
    /// The variables that lead to them.
    pub(crate) variables: Vec<(&'static str, OsString)>,
}

impl Caches {
    /// Makes those caches that commands may not share: all but those below the folders `writable`,
    /// which the user named. Without a place for them nothing is moved, and nothing can be cached.
    pub(crate) fn make(
        environment: &Environment,
        variables: &foveal_processes::Environment,
        writable: &[PathBuf],
    ) -> Self {
        let usual = || environment.in_home(".cache");
        let own =
            variables.get("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let Some(folder) = own.or_else(usual).map(|folder| folder.join("foveal/commands")) else {
            return Self::default();
        };
        // Nobody else may put anything there.
        if DirBuilder::new().recursive(true).mode(0o700).create(&folder).is_err() {
            return Self::default();
        }
        let shared = |variable: &str, place: &str| {
            let moved =
                variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
            moved.or_else(|| environment.in_home(place))
        };
        let is_named = |path: &Option<PathBuf>| {
            path.as_ref().is_some_and(|path| writable.iter().any(|named| path.starts_with(named)))
        };
        let mut moved: Vec<(&str, OsString)> = Vec::new();
        for Cache { variable, shared: place, private } in CACHES {
            if !is_named(&shared(variable, place)) {
                moved.push((variable, folder.join(private).into()));
            }
        }
        if !is_named(&environment.in_home(".m2/repository")) {
            let mut options = variables.get(MAVEN.0).map_or_else(OsString::new, |set| {
                let mut set = set.to_owned();
                set.push(" ");
                set
            });
            options.push(MAVEN.1);
            options.push(folder.join("maven"));
            moved.push((MAVEN.0, options));
        }
        for (variable, place) in READ_ONLY {
            let there = environment.in_home(place).filter(|path| path.exists());
            if variables.get(variable).is_none()
                && let Some(path) = there
            {
                moved.push((variable, path.into()));
            }
        }
        for (variable, private, names) in SETTINGS {
            let place = CACHES.iter().find(|cache| cache.variable == *variable);
            let from = place.and_then(|cache| shared(variable, cache.shared));
            if let Some(from) = from {
                link_settings(&from, &folder.join(private), names);
            }
        }
        Self { folder: Some(folder), variables: moved }
    }
}

/// Puts links to those of the files `names` in `from` that are there into `private`.
fn link_settings(from: &Path, private: &Path, names: &[&str]) {
    if fs::create_dir_all(private).is_err() {
        return;
    }
    for name in names {
        // A link that a command made is as good: commands alone follow it.
        if from.join(name).exists() {
            drop(symlink(from.join(name), private.join(name)));
        }
    }
}
