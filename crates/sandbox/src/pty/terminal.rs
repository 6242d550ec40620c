//! One terminal: its process, and the threads that read from it and write to it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use portable_pty::{CommandBuilder, MasterPty, PtySize, SlavePty, native_pty_system};
use rustix::fs::OFlags;
use serde::{Deserialize, Serialize};

use super::terminal_output::{OutputWait, TerminalReading, UnreadOutput, WaitControl, WaitOutcome};
use super::terminal_session::TerminalSession;
use crate::guard::{GuardProgram, GuardTarget, GuardedProcess, GuardedStart};
use crate::sandbox::SandboxStatus;
use crate::{
    CommandEnvironment, CommandError, OutputRetention, ProcessExit, Sandbox, ShellProgram, shell,
};

/// Bytes of input that may wait for the program to read them.
pub(super) const INPUT_BYTES_MAX: usize = 256 * 1024;

/// How often, and how far apart, the exit of a program is checked after it closed its terminal.
const EXIT_CHECKS_MAX: u32 = 100;
const EXIT_CHECK_INTERVAL: Duration = Duration::from_millis(2);

/// The size of a terminal in characters; a zero counts as one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    /// 24 rows, with columns enough for most lines.
    fn default() -> Self {
        Self { rows: 24, columns: 120 }
    }
}

/// A command for a shell in a terminal.
#[derive(Debug, Clone)]
pub struct TerminalCommand {
    /// The text that the shell runs; `bash` for an interactive shell.
    pub text: String,
    /// The working directory.
    pub directory: PathBuf,
    /// All its environment variables.
    pub environment: CommandEnvironment,
    /// The shell.
    pub shell: ShellProgram,
    /// The size of the terminal.
    pub size: TerminalSize,
    /// The folders that it may write; `None` is everywhere.
    pub sandbox: Option<Sandbox>,
    /// The program that guards its descendants. Without one, or without bubblewrap, a process that
    /// leaves the session is out of reach.
    pub guard: Option<GuardProgram>,
}

/// A terminal and its program.
pub(super) struct Terminal {
    pub(super) command_text: String,
    pub(super) sandbox_status: Option<SandboxStatus>,
    /// When it was last written to or read from.
    pub(super) last_used: Mutex<Instant>,
    unread: Arc<UnreadOutput>,
    input: Sender<Vec<u8>>,
    waiting_bytes: Arc<AtomicUsize>,
    /// Closes the terminal when dropped. The lock makes it shareable between threads.
    _master: Mutex<Box<dyn MasterPty + Send>>,
    session: Mutex<TerminalSession>,
    /// Ends the thread that started the guard.
    _guard_thread: Option<Sender<()>>,
}

impl Terminal {
    pub(super) fn spawn(
        command: &TerminalCommand,
        keep: OutputRetention,
        now: Instant,
    ) -> Result<Self, CommandError> {
        let pair = native_pty_system().openpty(command.size.into()).map_err(io::Error::other)?;
        let unread = UnreadOutput::spawn_reader(
            pair.master.try_clone_reader().map_err(io::Error::other)?,
            keep,
        )?;
        let writer = pair.master.take_writer().map_err(io::Error::other)?;
        let (input, waiting_bytes) = spawn_writer(writer)?;
        let (session, holding, guard_thread) = spawn_shell(command, &*pair.master, pair.slave)?;
        Ok(Self {
            command_text: command.text.clone(),
            sandbox_status: holding,
            last_used: Mutex::new(now),
            unread,
            input,
            waiting_bytes,
            session: Mutex::new(session),
            _master: Mutex::new(pair.master),
            _guard_thread: guard_thread,
        })
    }

    /// Queues input for the writing thread. Returns false if too much is queued already. Input for
    /// a program that has ended is discarded; a reader learns of the end.
    pub(super) fn queue_input(&self, text: &str) -> bool {
        if self.unread.is_source_closed() {
            return true;
        }
        let before = self.waiting_bytes.fetch_add(text.len(), Ordering::Relaxed);
        if before + text.len() > INPUT_BYTES_MAX {
            self.waiting_bytes.fetch_sub(text.len(), Ordering::Relaxed);
            return false;
        }
        // The thread ends with the program.
        let _ = self.input.send(text.as_bytes().to_vec());
        true
    }

    /// Waits for output, after `since` if that is given, and takes all of it.
    pub(super) fn read_output(
        &self,
        wait: OutputWait,
        since: Option<Instant>,
        waiting: WaitControl<'_>,
    ) -> TerminalReading {
        let (output, paused) = self.unread.await_output(wait, since, waiting);
        if paused == WaitOutcome::Ended {
            self.wait_for_exit(waiting.cancel);
        }
        TerminalReading { output, paused, ending: self.program_exit() }
    }

    /// Waits briefly for the program's exit, since a process closes its terminal a moment before it
    /// counts as ended. A process that goes on without its terminal is not waited for any longer.
    fn wait_for_exit(&self, cancel: &CancelToken<'_>) {
        for _ in 0..EXIT_CHECKS_MAX {
            if self.program_exit().is_some() || cancel.is_cancelled() {
                break;
            }
            std::thread::sleep(EXIT_CHECK_INTERVAL);
        }
    }

    /// Ends all processes of the terminal.
    pub(super) fn terminate(&self, grace: Duration) {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).terminate(grace);
    }

    pub(super) fn program_exit(&self) -> Option<ProcessExit> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner).leader_exit()
    }

    pub(super) fn unread_bytes(&self) -> u64 {
        self.unread.unread_bytes()
    }

    /// Returns whether the program has ended and all its output was read.
    pub(super) fn is_finished(&self) -> bool {
        self.program_exit().is_some()
            && self.unread.is_source_closed()
            && self.unread.unread_bytes() == 0
    }

    pub(super) fn last_used(&self) -> Instant {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn mark_used(&self, now: Instant) {
        *self.last_used.lock().unwrap_or_else(PoisonError::into_inner) = now;
    }
}

/// A started shell, how far it is confined, and what ends the thread that started its guard.
type StartedShell = (TerminalSession, Option<SandboxStatus>, Option<Sender<()>>);

/// Starts the shell in the terminal. Our own end of it is closed by that.
fn spawn_shell(
    command: &TerminalCommand,
    master: &dyn MasterPty,
    slave: Box<dyn SlavePty + Send>,
) -> Result<StartedShell, CommandError> {
    if let Some(guard) = &command.guard {
        // A terminal that no process has open is closed, so our own end is dropped last.
        let started = spawn_guarded_shell(command, guard, master);
        drop(slave);
        return started;
    }
    let builder = shell_builder(command);
    let start = move || slave.spawn_command(builder).map_err(io::Error::other);
    let (child, holding) = match &command.sandbox {
        None => (start(), None),
        Some(sandbox) => {
            let (child, confinement) = sandbox.run_confined(start)?;
            let protection = sandbox.protection_without_mounts(&confinement, None);
            (child, Some(SandboxStatus { confinement, protection }))
        }
    };
    Ok((TerminalSession::new(child?, None), holding, None))
}

/// Starts the shell behind a guard, which has the terminal as its input and output. A guard ends
/// with the thread that starts it, so that thread lives as long as the terminal.
fn spawn_guarded_shell(
    command: &TerminalCommand,
    guard: &GuardProgram,
    master: &dyn MasterPty,
) -> Result<StartedShell, CommandError> {
    let name = master.tty_name().ok_or_else(|| io::Error::other("the terminal has no name"))?;
    let not_ours = OFlags::NOCTTY.bits().cast_signed();
    let terminal = OpenOptions::new().read(true).write(true).custom_flags(not_ours).open(name)?;
    let (started, start) = channel();
    let (guard_thread, terminal_end) = channel();
    let (command, guard) = (command.clone(), guard.clone());
    std::thread::Builder::new().name("terminal guard".to_owned()).spawn(move || {
        let process = start_guard(&command, &guard, &terminal);
        drop(terminal);
        // The terminal is gone if nobody receives it.
        let _ = started.send(process);
        let _ = terminal_end.recv();
    })?;
    let process = start.recv().map_err(io::Error::other)??;
    let session = TerminalSession::new(Box::new(process.child), process.namespace);
    Ok((session, process.sandbox_status, Some(guard_thread)))
}

fn start_guard(
    command: &TerminalCommand,
    guard: &GuardProgram,
    terminal: &File,
) -> Result<GuardedProcess, CommandError> {
    GuardedStart {
        guard,
        target: GuardTarget::Terminal,
        program: command.shell.path(),
        arguments: vec!["-c".into(), command.text.clone().into()],
        directory: &command.directory,
        environment: &command.environment,
        sandbox: command.sandbox.as_ref(),
        streams: &|| Ok((terminal.try_clone()?.into(), terminal.try_clone()?.into())),
    }
    .start()
}

/// Returns the command of the shell, which itself reports a missing program.
fn shell_builder(command: &TerminalCommand) -> CommandBuilder {
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

/// Writes on a thread of its own, since a program that does not read can block a write for ever.
fn spawn_writer(
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

impl From<TerminalSize> for PtySize {
    fn from(size: TerminalSize) -> Self {
        Self { rows: size.rows.max(1), cols: size.columns.max(1), pixel_width: 0, pixel_height: 0 }
    }
}

/// Refuses commands that no process can be started with.
pub(super) fn check_command(command: &TerminalCommand) -> Result<(), CommandError> {
    shell::check_command_text(&command.text)?;
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
