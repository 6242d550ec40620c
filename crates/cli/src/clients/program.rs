//! Programs: this one as others should start it, and those of the agents.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::entry::NAME;
use crate::environment::Environment;

/// How long a program may take to tell its version.
const VERSION_TIME: Duration = Duration::from_secs(5);

/// How often it is looked whether it has.
const LOOK_UP_TIME: Duration = Duration::from_millis(10);

/// This program as others start it: an absolute path, for who is started from a desktop has
/// another PATH than a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    path: String,
    is_in_path: bool,
}

impl Program {
    /// This program: as it is found in PATH, which stays the same when it is updated, or else
    /// where it is.
    ///
    /// # Errors
    /// If the system does not tell, or the path is no text that can be written.
    pub(crate) fn own(environment: &Environment) -> anyhow::Result<Self> {
        let own = std::env::current_exe().context("the system does not tell where foveal is")?;
        let is_own = |path: &PathBuf| match (path.canonicalize(), own.canonicalize()) {
            (Ok(path), Ok(own)) => path == own,
            _ => false,
        };
        let found = find(NAME, environment).filter(is_own);
        let is_in_path = found.is_some();
        let path = found.unwrap_or(own);
        let Some(text) = path.to_str() else {
            bail!("`{}` is no Unicode text: put foveal elsewhere", path.display());
        };
        Ok(Self { path: text.to_owned(), is_in_path })
    }

    /// As it is written.
    pub(crate) fn shown(&self) -> &str {
        &self.path
    }

    /// As it is written in files that people on other machines get too: by its name, where that
    /// is enough here.
    pub(crate) fn shared(&self) -> &str {
        if self.is_in_path { NAME } else { &self.path }
    }
}

/// The program of this name in PATH.
pub(super) fn find(name: &str, environment: &Environment) -> Option<PathBuf> {
    let path = environment.path.as_ref()?;
    let all = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    all.map(|folder| folder.join(name)).find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// A version: the first three numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Version(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// What a program says to `--version`; `None` if it says nothing in time.
pub(crate) fn version_of(program: &Path) -> Option<Version> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let begin = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if begin.elapsed() > VERSION_TIME {
            // It may have ended by itself; either way it is waited for.
            drop(child.kill());
            drop(child.wait());
            return None;
        }
        std::thread::sleep(LOOK_UP_TIME);
    }
    let output = child.wait_with_output().ok()?;
    version_in(&String::from_utf8_lossy(&output.stdout))
}

fn version_in(text: &str) -> Option<Version> {
    let is_part = |sign: char| sign.is_ascii_digit() || sign == '.';
    text.split(|sign| !is_part(sign)).find_map(|word| {
        let mut numbers = word.split('.').map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        Some(Version(next()?, next()?, next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (text, version) in [
            ("2.1.121 (Claude Code)\n", Some(Version(2, 1, 121))),
            ("codex-cli 0.157.1", Some(Version(0, 157, 1))),
            ("v1.0", None),
            ("", None),
        ] {
            assert_eq!(version_in(text), version, "{text:?}");
        }
        assert!(Version(2, 1, 121) > Version(2, 0, 300));
    }
}
