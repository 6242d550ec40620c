//! The guard process: starts one program and stays until all its descendants have ended.

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::time::{Duration, Instant};
use std::{iter, thread};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, PidfdFlags, Signal, WaitOptions};

use super::guard_program::{GUARD_ARGUMENT, GuardProgram, GuardTarget};
use super::launch_file;
use crate::ProcessExit;
use crate::process_table::{descendants, send_signal};
use crate::sandbox::{CONFINED, enter_signal_scope, run_confined_process};

/// How long the remaining processes have to end by themselves after foveal has ended.
const END_GRACE: Duration = Duration::from_millis(200);

/// How often to check whether they have ended.
const END_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The longest time between two attempts to end the remaining processes.
const KILL_INTERVAL_MAX: Duration = Duration::from_secs(1);

/// How often to check whether the program has been released.
const LAUNCH_CHECK_INTERVAL: Duration = Duration::from_micros(500);

/// How often to check whether foveal still runs, if the system has no process file descriptors.
const PARENT_CHECK_INTERVAL: Duration = Duration::from_millis(100);

/// The exit code by which shells report a program that could not be started.
const NOT_STARTED_CODE: i32 = 127;

/// Runs the guard if the arguments of this process (`std::env::args_os()`) ask for it; `None` if
/// they do not.
#[must_use]
pub fn run_guard(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next().is_none_or(|first| first != GUARD_ARGUMENT) {
        return None;
    }
    // Incomplete arguments, as after a call by hand, do nothing.
    let mut arguments = arguments.peekable();
    if arguments.next_if(|next| next == CONFINED).is_some() {
        let (parent, order) = (arguments.next()?, arguments.next()?);
        let rest: Vec<OsString> = iter::once(GUARD_ARGUMENT.into()).chain(arguments).collect();
        return Some(run_confined_process(parent.to_str()?, order.to_str()?, &rest));
    }
    let asked = GuardArguments::parse(arguments)?;
    Some(match asked.execute() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// The arguments of a guard process.
struct GuardArguments {
    target: GuardTarget,
    parent: Pid,
    launch_path: PathBuf,
}

impl GuardArguments {
    fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let kind = GuardTarget::from_name(arguments.next()?.to_str()?)?;
        let parent = Pid::from_raw(arguments.next()?.to_str()?.parse().ok()?)?;
        Some(Self { target: kind, parent, launch_path: arguments.next()?.into() })
    }

    fn execute(self) -> io::Result<()> {
        match self.target {
            GuardTarget::TerminalProgram => Err(self.exec_in_terminal()),
            GuardTarget::Command | GuardTarget::Terminal => self.guard_program(),
        }
    }

    /// Takes the terminal as its controlling terminal and executes the program; returns only if it
    /// cannot.
    fn exec_in_terminal(self) -> io::Error {
        let prepare = || {
            // A guard that is killed ends nothing any more. Its first thread started this process
            // and lives as long as the guard.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            if rustix::process::getppid() != Some(self.parent) {
                return Err(io::ErrorKind::NotConnected.into());
            }
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            enter_signal_scope();
            wait_for_program(&self.open_launch_file()?)
        };
        match prepare() {
            Ok((program, arguments)) => Command::new(program).args(arguments).exec(),
            Err(error) => error,
        }
    }

    fn open_launch_file(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(&self.launch_path)
    }

    fn guard_program(self) -> io::Result<()> {
        let me = rustix::process::getpid();
        rustix::process::set_child_subreaper(Some(me))?;
        // Available since Linux 5.3.
        let foveal = rustix::process::pidfd_open(self.parent, PidfdFlags::empty()).ok();
        if rustix::process::getppid() != Some(self.parent) {
            // The parent ended before it could be watched, and its id may have been reused.
            return Ok(());
        }
        let orders = self.open_launch_file()?;
        let started = self.program_command(&orders).and_then(|command| self.spawn_program(command));
        let child = started.inspect_err(|error| {
            // The command's output is where such a fault is looked for.
            let _ = writeln!(io::stderr(), "the command could not be started: {error}");
            let _ = launch_file::write_exit(&orders, ProcessExit::Code(NOT_STARTED_CODE));
        })?;
        release_streams()?;
        let parent = self.parent;
        thread::spawn(move || {
            wait_for_parent_exit(foveal.as_ref(), parent);
            terminate_descendants(me);
        });
        wait_for_children(Pid::from_child(&child), &orders);
        Ok(())
    }

    /// Starts the program so that it cannot signal this process. In a terminal the program confines
    /// itself, since it would end with the thread that starts it.
    fn spawn_program(&self, mut command: Command) -> io::Result<Child> {
        if self.target == GuardTarget::Terminal {
            return command.spawn();
        }
        let apart = || {
            enter_signal_scope();
            command.spawn()
        };
        thread::scope(|scope| match scope.spawn(apart).join() {
            Ok(started) => started,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }

    /// Returns the program's command, in a group of its own, without a terminal or as the first
    /// process of one.
    fn program_command(&self, orders: &File) -> io::Result<Command> {
        // Leaves the session of foveal's caller, whose terminal is not the program's.
        rustix::process::setsid()?;
        if self.target == GuardTarget::Terminal {
            let mut command = Command::new(GuardProgram::current_executable().path());
            command.args(GuardProgram::arguments(GuardTarget::TerminalProgram, &self.launch_path));
            return Ok(command);
        }
        let (program, arguments) = wait_for_program(orders)?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        Ok(command)
    }
}

/// Waits for the program and its arguments. Fails if foveal ends before it releases them.
fn wait_for_program(orders: &File) -> io::Result<(OsString, Vec<OsString>)> {
    let parent = rustix::process::getppid();
    loop {
        if let Some(program) = launch_file::take_program(orders)? {
            return Ok(program);
        }
        if rustix::process::getppid() != parent {
            return Err(io::ErrorKind::NotConnected.into());
        }
        thread::sleep(LAUNCH_CHECK_INTERVAL);
    }
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
fn wait_for_children(program: Pid, orders: &File) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((child, status))) if child == program => {
                let status = ExitStatus::from_raw(status.as_raw());
                let _ = launch_file::write_exit(orders, ProcessExit::from(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Waits until foveal has ended.
fn wait_for_parent_exit(foveal: Option<&OwnedFd>, parent: Pid) {
    match foveal {
        Some(foveal) => {
            while !matches!(poll(&mut [PollFd::new(foveal, PollFlags::IN)], None), Ok(1..)) {}
        }
        None => {
            while rustix::process::getppid() == Some(parent) {
                thread::sleep(PARENT_CHECK_INTERVAL);
            }
        }
    }
}

/// Ends all descendants until this process exits, which it does once it has no children.
fn terminate_descendants(me: Pid) {
    for signal in [Signal::HUP, Signal::TERM, Signal::CONT] {
        send_signal(signal, descendants(me));
    }
    let ended = Instant::now();
    while ended.elapsed() < END_GRACE && !descendants(me).is_empty() {
        thread::sleep(END_CHECK_INTERVAL);
    }
    // Processes are stopped first, since one may start others as fast as they are killed.
    let mut again = END_CHECK_INTERVAL;
    loop {
        send_signal(Signal::STOP, descendants(me));
        send_signal(Signal::KILL, descendants(me));
        thread::sleep(again);
        again = (again * 2).min(KILL_INTERVAL_MAX);
    }
}
