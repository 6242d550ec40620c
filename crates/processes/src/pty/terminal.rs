//! One terminal: its process, and threads that read from it and write to it.

use std::ffi::OsStr;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use portable_pty::{CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::reading::{Paused, Reading, Unread, Wait, Waiting};
use super::session::Session;
use crate::guard::{Guard, Kind, Watched};
use crate::sandbox::{Holding, Order, own_folder};
use crate::{CommandError, Ending, Environment, KeepBytes, Sandbox, Shell, shell};

/// Input that may wait for a program to read it, in bytes.
pub(super) const INPUT_BYTES_MAX: usize = 256 * 1024;

/// How often, and how long apart, is asked for the end of a program that closed its terminal.
const ENDING_TICKS: u32 = 100;
const ENDING_TICK: Duration = Duration::from_millis(2);

/// Size of a terminal in characters; a zero counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for Size {
    /// 24 lines, and lines that seldom break in the middle.
    fn default() -> Self {
        Self { rows: 24, columns: 120 }
    }
}

/// A command for a shell in a terminal.
#[derive(Debug, Clone)]
pub struct TerminalCommand {
    /// What the shell runs; `bash` for a shell to type in.
    pub text: String,
    /// Where it starts.
    pub directory: PathBuf,
    /// All its variables.
    pub environment: Environment,
    /// Who runs it.
    pub shell: Shell,
    /// Of the terminal.
    pub size: Size,
    /// Where it may write; `None` is everywhere.
    pub sandbox: Option<Sandbox>,
    /// Who watches over what it starts. Without one, a process that leaves the session is out of
    /// reach.
    pub guard: Option<Guard>,
}

/// A terminal and what runs in it.
pub(super) struct Terminal {
    pub(super) text: String,
    pub(super) holding: Option<Holding>,
    /// When it was last written to or read from.
    pub(super) used: Mutex<Instant>,
    unread: Arc<Unread>,
    input: Sender<Vec<u8>>,
    waiting_bytes: Arc<AtomicUsize>,
    /// The terminal closes when it goes. Others may only see it behind a lock.
    _master: Mutex<Box<dyn MasterPty + Send>>,
    session: Mutex<Session>,
}

impl Terminal {
    pub(super) fn start(
        command: &TerminalCommand,
        keep: KeepBytes,
        now: Instant,
    ) -> Result<Self, CommandError> {
        let pair = native_pty_system().openpty(command.size.into()).map_err(io::Error::other)?;
        let unread =
            Unread::follow(pair.master.try_clone_reader().map_err(io::Error::other)?, keep)?;
        let writer = pair.master.take_writer().map_err(io::Error::other)?;
        let (input, waiting_bytes) = write_in_background(writer)?;
        let (session, holding) = start(command, &*pair.master, pair.slave)?;
        Ok(Self {
            text: command.text.clone(),
            holding,
            used: Mutex::new(now),
            unread,
            input,
            waiting_bytes,
            session: Mutex::new(session),
            _master: Mutex::new(pair.master),
        })
    }

    /// Hands input to the thread that writes it; false when too much waits already. Input of a
    /// program that has ended goes nowhere; who reads learns of the end.
    pub(super) fn write(&self, text: &str) -> bool {
        if self.unread.is_ended() {
            return true;
        }
        let before = self.waiting_bytes.fetch_add(text.len(), Ordering::Relaxed);
        if before + text.len() > INPUT_BYTES_MAX {
            self.waiting_bytes.fetch_sub(text.len(), Ordering::Relaxed);
            return false;
        }
        // The thread is gone when the program is.
        let _ = self.input.send(text.as_bytes().to_vec());
        true
    }

    /// Waits, for output that came after `since` if that is given, and takes all there is.
    pub(super) fn read(&self, wait: Wait, since: Option<Instant>, waiting: Waiting<'_>) -> Reading {
        let (output, paused) = self.unread.take(wait, since, waiting);
        if paused == Paused::Ended {
            self.wait_for_ending(waiting.cancel);
        }
        Reading { output, paused, ending: self.ending() }
    }

    /// A process closes its terminal a moment before it counts as ended. One that closed it and
    /// goes on is not waited for any longer.
    fn wait_for_ending(&self, cancel: &Cancel<'_>) {
        for _ in 0..ENDING_TICKS {
            if self.ending().is_some() || cancel.is_cancelled() {
                break;
            }
            std::thread::sleep(ENDING_TICK);
        }
    }

    /// Ends all processes of the terminal.
    pub(super) fn end(&self, grace: Duration) {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).end(grace);
    }

    pub(super) fn ending(&self) -> Option<Ending> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).ending()
    }

    pub(super) fn unread_bytes(&self) -> u64 {
        self.unread.bytes()
    }

    /// Whether its program has ended and everything it wrote was read.
    pub(super) fn is_spent(&self) -> bool {
        self.ending().is_some() && self.unread.is_ended() && self.unread.bytes() == 0
    }

    pub(super) fn used(&self) -> Instant {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn touch(&self, now: Instant) {
        *self.used.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

/// Starts the shell in the terminal. Our own end of it goes with what starts it.
fn start(
    command: &TerminalCommand,
    master: &dyn MasterPty,
    slave: Box<dyn SlavePty + Send>,
) -> Result<(Session, Option<Holding>), CommandError> {
    if let Some(guard) = &command.guard {
        // Where nobody has the terminal open, it is over: our own end goes last.
        let started = guarded(command, guard, master);
        drop(slave);
        return started;
    }
    let builder = builder(command);
    let start = move || slave.spawn_command(builder).map_err(io::Error::other);
    let (child, holding) = match &command.sandbox {
        None => (start(), None),
        Some(sandbox) => {
            let (child, confinement) = sandbox.start(start)?;
            let protection = sandbox.protection_without_mounts(&confinement, None);
            (child, Some(Holding { confinement, protection }))
        }
    };
    Ok((Session::new(child?, None, None)?, holding))
}

/// The same by a guard, which gets the terminal as its three streams.
fn guarded(
    command: &TerminalCommand,
    guard: &Guard,
    master: &dyn MasterPty,
) -> Result<(Session, Option<Holding>), CommandError> {
    let folder = own_folder(command.sandbox.as_ref())?;
    let arguments = [OsStr::new("-c"), OsStr::new(&command.text)];
    let watched = Watched::prepare(&folder, command.shell.path(), arguments.into_iter())?;
    let name = master.tty_name().ok_or_else(|| io::Error::other("the terminal has no name"))?;
    let not_ours = OFlags::NOCTTY.bits().cast_signed();
    let terminal = OpenOptions::new().read(true).write(true).custom_flags(not_ours).open(name)?;
    let make = |order: Option<&Order>| -> io::Result<process::Command> {
        let mut process = watched.command(guard, Kind::Terminal, order);
        process
            .current_dir(&command.directory)
            .env_clear()
            .envs(command.environment.iter())
            .stdin(terminal.try_clone()?)
            .stdout(terminal.try_clone()?)
            .stderr(terminal.try_clone()?);
        Ok(process)
    };
    let (child, holding) = match &command.sandbox {
        None => (make(None)?.spawn(), None),
        Some(sandbox) => {
            let (child, holding) = sandbox.spawn(true, &make)?;
            (child, Some(holding))
        }
    };
    drop(terminal);
    let confinement = holding.as_ref().map(|holding| &holding.confinement);
    Ok((Session::new(Box::new(child?), Some(watched), confinement)?, holding))
}

/// The shell is the only process that is started; it says itself when a program is missing.
fn builder(command: &TerminalCommand) -> CommandBuilder {
    let mut builder = CommandBuilder::new(command.shell.path());
    builder.arg("-c");
    builder.arg(&command.text);
    builder.cwd(&command.directory);
    builder.env_clear();
    for (name, value) in command.environment.iter() {
        builder.env(name, value);
    }
    builder
}

/// A thread of its own, because a program that does not read may hold up a write for ever.
fn write_in_background(
    mut writer: Box<dyn Write + Send>,
) -> io::Result<(Sender<Vec<u8>>, Arc<AtomicUsize>)> {
    let (sender, receiver) = channel::<Vec<u8>>();
    let waiting = Arc::new(AtomicUsize::new(0));
    let ours = Arc::clone(&waiting);
    std::thread::Builder::new().name("terminal input".to_owned()).spawn(move || {
        for bytes in receiver {
            if writer.write_all(&bytes).and_then(|()| writer.flush()).is_err() {
                break;
            }
            ours.fetch_sub(bytes.len(), Ordering::Relaxed);
        }
    })?;
    Ok((sender, waiting))
}

impl From<Size> for PtySize {
    fn from(size: Size) -> Self {
        Self { rows: size.rows.max(1), cols: size.columns.max(1), pixel_width: 0, pixel_height: 0 }
    }
}

/// Checks what no process can be started with.
pub(super) fn check(command: &TerminalCommand) -> Result<(), CommandError> {
    shell::check(&command.text)?;
    if !command.directory.is_dir() {
        return Err(CommandError::Directory(command.directory.clone()));
    }
    if !command.shell.path().is_file() {
        let source = io::Error::from(io::ErrorKind::NotFound);
        let shell = command.shell.path().to_path_buf();
        return Err(CommandError::Start { shell, source });
    }
    Ok(())
}
