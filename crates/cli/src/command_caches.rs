//! Private caches of package managers and other tools for the commands that tools run.
//!
//! Programs outside of any sandbox later run the content of the user's own caches: package sources
//! are compiled, hooks are installed, scripts draw prompts. Commands therefore may not write there.
//! They get caches of their own, which only commands use, through the variables that each tool
//! reads.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Path, PathBuf};

use crate::environment::Environment;

/// A cache: the variable that moves it, its default path below the home folder, and its path among
/// the private caches.
struct CacheLocation {
    variable: &'static str,
    shared: &'static str,
    private: &'static str,
}

const fn cache_location(
    variable: &'static str,
    shared: &'static str,
    private: &'static str,
) -> CacheLocation {
    CacheLocation { variable, shared, private }
}

/// All caches that are moved. Most tools follow `XDG_CACHE_HOME`; the others are listed because a
/// variable of the user may have moved them.
const MOVED_CACHES: &[CacheLocation] = &[
    cache_location("XDG_CACHE_HOME", ".cache", "xdg"),
    cache_location("CARGO_HOME", ".cargo", "cargo"),
    cache_location("npm_config_cache", ".npm", "npm"),
    // The pnpm store lies below; `npm` warns about the setting that moves only the store.
    cache_location("PNPM_HOME", ".local/share/pnpm", "pnpm"),
    cache_location("YARN_CACHE_FOLDER", ".yarn/cache", "yarn/cache"),
    cache_location("YARN_GLOBAL_FOLDER", ".yarn/berry", "yarn/berry"),
    cache_location("COREPACK_HOME", ".cache/node/corepack", "corepack"),
    cache_location("GOMODCACHE", "go/pkg/mod", "go/mod"),
    cache_location("GOCACHE", ".cache/go-build", "go/build"),
    cache_location("GRADLE_USER_HOME", ".gradle", "gradle"),
    cache_location("NUGET_PACKAGES", ".nuget/packages", "nuget/packages"),
    cache_location("NUGET_HTTP_CACHE_PATH", ".local/share/NuGet/http-cache", "nuget/http"),
    cache_location("BUNDLE_USER_CACHE", ".bundle/cache", "bundle"),
    cache_location("COMPOSER_CACHE_DIR", ".composer/cache", "composer"),
    cache_location("DENO_DIR", ".cache/deno", "deno"),
    cache_location("PIP_CACHE_DIR", ".cache/pip", "pip"),
    cache_location("UV_CACHE_DIR", ".cache/uv", "uv"),
    cache_location("PRE_COMMIT_HOME", ".cache/pre-commit", "pre-commit"),
    cache_location("CCACHE_DIR", ".cache/ccache", "ccache"),
    cache_location("SCCACHE_DIR", ".cache/sccache", "sccache"),
];

/// Large caches that commands only read and for which an empty private one is useless: browsers for
/// tests. The variable names the user's own cache, which commands cannot write.
const READ_ONLY_CACHES: &[(&str, &str)] = &[
    ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
    ("PUPPETEER_CACHE_DIR", ".cache/puppeteer"),
    ("CYPRESS_CACHE_FOLDER", ".cache/Cypress"),
];

/// Settings and accounts that lie beside a cache: the private cache links to them.
const LINKED_SETTINGS: &[(&str, &[&str])] = &[
    ("CARGO_HOME", &["config.toml", "config", "credentials.toml", "credentials"]),
    ("GRADLE_USER_HOME", &["gradle.properties", "init.gradle", "init.d"]),
];

/// Limit of files of the Cargo registry (packages and index) that are imported once.
const REGISTRY_FILES_MAX: usize = 50_000;

/// The private caches for commands.
#[derive(Debug, Default)]
pub(crate) struct CommandCaches {
    /// The folder that holds all of them.
    pub(crate) folder: Option<PathBuf>,
    /// The variables that lead tools to them.
    pub(crate) variables: Vec<(&'static str, OsString)>,
}

impl CommandCaches {
    /// Creates private caches in place of those that commands may not share: all but those below
    /// the `writable` folders, which the user named. Without a folder for them, no cache is moved
    /// and commands cannot cache.
    pub(crate) fn create(
        environment: &Environment,
        variables: &foveal_sandbox::CommandEnvironment,
        writable: &[PathBuf],
    ) -> Self {
        let shared = |variable: &str, place: &str| {
            let moved = variables.get(variable).map(PathBuf::from);
            moved.filter(|path| path.is_absolute()).or_else(|| environment.user.path_in_home(place))
        };
        let folder = shared("XDG_CACHE_HOME", ".cache").map(|own| own.join("foveal/commands"));
        let Some(folder) = folder.filter(|folder| create_private_folder(folder).is_ok()) else {
            return Self::default();
        };
        let is_named = |path: &Path| writable.iter().any(|named| path.starts_with(named));
        let mut moved: Vec<(&str, OsString)> = Vec::new();
        for CacheLocation { variable, shared: place, private } in MOVED_CACHES {
            let Some(own) = shared(variable, place).filter(|own| !is_named(own)) else { continue };
            let private = folder.join(private);
            // Not every tool creates the folder that its variable names.
            if create_private_folder(&private).is_ok() {
                fill_private_cache(variable, &own, &private);
                moved.push((variable, private.into()));
            }
        }
        let of_maven = environment.user.path_in_home(".m2/repository").filter(|own| !is_named(own));
        moved
            .extend(of_maven.and_then(|own| maven_options(variables, &own, &folder.join("maven"))));
        for (variable, place) in READ_ONLY_CACHES {
            let there = environment.user.path_in_home(place).filter(|path| path.exists());
            moved.extend(
                there
                    .filter(|_| variables.get(variable).is_none())
                    .map(|path| (*variable, path.into())),
            );
        }
        Self { folder: Some(folder), variables: moved }
    }
}

/// Creates a folder (mode 0700) with its parents.
pub(crate) fn create_private_folder(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Returns Maven's options with its cache moved. Maven 3.9 and later falls back to the user's own
/// cache, which it reads only.
fn maven_options(
    variables: &foveal_sandbox::CommandEnvironment,
    own: &Path,
    private: &Path,
) -> Option<(&'static str, OsString)> {
    // Maven splits the variable at blanks, quoted or not.
    let is_whole = |path: &&str| !path.contains(char::is_whitespace);
    let private = private.to_str().filter(is_whole)?;
    let own = own.to_str().filter(is_whole)?;
    let mut options = variables.get("MAVEN_OPTS").map_or_else(OsString::new, OsString::from);
    options.push(format!(
        " -Dmaven.repo.local={private} -Dmaven.repo.local.tail={own} \
         -Dmaven.repo.local.tail.ignoreAvailability=true"
    ));
    Some(("MAVEN_OPTS", options))
}

/// Fills a private cache with links to the settings and accounts beside the user's own cache, and,
/// for Cargo, with the packages downloaded before.
fn fill_private_cache(variable: &str, own: &Path, private: &Path) {
    for (_, names) in LINKED_SETTINGS.iter().filter(|(of, _)| *of == variable) {
        for name in *names {
            // If a command put its own link there, only commands follow it.
            link_if_present(&own.join(name), &private.join(name));
        }
    }
    if variable == "CARGO_HOME" && !private.join("registry").exists() {
        let mut left = REGISTRY_FILES_MAX;
        import_registry_folder(
            &own.join("registry/index"),
            &private.join("registry/index"),
            &mut left,
        );
        import_registry_folder(
            &own.join("registry/cache"),
            &private.join("registry/cache"),
            &mut left,
        );
    }
}

/// Imports the folders below `own` into `private`. Package archives are only read, so they become
/// links; other files are small and rewritten, so they are copied.
fn import_registry_folder(own: &Path, private: &Path, left: &mut usize) {
    let Ok(entries) = fs::read_dir(own) else { return };
    drop(fs::create_dir_all(private));
    for entry in entries.flatten().filter(|entry| entry.file_name() != ".git") {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return;
        }
        let (from, to) = (entry.path(), private.join(entry.file_name()));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => import_registry_folder(&from, &to, left),
            Ok(kind) if kind.is_file() && from.extension().is_some_and(|end| end == "crate") => {
                link_if_present(&from, &to);
            }
            Ok(kind) if kind.is_file() => drop(fs::copy(from, to)),
            _ => {}
        }
    }
}

fn link_if_present(from: &Path, to: &Path) {
    if from.exists() {
        // The link may exist from an earlier run.
        drop(symlink(from, to));
    }
}

#[cfg(test)]
mod tests {
    use foveal_agent_setup::UserEnvironment;

    use super::*;

    fn made(home: &Path, set: &[(&str, &str)], writable: &[PathBuf]) -> CommandCaches {
        let environment =
            UserEnvironment { home: Some(home.to_owned()), ..UserEnvironment::default() };
        let environment = Environment { user: environment, ..Environment::default() };
        let set = set.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        CommandCaches::create(
            &environment,
            &foveal_sandbox::CommandEnvironment::from_inherited(set),
            writable,
        )
    }

    fn value(caches: &CommandCaches, name: &str) -> Option<PathBuf> {
        let found = caches.variables.iter().find(|(variable, _)| *variable == name);
        found.map(|(_, value)| PathBuf::from(value))
    }

    #[test]
    fn no_cache_of_the_user_is_given_to_commands() {
        let home = tempfile::tempdir().expect("a folder");
        let set = [("GOMODCACHE", "/elsewhere/go"), ("MAVEN_OPTS", "-Xmx1g")];
        let caches = made(home.path(), &set, &[]);
        let folder = caches.folder.clone().expect("there is a home folder");
        assert!(folder.starts_with(home.path().join(".cache/foveal")));
        for CacheLocation { variable, .. } in MOVED_CACHES {
            let private = value(&caches, variable).expect("it is moved");
            assert!(private.starts_with(&folder) && private.is_dir(), "{variable}");
        }
        let options = value(&caches, "MAVEN_OPTS").expect("it is set");
        let options = options.to_str().expect("text");
        assert!(options.starts_with("-Xmx1g -Dmaven.repo.local="), "{options}");
    }

    #[test]
    fn a_cache_that_the_user_names_is_shared() {
        let home = tempfile::tempdir().expect("a folder");
        let caches = made(home.path(), &[], &[home.path().join(".npm"), home.path().join("go")]);
        for name in ["npm_config_cache", "GOMODCACHE"] {
            assert_eq!(value(&caches, name), None);
        }
        assert!(value(&caches, "CARGO_HOME").is_some());
        assert_eq!(made(home.path(), &[], &[home.path().to_owned()]).variables, []);
        let nowhere = CommandCaches::create(
            &Environment::default(),
            &foveal_sandbox::CommandEnvironment::default(),
            &[],
        );
        assert_eq!((nowhere.folder, nowhere.variables), (None, vec![]));
    }

    #[test]
    fn settings_and_packages_are_found_and_cannot_be_changed_through_the_cache() {
        let home = tempfile::tempdir().expect("a folder");
        let own = home.path().join(".cargo");
        for (path, text) in [
            ("config.toml", "[net]"),
            ("registry/cache/a-1/b-2.crate", "packed"),
            ("registry/index/a-1/.cache/b", "versions"),
            ("registry/src/a-1/b-2/build.rs", "fn main() {}"),
        ] {
            let path = own.join(path);
            fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("made");
            fs::write(path, text).expect("written");
        }
        for _ in 0..2 {
            let caches = made(home.path(), &[], &[]);
            let cargo = value(&caches, "CARGO_HOME").expect("it is moved");
            let read = |path: &str| fs::read_to_string(cargo.join(path)).unwrap_or_default();
            assert_eq!(read("config.toml"), "[net]");
            assert_eq!(read("registry/cache/a-1/b-2.crate"), "packed");
            assert_eq!(read("registry/index/a-1/.cache/b"), "versions");
            // Sources are unpacked anew.
            assert!(!cargo.join("registry/src").exists());
            for linked in ["config.toml", "registry/cache/a-1/b-2.crate"] {
                assert!(cargo.join(linked).is_symlink(), "{linked}");
            }
            fs::write(cargo.join("registry/index/a-1/.cache/b"), "versions").expect("a copy");
        }
    }
}
