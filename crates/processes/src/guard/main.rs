//! The guard itself: a process that starts one program and stays until all that came of it has
//! ended.

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

use super::orders;
use super::program::{ARGUMENT, Guard, Kind};
use crate::Ending;
use crate::listed::{descendants, send};
use crate::sandbox::{CONFINED, enter, stand_apart};

/// How long what is left when foveal has ended may take to end by itself.
const GRACE: Duration = Duration::from_millis(200);

/// How often is looked whether it has.
const TICK: Duration = Duration::from_millis(10);

/// The longest time between two tries to end what does not end.
const TRY_AGAIN_MAX: Duration = Duration::from_secs(1);

/// How often is looked whether there are orders.
const ORDERS_TICK: Duration = Duration::from_micros(500);

/// How often is looked whether foveal is still there, where the system does not tell its end.
const PARENT_TICK: Duration = Duration::from_millis(100);

/// What shells say for a program that could not be started.
const NOT_STARTED: i32 = 127;

/// Stands guard, if that is what the arguments of this process (`std::env::args_os()`) ask for;
/// `None` if they do not.
#[must_use]
pub fn stand(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next().is_none_or(|first| first != ARGUMENT) {
        return None;
    }
    // Who calls it by hand learns nothing useful here; nothing is done.
    let mut arguments = arguments.peekable();
    if arguments.next_if(|next| next == CONFINED).is_some() {
        let (parent, order) = (arguments.next()?, arguments.next()?);
        let rest: Vec<OsString> = iter::once(ARGUMENT.into()).chain(arguments).collect();
        return Some(enter(parent.to_str()?, order.to_str()?, &rest));
    }
    let asked = Asked::read(arguments)?;
    Some(match asked.follow() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// What the arguments ask for.
struct Asked {
    kind: Kind,
    parent: Pid,
    orders: PathBuf,
}

impl Asked {
    fn read(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let kind = Kind::named(arguments.next()?.to_str()?)?;
        let parent = Pid::from_raw(arguments.next()?.to_str()?.parse().ok()?)?;
        Some(Self { kind, parent, orders: arguments.next()?.into() })
    }

    fn follow(self) -> io::Result<()> {
        match self.kind {
            Kind::InTerminal => Err(self.become_program()),
            Kind::Command | Kind::Terminal => self.guard(),
        }
    }

    /// Takes the terminal for its own and becomes the program; returns only if it cannot.
    fn become_program(self) -> io::Error {
        let prepare = || {
            // A guard that is killed ends nothing any more. The guard's first thread started us,
            // and lives as long as the guard.
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
            if rustix::process::getppid() != Some(self.parent) {
                return Err(io::ErrorKind::NotConnected.into());
            }
            rustix::process::setsid()?;
            rustix::process::ioctl_tiocsctty(rustix::stdio::stdin())?;
            stand_apart();
            wait_for_orders(&self.open()?)
        };
        match prepare() {
            Ok((program, arguments)) => Command::new(program).args(arguments).exec(),
            Err(error) => error,
        }
    }

    fn open(&self) -> io::Result<File> {
        OpenOptions::new().read(true).write(true).open(&self.orders)
    }

    fn guard(self) -> io::Result<()> {
        let me = rustix::process::getpid();
        rustix::process::set_child_subreaper(Some(me))?;
        // Linux has it since 5.3.
        let foveal = rustix::process::pidfd_open(self.parent, PidfdFlags::empty()).ok();
        if rustix::process::getppid() != Some(self.parent) {
            // It ended before we could watch it, and its number may be another's by now.
            return Ok(());
        }
        let orders = self.open()?;
        let started = self.command(&orders).and_then(|command| self.start(command));
        let child = started.inspect_err(|error| {
            // Into the output of the command, where such a fault is looked for.
            let _ = writeln!(io::stderr(), "the command could not be started: {error}");
            let _ = orders::write_ending(&orders, Ending::Code(NOT_STARTED));
        })?;
        let_go_of_streams()?;
        let parent = self.parent;
        thread::spawn(move || {
            wait_for_end(foveal.as_ref(), parent);
            end_all(me);
        });
        wait_for_all(Pid::from_child(&child), &orders);
        Ok(())
    }

    /// Starts the program where it cannot reach this process. In a terminal it stands apart by
    /// itself, as it would end with the thread that starts it.
    fn start(&self, mut command: Command) -> io::Result<Child> {
        if self.kind == Kind::Terminal {
            return command.spawn();
        }
        let apart = || {
            stand_apart();
            command.spawn()
        };
        thread::scope(|scope| match scope.spawn(apart).join() {
            Ok(started) => started,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    }

    /// The program in a group of its own, without a terminal or as the first process of one.
    fn command(&self, orders: &File) -> io::Result<Command> {
        // Out of the session of who started foveal, whose terminal is not the program's.
        rustix::process::setsid()?;
        if self.kind == Kind::Terminal {
            let mut command = Command::new(Guard::this_program().program());
            command.args(Guard::arguments(Kind::InTerminal, &self.orders));
            return Ok(command);
        }
        let (program, arguments) = wait_for_orders(orders)?;
        let mut command = Command::new(program);
        command.args(arguments).process_group(0);
        Ok(command)
    }
}

/// The program and its arguments. Where foveal ends before it gives them, so does the guard.
fn wait_for_orders(orders: &File) -> io::Result<(OsString, Vec<OsString>)> {
    let parent = rustix::process::getppid();
    loop {
        if let Some(program) = orders::take_program(orders)? {
            return Ok(program);
        }
        if rustix::process::getppid() != parent {
            return Err(io::ErrorKind::NotConnected.into());
        }
        thread::sleep(ORDERS_TICK);
    }
}

/// The streams are the program's. Whoever waits for their end does not wait for us.
fn let_go_of_streams() -> io::Result<()> {
    let nothing = OpenOptions::new().read(true).write(true).open("/dev/null")?;
    rustix::stdio::dup2_stdin(&nothing)?;
    rustix::stdio::dup2_stdout(&nothing)?;
    rustix::stdio::dup2_stderr(&nothing)?;
    Ok(())
}

/// Waits for the program and for all that became our children, until there are none.
fn wait_for_all(program: Pid, orders: &File) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((child, status))) if child == program => {
                let status = ExitStatus::from_raw(status.as_raw());
                let _ = orders::write_ending(orders, Ending::from(status));
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

/// Waits until foveal has ended.
fn wait_for_end(foveal: Option<&OwnedFd>, parent: Pid) {
    match foveal {
        Some(foveal) => {
            while !matches!(poll(&mut [PollFd::new(foveal, PollFlags::IN)], None), Ok(1..)) {}
        }
        None => {
            while rustix::process::getppid() == Some(parent) {
                thread::sleep(PARENT_TICK);
            }
        }
    }
}

/// Ends all that is left. The wait for our children ends the process.
fn end_all(me: Pid) {
    for signal in [Signal::HUP, Signal::TERM, Signal::CONT] {
        send(signal, descendants(me));
    }
    let ended = Instant::now();
    while ended.elapsed() < GRACE && !descendants(me).is_empty() {
        thread::sleep(TICK);
    }
    // One that starts others as fast as they are killed is stopped first.
    let mut again = TICK;
    loop {
        send(Signal::STOP, descendants(me));
        send(Signal::KILL, descendants(me));
        thread::sleep(again);
        again = (again * 2).min(TRY_AGAIN_MAX);
    }
}
