//! The supported init systems: the places of their service files, and the commands that start and
//! stop services.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::Context;

use super::service_files::{LABEL, ServiceCommand, launchd_agent, systemd_unit};
use crate::environment::Environment;

/// The name of the systemd unit.
const SYSTEMD_UNIT: &str = "foveal.service";

/// Attempts for a command that fails because an earlier operation is still in progress.
const ATTEMPTS_MAX: u32 = 20;

/// The pause between two attempts.
const ATTEMPT_WAIT: Duration = Duration::from_millis(250);

/// Exit codes of `launchctl bootstrap` while the service is still being removed: `bootout` returns
/// before launchd has ended it. They are EIO, EEXIST and EALREADY of macOS.
const BUSY_CODES: &[i32] = &[5, 17, 37];

/// A program that starts services with a user's session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InitSystem {
    Systemd,
    Launchd,
}

/// A command of an init system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SystemCommand {
    words: Vec<String>,
    /// Whether its failure ends the whole sequence of commands.
    is_required: bool,
    /// Exit codes after which a later attempt may succeed.
    busy_codes: &'static [i32],
}

impl SystemCommand {
    fn new(words: &[&str], is_required: bool) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { words, is_required, busy_codes: &[] }
    }

    /// Runs the command, and repeats it after `wait` while an earlier operation is in progress.
    fn run(&self, wait: Duration) -> Result<(), SystemCommandError> {
        for _ in 1..ATTEMPTS_MAX {
            match self.run_once() {
                Err(SystemCommandError::Failed { status, .. }) if self.is_busy(status) => {
                    thread::sleep(wait);
                }
                result => return result,
            }
        }
        self.run_once()
    }

    fn is_busy(&self, status: ExitStatus) -> bool {
        status.code().is_some_and(|code| self.busy_codes.contains(&code))
    }

    fn run_once(&self) -> Result<(), SystemCommandError> {
        let Some((program, arguments)) = self.words.split_first() else { return Ok(()) };
        let command = self.words.join(" ");
        match Command::new(program).args(arguments).stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => Ok(()),
            Ok(output) => {
                let stderr = String::from_utf8_lossy(&output.stderr);
                let line = stderr.lines().map(str::trim).find(|line| !line.is_empty());
                let text = line.unwrap_or("nothing").to_owned();
                Err(SystemCommandError::Failed { command, status: output.status, text })
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                Err(SystemCommandError::Absent(program.clone()))
            }
            Err(source) => Err(SystemCommandError::Start { command, source }),
        }
    }
}

impl InitSystem {
    /// Returns the init system of this platform.
    pub(super) fn detect() -> Option<Self> {
        match std::env::consts::OS {
            "linux" => Some(Self::Systemd),
            "macos" => Some(Self::Launchd),
            _ => None,
        }
    }

    /// Returns the name for messages.
    pub(super) fn display_name(self) -> &'static str {
        match self {
            Self::Systemd => "systemd",
            Self::Launchd => "launchd",
        }
    }

    /// Returns the path of the service file.
    ///
    /// # Errors
    /// If there is no home folder.
    pub(super) fn service_file_path(self, environment: &Environment) -> anyhow::Result<PathBuf> {
        let path = match self {
            Self::Systemd => environment
                .user
                .config_folder()
                .map(|it| it.join("systemd/user").join(SYSTEMD_UNIT)),
            Self::Launchd => {
                environment.user.path_in_home(&format!("Library/LaunchAgents/{LABEL}.plist"))
            }
        };
        path.context("no folder for its file: set HOME")
    }

    /// Returns the path of a file with further environment variables for the service, readable by
    /// the user alone; `None` where the init system has no such file.
    pub(super) fn variables_file(self, environment: &Environment) -> Option<PathBuf> {
        let folder = environment.user.config_folder().filter(|_| self == Self::Systemd)?;
        Some(folder.join("foveal").join("serve.env"))
    }

    /// Returns the text of the service file.
    ///
    /// # Errors
    /// If a path is not valid UTF-8, or there is no home folder.
    pub(super) fn service_file_text(
        self,
        command: &ServiceCommand,
        environment: &Environment,
    ) -> anyhow::Result<String> {
        let other = match self {
            Self::Systemd => self.variables_file(environment),
            Self::Launchd => environment.user.path_in_home("Library/Logs/foveal-serve.log"),
        };
        let other = other.context("there is no home folder: set HOME")?;
        let other = other
            .to_str()
            .with_context(|| format!("`{}` is not valid Unicode", other.display()))?;
        Ok(match self {
            Self::Systemd => systemd_unit(command, other),
            Self::Launchd => launchd_agent(command, other),
        })
    }

    /// Returns the commands that start the service file at `path`, now and with each session of
    /// `user`. With `is_set_up` a service that runs with an older file is restarted.
    pub(super) fn start_commands(
        self,
        path: &Path,
        user: u32,
        is_set_up: bool,
    ) -> Vec<SystemCommand> {
        match self {
            Self::Systemd => {
                let mut commands = vec![
                    SystemCommand::new(&["systemctl", "--user", "daemon-reload"], true),
                    SystemCommand::new(
                        &["systemctl", "--user", "enable", "--now", SYSTEMD_UNIT],
                        true,
                    ),
                ];
                if is_set_up {
                    let restart = ["systemctl", "--user", "restart", SYSTEMD_UNIT];
                    commands.push(SystemCommand::new(&restart, true));
                }
                commands
            }
            Self::Launchd => {
                let path = path.display().to_string();
                let domain = format!("gui/{user}");
                let service = format!("{domain}/{LABEL}");
                let bootstrap =
                    SystemCommand::new(&["launchctl", "bootstrap", &domain, &path], true);
                vec![
                    SystemCommand::new(&["launchctl", "bootout", &service], false),
                    SystemCommand { busy_codes: BUSY_CODES, ..bootstrap },
                ]
            }
        }
    }

    /// Returns the commands that stop the service and keep it from starting again.
    pub(super) fn stop_commands(self, user: u32) -> Vec<SystemCommand> {
        match self {
            Self::Systemd => {
                vec![SystemCommand::new(
                    &["systemctl", "--user", "disable", "--now", SYSTEMD_UNIT],
                    true,
                )]
            }
            Self::Launchd => {
                let service = format!("gui/{user}/{LABEL}");
                vec![SystemCommand::new(&["launchctl", "bootout", &service], false)]
            }
        }
    }

    /// Returns the commands to run after the service file is removed.
    pub(super) fn reload_commands(self) -> Vec<SystemCommand> {
        match self {
            Self::Systemd => {
                vec![SystemCommand::new(&["systemctl", "--user", "daemon-reload"], false)]
            }
            Self::Launchd => Vec::new(),
        }
    }

    /// Returns the links to the service file that the init system makes when it enables the
    /// service.
    pub(super) fn enabled_links(self, path: &Path) -> Vec<PathBuf> {
        match self {
            Self::Systemd => vec![path.with_file_name("default.target.wants").join(SYSTEMD_UNIT)],
            Self::Launchd => Vec::new(),
        }
    }

    /// Returns the shell command with which a user starts the service file at `path`.
    pub(super) fn start_command_line(self, path: &Path, user: u32) -> String {
        match self {
            Self::Systemd => {
                format!(
                    "systemctl --user daemon-reload && systemctl --user enable --now {SYSTEMD_UNIT}"
                )
            }
            Self::Launchd => format!("launchctl bootstrap gui/{user} '{}'", path.display()),
        }
    }

    /// Returns the shell command that shows the log of the service.
    pub(super) fn log_command_line(self) -> &'static str {
        match self {
            Self::Systemd => "journalctl --user -u foveal.service",
            Self::Launchd => "cat ~/Library/Logs/foveal-serve.log",
        }
    }
}

/// The failure of a command of an init system.
#[derive(Debug, thiserror::Error)]
pub(super) enum SystemCommandError {
    #[error("there is no `{0}`")]
    Absent(String),
    #[error("`{command}` cannot be started: {source}")]
    Start { command: String, source: io::Error },
    #[error("`{command}` says: {text}")]
    Failed { command: String, status: ExitStatus, text: String },
}

/// Runs commands in order.
///
/// # Errors
/// If a required command fails.
pub(super) fn run_commands(commands: &[SystemCommand]) -> Result<(), SystemCommandError> {
    for command in commands {
        match command.run(ATTEMPT_WAIT) {
            Err(why) if command.is_required => return Err(why),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(commands: &[SystemCommand]) -> Vec<String> {
        commands.iter().map(|command| command.words.join(" ")).collect()
    }

    #[test]
    fn launchd_is_told_in_the_domain_of_the_user() {
        let path = Path::new("/Users/a/Library/LaunchAgents/foveal.serve.plist");
        let system = InitSystem::Launchd;
        assert_eq!(
            lines(&system.start_commands(path, 501, false)),
            [
                "launchctl bootout gui/501/foveal.serve",
                "launchctl bootstrap gui/501 /Users/a/Library/LaunchAgents/foveal.serve.plist",
            ]
        );
        assert_eq!(lines(&system.stop_commands(501)), ["launchctl bootout gui/501/foveal.serve"]);
    }

    /// Runs `bootstrap` with a `launchctl` that fails `failures` times with the exit code `code`.
    /// Returns whether it succeeds, and the number of its runs.
    #[cfg(unix)]
    fn bootstrap(code: i32, failures: u32) -> (bool, u32) {
        let folder = tempfile::tempdir().unwrap();
        let runs = folder.path().join("runs");
        let script = format!(
            "echo >> \"$0\"; test $(wc -l < \"$0\") -gt {failures} && exit 0
            echo 'Bootstrap failed: {code}' >&2; exit {code}"
        );
        let starts = InitSystem::Launchd.start_commands(Path::new("/a.plist"), 501, true);
        let mut command = starts.last().unwrap().clone();
        command.words = ["sh", "-c", &script].map(str::to_owned).to_vec();
        command.words.push(runs.display().to_string());
        let is_run = command.run(Duration::ZERO).is_ok();
        let lines = std::fs::read_to_string(runs).unwrap().lines().count();
        (is_run, u32::try_from(lines).unwrap())
    }

    #[test]
    #[cfg(unix)]
    fn bootstrap_waits_for_a_service_that_is_still_being_removed() {
        for code in [5, 37] {
            assert_eq!(bootstrap(code, 3), (true, 4));
        }
        assert_eq!(bootstrap(5, 1000), (false, ATTEMPTS_MAX));
        // Exit code for a missing graphical session: repeating is useless.
        assert_eq!(bootstrap(125, 1), (false, 1));
    }
}
