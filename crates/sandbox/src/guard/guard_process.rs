//! The guard process: confines itself, starts one program, and stays until all processes of its
//! namespace have ended.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Command, ExitCode, ExitStatus};

use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};

use super::guard_program::{GUARD_ARGUMENT, GuardArguments, GuardTarget};
use super::guard_report::ReportLine;
use super::launch_order::LaunchOrder;
use crate::ProcessExit;

/// The exit code by which shells report a program that could not be started.
const NOT_STARTED_CODE: u8 = 127;

/// The first file descriptor after the standard streams.
const FIRST_DESCRIPTOR: i32 = 3;

/// Runs the guard if the arguments of this process (`std::env::args_os()`) ask for it; `None` if
/// they do not.
#[must_use]
pub fn run_guard(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next().is_none_or(|first| first != GUARD_ARGUMENT) {
        return None;
    }
    // Incomplete arguments, as after a call by hand, do nothing.
    let guard = GuardArguments::parse(&mut arguments)?;
    let mut program = Command::new(arguments.next()?);
    program.args(arguments);
    Some(guard.execute(program).unwrap_or(ExitCode::FAILURE))
}

impl GuardArguments {
    fn execute(self, mut program: Command) -> io::Result<ExitCode> {
        let mut report = take_report_stream(self.target)?;
        let order = LaunchOrder::read_inherited(self.order)?;
        // The folders above all: through them a program could write around the mounts.
        close_fds::set_fds_cloexec(FIRST_DESCRIPTOR, &[]);
        // foveal's terminal is not the program's.
        rustix::process::setsid()?;
        match self.target {
            GuardTarget::Terminal => rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?,
            // So that `kill 0` means the program's own processes.
            GuardTarget::Command if self.is_namespaced => drop(program.process_group(0)),
            GuardTarget::Command => {}
        }
        if !self.is_namespaced {
            // bubblewrap does this itself. foveal gets the report only if it still runs.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        }
        let confined =
            order.rules.as_ref().map(|rules| rules.restrict_guard(self.is_namespaced)).transpose();
        let line = match &confined {
            Ok(confinement) => ReportLine::Confined(confinement.clone()),
            Err(error) => ReportLine::Unconfined(error.to_string()),
        };
        writeln!(report, "{}", line.to_text())?;
        if confined.is_err() {
            return Ok(ExitCode::FAILURE);
        }
        program.env_clear().envs(order.variables);
        // The folders stay open in this process; no other may reach them through it.
        rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)?;
        if !self.is_namespaced {
            return Ok(report_start_failure(&program.exec()));
        }
        match program.spawn() {
            Ok(child) => {
                release_streams()?;
                wait_for_children(Pid::from_child(&child), &mut report);
                Ok(ExitCode::SUCCESS)
            }
            Err(error) => {
                let ending = ReportLine::Ended(ProcessExit::Code(NOT_STARTED_CODE.into()));
                writeln!(report, "{}", ending.to_text())?;
                Ok(report_start_failure(&error))
            }
        }
    }
}

/// Returns the stream for reports, which is the error stream, and makes the program's output its
/// error stream too.
fn take_report_stream(target: GuardTarget) -> io::Result<File> {
    let report = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stderr(), FIRST_DESCRIPTOR)?;
    match target {
        GuardTarget::Command => rustix::stdio::dup2_stderr(rustix::stdio::stdout())?,
        GuardTarget::Terminal => rustix::stdio::dup2_stderr(rustix::stdio::stdin())?,
    }
    Ok(report.into())
}

/// Tells the command's reader: its output is where such a fault is looked for.
fn report_start_failure(error: &io::Error) -> ExitCode {
    // A reader that has gone needs no message.
    let _ = writeln!(io::stderr(), "the command could not be started: {error}");
    ExitCode::from(NOT_STARTED_CODE)
}

/// Closes the guard's copies of the streams, so that a reader of the program's output sees its end.
fn release_streams() -> io::Result<()> {
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits for the program and for all reparented processes until none is left.
fn wait_for_children(program: Pid, report: &mut File) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((child, status))) if child == program => {
                let ending = ProcessExit::from(ExitStatus::from_raw(status.as_raw()));
                // Without foveal there is no reader, and this process is about to end too.
                let _ = writeln!(report, "{}", ReportLine::Ended(ending).to_text());
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}
