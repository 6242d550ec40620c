//! The paths of this program and of the agents' programs, and their versions.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::foveal_entry::NAME;
use crate::user_environment::UserEnvironment;

/// The time-out of a call with `--version`.
const VERSION_TIME_OUT: Duration = Duration::from_secs(5);

/// The interval at which the end of that call is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// This program as other programs start it. The path is absolute, because programs started from a
/// desktop have another PATH than a shell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FovealProgram {
    path: String,
    is_in_path: bool,
}

/// The path of this program is unknown or unusable.
#[derive(Debug, thiserror::Error)]
pub enum ProgramPathError {
    /// The system does not report it.
    #[error("cannot determine the path of foveal")]
    Unknown(#[source] io::Error),
    /// It is not Unicode.
    #[error("`{}` is not valid Unicode: install foveal in another folder", .0.display())]
    NotUnicode(PathBuf),
}

impl FovealProgram {
    /// Locates this program: in PATH, where its path survives an update, or else by the path of
    /// this process.
    ///
    /// # Errors
    /// If the system does not report the path, or it is not Unicode.
    pub fn locate(environment: &UserEnvironment) -> Result<Self, ProgramPathError> {
        let own = std::env::current_exe().map_err(ProgramPathError::Unknown)?;
        let is_own = |path: &PathBuf| match (path.canonicalize(), own.canonicalize()) {
            (Ok(path), Ok(own)) => path == own,
            _ => false,
        };
        let found = find_in_path(NAME, environment).filter(is_own);
        let is_in_path = found.is_some();
        let path = found.unwrap_or(own);
        let Some(text) = path.to_str() else {
            return Err(ProgramPathError::NotUnicode(path));
        };
        Ok(Self { path: text.to_owned(), is_in_path })
    }

    /// Returns the absolute path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns the name for files that are shared with other machines: without a path if this
    /// machine finds the program in PATH.
    pub fn portable_name(&self) -> &str {
        if self.is_in_path { NAME } else { &self.path }
    }
}

/// Finds a program in PATH.
pub(crate) fn find_in_path(name: &str, environment: &UserEnvironment) -> Option<PathBuf> {
    let path = environment.program_path.as_ref()?;
    let all = std::env::split_paths(path).filter(|folder| folder.is_absolute());
    all.map(|folder| folder.join(name)).find(|path| is_executable(path))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}

/// The first three numbers of a version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProgramVersion(pub(crate) u32, pub(crate) u32, pub(crate) u32);

impl std::fmt::Display for ProgramVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

/// Returns the version that a program prints for `--version`; `None` if it prints none before the
/// time-out.
pub fn program_version(program: &Path) -> Option<ProgramVersion> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().ok()?;
    let begin = Instant::now();
    while child.try_wait().ok()?.is_none() {
        if begin.elapsed() > VERSION_TIME_OUT {
            // It may have ended meanwhile; either way its exit status is collected.
            drop(child.kill());
            drop(child.wait());
            return None;
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    let output = child.wait_with_output().ok()?;
    parse_version(&String::from_utf8_lossy(&output.stdout))
}

fn parse_version(text: &str) -> Option<ProgramVersion> {
    let is_part = |sign: char| sign.is_ascii_digit() || sign == '.';
    text.split(|sign| !is_part(sign)).find_map(|word| {
        let mut numbers = word.split('.').map(str::parse::<u32>);
        let mut next = || numbers.next()?.ok();
        Some(ProgramVersion(next()?, next()?, next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_found_in_what_programs_say() {
        for (text, version) in [
            ("2.1.121 (Claude Code)\n", Some(ProgramVersion(2, 1, 121))),
            ("codex-cli 0.157.1", Some(ProgramVersion(0, 157, 1))),
            ("v1.0", None),
            ("", None),
        ] {
            assert_eq!(parse_version(text), version, "{text:?}");
        }
        assert!(ProgramVersion(2, 1, 121) > ProgramVersion(2, 0, 300));
    }
}
