//! Starts a program behind a guard.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::guard_program::{GuardArguments, GuardProgram, GuardTarget};
use super::guard_report::{GuardReport, ReportLine};
use super::launch_order::write_order;
use crate::inherited_files::InheritedFiles;
use crate::sandbox::{Bubblewrap, SandboxStatus, WriteProtection};
use crate::{BubblewrapError, CommandEnvironment, CommandError, Sandbox};

/// How long a guard may take to confine itself.
const REPORT_TIMEOUT: Duration = Duration::from_secs(20);

/// A program to start behind a guard.
pub(crate) struct GuardedStart<'a> {
    pub(crate) guard: &'a GuardProgram,
    pub(crate) target: GuardTarget,
    pub(crate) program: &'a Path,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: &'a Path,
    pub(crate) environment: &'a CommandEnvironment,
    pub(crate) sandbox: Option<&'a Sandbox>,
    /// Returns the input and the output of the program, which is its error stream too.
    pub(crate) streams: &'a dyn Fn() -> io::Result<(Stdio, Stdio)>,
}

/// A guard that has started its program.
#[derive(Debug)]
pub(crate) struct GuardedProcess {
    /// bubblewrap; or, without it, the program itself, which leads its session.
    pub(crate) child: Child,
    /// The reports of the first process of the program's process namespace; `None` without one.
    pub(crate) namespace: Option<GuardReport>,
    /// How far the sandbox is enforced; `None` without one.
    pub(crate) sandbox_status: Option<SandboxStatus>,
}

/// The result of one attempt.
enum Attempt {
    Started(GuardedProcess),
    /// The guard did not start, for this reason.
    Failed(String),
}

impl GuardedStart<'_> {
    /// Starts the program: in namespaces of its own where bubblewrap can make them. It ends with the
    /// thread that calls this.
    ///
    /// # Errors
    /// [`CommandError::Unconfined`] if it cannot be confined as the sandbox requires.
    pub(crate) fn start(&self) -> Result<GuardedProcess, CommandError> {
        let why = match Bubblewrap::find() {
            None => BubblewrapError::NotInstalled.to_string(),
            Some(bubblewrap) => match self.attempt(Some(bubblewrap)) {
                Ok(Attempt::Started(process)) => return Ok(process),
                Ok(Attempt::Failed(why)) => why,
                Err(CommandError::Follow(error)) => error.to_string(),
                Err(error) => return Err(error),
            },
        };
        match self.attempt(None)? {
            Attempt::Failed(why) => Err(CommandError::Unconfined(why)),
            Attempt::Started(mut process) => {
                if let (Some(sandbox), Some(status)) = (self.sandbox, &mut process.sandbox_status) {
                    status.protection =
                        sandbox.protection_without_mounts(&status.confinement, Some(why));
                }
                Ok(process)
            }
        }
    }

    fn attempt(&self, bubblewrap: Option<Bubblewrap>) -> Result<Attempt, CommandError> {
        let (mut command, protection) = self.guard_command(bubblewrap)?;
        let (reader, writer) = io::pipe()?;
        let (input, output) = (self.streams)()?;
        command.current_dir(self.directory).env_clear().stdin(input).stdout(output).stderr(writer);
        if bubblewrap.is_some() {
            // A signal of foveal's terminal is not for it. A guard without it makes a session.
            command.process_group(0);
        }
        let mut child = command.spawn()?;
        // The streams could not end while our own ends of them are open.
        drop(command);
        let mut report = GuardReport::new(reader);
        let why = match report.read_line(REPORT_TIMEOUT) {
            Ok(Some(ReportLine::Confined(confinement))) => {
                let sandbox_status =
                    confinement.map(|confinement| SandboxStatus { confinement, protection });
                let namespace = bubblewrap.is_some().then_some(report);
                return Ok(Attempt::Started(GuardedProcess { child, namespace, sandbox_status }));
            }
            Ok(Some(ReportLine::Unconfined(why))) => Err(CommandError::Unconfined(why)),
            Ok(Some(ReportLine::Other(why))) => Ok(Attempt::Failed(why)),
            Ok(Some(ReportLine::Ended(_)) | None) => {
                Ok(Attempt::Failed("the guard ended before it was confined".to_owned()))
            }
            Err(error) => Err(CommandError::Unconfined(error.to_string())),
        };
        // Before its report it has done nothing but confine itself.
        drop(child.kill());
        drop(child.wait());
        why
    }

    /// Returns the command of the guard, and how it protects forbidden parts.
    fn guard_command(
        &self,
        bubblewrap: Option<Bubblewrap>,
    ) -> Result<(Command, WriteProtection), CommandError> {
        let mut files = InheritedFiles::default();
        let mut protection = WriteProtection::None;
        let rules = self.sandbox.map(Sandbox::rules_with_scratch_folder).transpose()?;
        let order = write_order(rules.as_ref(), self.environment, &mut files)?;
        let order = files.add_numbered(order);
        let guard =
            GuardArguments { target: self.target, is_namespaced: bubblewrap.is_some(), order };
        let mut command = match bubblewrap {
            None => Command::new(self.guard.path()),
            Some(bubblewrap) => {
                let mounts = bubblewrap.mounts(rules.as_ref(), &mut files)?;
                if mounts.has_forbidden_parts {
                    protection = WriteProtection::ReadOnlyMounts;
                }
                // The program that runs now, whatever its path leads to in there.
                let program = files.add(File::open(self.guard.path())?.into());
                let mut command = Command::new(bubblewrap.path());
                command.args(mounts.arguments).arg("--chdir").arg(self.directory);
                command.arg("--").arg(program);
                command
            }
        };
        command.args(guard.to_arguments()).arg(self.program);
        command.args(&self.arguments);
        files.add_to_command(&mut command)?;
        Ok((command, protection))
    }
}
