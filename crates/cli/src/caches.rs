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
    // Its store lies below; `npm` warns of the setting that moves that alone.
    cache("PNPM_HOME", ".local/share/pnpm", "pnpm"),
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

/// What is large, only read, and of no use if it is not found: browsers for tests. The variable
/// names the user's own, which commands cannot write.
const READ_ONLY: &[(&str, &str)] = &[
    ("PLAYWRIGHT_BROWSERS_PATH", ".cache/ms-playwright"),
    ("PUPPETEER_CACHE_DIR", ".cache/puppeteer"),
    ("CYPRESS_CACHE_FOLDER", ".cache/Cypress"),
];

/// Settings and accounts that lie beside a cache: the private one has links to them.
const SETTINGS: &[(&str, &[&str])] = &[
    ("CARGO_HOME", &["config.toml", "config", "credentials.toml", "credentials"]),
    ("GRADLE_USER_HOME", &["gradle.properties", "init.gradle", "init.d"]),
];

/// Packages of Rust and lines of their index that are taken over once.
const PACKAGES_MAX: usize = 50_000;

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
        let shared = |variable: &str, place: &str| {
            let moved = variables.get(variable).map(PathBuf::from);
            moved.filter(|path| path.is_absolute()).or_else(|| environment.in_home(place))
        };
        let folder = shared("XDG_CACHE_HOME", ".cache").map(|own| own.join("foveal/commands"));
        let Some(folder) = folder.filter(|folder| make_private(folder).is_ok()) else {
            return Self::default();
        };
        let is_named = |path: &Path| writable.iter().any(|named| path.starts_with(named));
        let mut moved: Vec<(&str, OsString)> = Vec::new();
        for Cache { variable, shared: place, private } in CACHES {
            let Some(own) = shared(variable, place).filter(|own| !is_named(own)) else { continue };
            let private = folder.join(private);
            // Not all tools make the folder that a variable names.
            if make_private(&private).is_ok() {
                fill(variable, &own, &private);
                moved.push((variable, private.into()));
            }
        }
        let of_maven = environment.in_home(".m2/repository").filter(|own| !is_named(own));
        moved.extend(of_maven.and_then(|own| maven(variables, &own, &folder.join("maven"))));
        for (variable, place) in READ_ONLY {
            let there = environment.in_home(place).filter(|path| path.exists());
            moved.extend(
                there
                    .filter(|_| variables.get(variable).is_none())
                    .map(|path| (*variable, path.into())),
            );
        }
        Self { folder: Some(folder), variables: moved }
    }
}

/// Makes a folder where nobody else may put anything.
pub(crate) fn make_private(folder: &Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// The options of Maven, with its cache moved; what it does not find there it looks for in its
/// own one, if it knows how (3.9).
fn maven(
    variables: &foveal_processes::Environment,
    own: &Path,
    private: &Path,
) -> Option<(&'static str, OsString)> {
    // The variable is split at blanks, whatever stands around them.
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

/// Puts into a private cache what lies beside the user's own: links to settings and accounts, and
/// to packages of Rust that were downloaded before.
fn fill(variable: &str, own: &Path, private: &Path) {
    for (_, names) in SETTINGS.iter().filter(|(of, _)| *of == variable) {
        for name in *names {
            // A link that a command made in its place is as good: commands alone follow it.
            link(&own.join(name), &private.join(name));
        }
    }
    if variable == "CARGO_HOME" && !private.join("registry").exists() {
        let mut left = PACKAGES_MAX;
        take_over(&own.join("registry/index"), &private.join("registry/index"), &mut left);
        take_over(&own.join("registry/cache"), &private.join("registry/cache"), &mut left);
    }
}

/// Makes the folders below `own` in `private`. Of files, archives of packages are linked to, as
/// they are only read; others, which are small and rewritten, are copied.
fn take_over(own: &Path, private: &Path, left: &mut usize) {
    let Ok(entries) = fs::read_dir(own) else { return };
    drop(fs::create_dir_all(private));
    for entry in entries.flatten().filter(|entry| entry.file_name() != ".git") {
        *left = left.saturating_sub(1);
        if *left == 0 {
            return;
        }
        let (from, to) = (entry.path(), private.join(entry.file_name()));
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => take_over(&from, &to, left),
            Ok(kind) if kind.is_file() && from.extension().is_some_and(|end| end == "crate") => {
                link(&from, &to);
            }
            Ok(kind) if kind.is_file() => drop(fs::copy(from, to)),
            _ => {}
        }
    }
}

fn link(from: &Path, to: &Path) {
    if from.exists() {
        // It may be there from before.
        drop(symlink(from, to));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(home: &Path, set: &[(&str, &str)], writable: &[PathBuf]) -> Caches {
        let environment = Environment { home: Some(home.to_owned()), ..Environment::default() };
        let set = set.iter().map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Caches::make(&environment, &foveal_processes::Environment::inherited(set), writable)
    }

    fn value(caches: &Caches, name: &str) -> Option<PathBuf> {
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
        for Cache { variable, .. } in CACHES {
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
        let nowhere =
            Caches::make(&Environment::default(), &foveal_processes::Environment::default(), &[]);
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
