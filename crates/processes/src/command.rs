//! One command from start to end: read as it writes, ended with its whole group when its time
//! is over, when it writes too much, or when who waits says so.

use std::io::{PipeReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tempfile::NamedTempFile;

use crate::error::CommandError;
use crate::group::{Group, Of};
use crate::guard::{self, Guard, Kind, Watched};
use crate::output::BoundedOutput;
use crate::sandbox::{Holding, Order, own_folder};
use crate::shell;
use crate::{
    Confinement, Decoder, Environment, KeepBytes, Outcome, Output, Protection, Sandbox, Shell,
};

/// The longest wait between two looks at the cancellation token.
const TICK: Duration = Duration::from_millis(20);

/// Bytes read at once; what a pipe holds on Linux.
const READ_BYTES: usize = 64 * 1024;

/// Bytes that can wait in a pipe when the shell has ended: the most that Linux lets anyone
/// without privileges set.
const PIPE_BYTES_MAX: u64 = 1024 * 1024;

/// How long a killed group may take to be gone. Only a process stuck in the kernel, or a system
/// whose first process does not collect the dead, needs it all.
const KILLED_WAIT: Duration = Duration::from_millis(500);

/// A command for a shell.
#[derive(Debug, Clone)]
pub struct Command {
    /// What the shell runs.
    pub text: String,
    /// Where it starts.
    pub directory: PathBuf,
    /// All its variables.
    pub environment: Environment,
    /// Who runs it.
    pub shell: Shell,
    /// What it may use.
    pub limits: Limits,
    /// Where it may write; `None` is everywhere.
    pub sandbox: Option<Sandbox>,
    /// Who watches over what it starts. Without one, a process that leaves the group (`setsid`)
    /// is out of reach.
    pub guard: Option<Guard>,
}

/// What a command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// From start to end.
    pub time_out: Duration,
    /// Between asking the group to end (SIGTERM) and killing it (SIGKILL).
    pub grace: Duration,
    /// How long the end of the output is waited for when the shell has ended and a process in
    /// the background still holds it. What was written before is always read.
    pub drain: Duration,
    /// How much of the output is kept.
    pub keep: KeepBytes,
    /// How much may be written in all; `None` is any amount.
    pub output_bytes_max: Option<u64>,
}

impl Default for Limits {
    /// Two minutes, half a second of grace, 1 MiB of output kept, any amount written.
    fn default() -> Self {
        Self {
            time_out: Duration::from_secs(120),
            grace: Duration::from_millis(500),
            drain: Duration::from_millis(100),
            keep: KeepBytes::default(),
            output_bytes_max: None,
        }
    }
}

/// A command that came to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub outcome: Outcome,
    /// What it wrote, errors and all in the order they were written.
    pub output: Output,
    /// From start to end.
    pub took: Duration,
    /// Where the shell was at its end; `None` when it did not say, as after `exec` or a signal.
    pub directory: Option<PathBuf>,
    /// Whether processes of the group were left when the shell ended by itself. They are ended
    /// as at a time-out, so that nothing runs unseen; a terminal is the place for what must go
    /// on.
    pub left_background: bool,
    /// Processes that went on in sessions of their own when the shell ended by itself, as the
    /// daemons of build tools do. They end with the program that ran the command. Always empty
    /// without a [guard](Command::guard), where they are not seen.
    pub daemons: Vec<String>,
    /// How far the sandbox held; `None` without one.
    pub confinement: Option<Confinement>,
    /// How forbidden parts of what it may write were held.
    pub protection: Protection,
}

impl Ran {
    /// Cancelled before anything happened.
    fn not_started() -> Self {
        Self {
            outcome: Outcome::Cancelled,
            output: BoundedOutput::new(KeepBytes::default()).finish(),
            took: Duration::ZERO,
            directory: None,
            left_background: false,
            daemons: Vec::new(),
            confinement: None,
            protection: Protection::None,
        }
    }
}

impl Command {
    /// A command with default limits that may write everywhere.
    #[must_use]
    pub fn new(
        text: impl Into<String>,
        directory: impl Into<PathBuf>,
        environment: Environment,
        shell: Shell,
    ) -> Self {
        Self {
            text: text.into(),
            directory: directory.into(),
            environment,
            shell,
            limits: Limits::default(),
            sandbox: None,
            guard: None,
        }
    }

    /// Runs it to its end. Its input is empty; a program that asks a person's terminal directly
    /// (`/dev/tty`) is stopped there by the system, until its time is over.
    ///
    /// `stream` gets the whole output as it comes, in pieces of whole characters (carriage
    /// returns and all). `cancel` is asked at least every 20 ms; a yes ends the group.
    /// Memory stays bounded by [`Limits::keep`], whatever is written.
    ///
    /// # Errors
    /// Only when the command could not be started or followed. That it failed, or was killed,
    /// is an [`Outcome`].
    pub fn run(
        &self,
        stream: &mut dyn FnMut(&str),
        cancel: &Cancel<'_>,
    ) -> Result<Ran, CommandError> {
        shell::check(&self.text)?;
        if !self.directory.is_dir() {
            return Err(CommandError::Directory(self.directory.clone()));
        }
        if cancel.is_cancelled() {
            return Ok(Ran::not_started());
        }
        guard::reap();
        let folder = own_folder(self.sandbox.as_ref())?;
        let directory_file =
            tempfile::Builder::new().prefix("foveal-directory-").tempfile_in(&folder)?;
        let started = Instant::now();
        let (group, pipe, holding) = self.start(&directory_file, &folder)?;
        let source = Source::new(pipe, self.limits.keep);
        let mut run = Run { limits: &self.limits, started, group, source, stream };
        let (outcome, left_background) = run.follow(cancel)?;
        run.source.finish(run.stream);
        let daemons = run.group.daemons();
        Ok(Ran {
            outcome,
            output: run.source.kept.finish(),
            took: started.elapsed(),
            directory: shell::directory_in(directory_file.as_file())?,
            left_background,
            daemons,
            confinement: holding.as_ref().map(|holding| holding.confinement.clone()),
            protection: holding.map(|holding| holding.protection).unwrap_or_default(),
        })
    }

    /// Starts the shell; both its outputs are one pipe, so that their order is kept.
    fn start(
        &self,
        directory_file: &NamedTempFile,
        folder: &Path,
    ) -> Result<(Group, PipeReader, Option<Holding>), CommandError> {
        let (reader, writer) = std::io::pipe()?;
        let shell = self.shell.command(&self.text, directory_file.path());
        let watched = self.guard.as_ref().map(|_| self.watched(folder, &shell)).transpose()?;
        let make = |order: Option<&Order>| -> std::io::Result<process::Command> {
            let mut command = match (&self.guard, &watched) {
                (Some(guard), Some(watched)) => watched.command(guard, Kind::Command, order),
                _ => self.shell.command(&self.text, directory_file.path()),
            };
            command
                .current_dir(&self.directory)
                .env_clear()
                .envs(self.environment.iter())
                .stdin(Stdio::null())
                .stdout(writer.try_clone()?)
                .stderr(writer.try_clone()?);
            if watched.is_none() {
                // A guard makes a session of its own.
                command.process_group(0);
            }
            Ok(command)
        };
        let (child, holding) = match &self.sandbox {
            None => (make(None)?.spawn(), None),
            Some(sandbox) => {
                let (child, holding) = sandbox.spawn(watched.is_some(), &make)?;
                (child, Some(holding))
            }
        };
        // With our own ends for writing, the pipe could not end.
        drop(writer);
        let child = child.map_err(|source| CommandError::Start {
            shell: self.shell.path().to_path_buf(),
            source,
        })?;
        let confinement = holding.as_ref().map(|holding| &holding.confinement);
        Ok((Group::new(child, watched, confinement)?, reader, holding))
    }

    /// What a guard is told of the shell that it is to start.
    fn watched(&self, folder: &Path, shell: &process::Command) -> Result<Watched, CommandError> {
        let program = self.shell.path();
        if !program.is_file() {
            let source = std::io::Error::from(std::io::ErrorKind::NotFound);
            return Err(CommandError::Start { shell: program.to_path_buf(), source });
        }
        Ok(Watched::prepare(folder, program, shell.get_args())?)
    }
}

/// A command under way.
struct Run<'a> {
    limits: &'a Limits,
    started: Instant,
    group: Group,
    source: Source,
    stream: &'a mut dyn FnMut(&str),
}

impl Run<'_> {
    /// To the end of the command, and whether processes were left behind by the shell.
    fn follow(&mut self, cancel: &Cancel<'_>) -> std::io::Result<(Outcome, bool)> {
        loop {
            if let Some(outcome) = self.must_stop(cancel) {
                self.end_group(Of::All)?;
                return Ok((outcome, false));
            }
            if let Some(ending) = self.group.ending()? {
                self.drain()?;
                let left = !self.group.is_over(Of::Session);
                if left {
                    self.end_group(Of::Session)?;
                }
                return Ok((Outcome::Ended(ending), left));
            }
            self.source.wait(TICK, self.stream)?;
        }
    }

    fn must_stop(&self, cancel: &Cancel<'_>) -> Option<Outcome> {
        if cancel.is_cancelled() {
            return Some(Outcome::Cancelled);
        }
        if let Some(bytes_max) = self.limits.output_bytes_max
            && self.source.kept.bytes() > bytes_max
        {
            return Some(Outcome::TooMuchOutput { bytes_max });
        }
        let after = self.limits.time_out;
        (self.started.elapsed() >= after).then_some(Outcome::TimedOut { after })
    }

    /// What the shell wrote before it ended, and what comes soon after from processes that it
    /// left; theirs may never end. Processes that are just ending are given the time for it.
    fn drain(&mut self) -> std::io::Result<()> {
        self.read_what_is_there()?;
        let ended = Instant::now();
        while !(self.source.is_ended() && self.group.is_over(Of::Session))
            && ended.elapsed() < self.limits.drain
        {
            self.source.wait(TICK, self.stream)?;
        }
        Ok(())
    }

    /// Empties the pipe without waiting. Who still writes to it is not followed further than a
    /// pipe can hold.
    fn read_what_is_there(&mut self) -> std::io::Result<()> {
        let before = self.source.kept.bytes();
        while self.source.kept.bytes() - before < PIPE_BYTES_MAX
            && self.source.wait(Duration::ZERO, self.stream)?
        {}
        Ok(())
    }

    /// Asks the group to end, then kills it. What it writes meanwhile is read.
    fn end_group(&mut self, of: Of) -> std::io::Result<()> {
        self.group.signal(Signal::TERM, of);
        self.wait_for_group(self.limits.grace, of)?;
        let begun = Instant::now();
        while !self.group.is_over(of) && begun.elapsed() < KILLED_WAIT {
            // Again and again: what starts others as fast as they are killed is met in the end.
            self.group.signal(Signal::KILL, of);
            self.source.wait(TICK, self.stream)?;
        }
        self.read_what_is_there()
    }

    fn wait_for_group(&mut self, longest: Duration, of: Of) -> std::io::Result<()> {
        let begun = Instant::now();
        while !self.group.is_over(of) && begun.elapsed() < longest {
            self.source.wait(TICK, self.stream)?;
        }
        Ok(())
    }
}

/// The output of a command: read, kept in bounds, decoded and handed on.
struct Source {
    /// `None` when everyone has closed the other end.
    pipe: Option<PipeReader>,
    kept: BoundedOutput,
    decoder: Decoder,
    buffer: Vec<u8>,
    /// The next wait after the output has ended; grows, because the shell mostly ends at once.
    idle: Duration,
}

impl Source {
    fn new(pipe: PipeReader, keep: KeepBytes) -> Self {
        Self {
            pipe: Some(pipe),
            kept: BoundedOutput::new(keep),
            decoder: Decoder::default(),
            buffer: vec![0; READ_BYTES],
            idle: Duration::from_micros(50),
        }
    }

    fn is_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// Takes what comes next, at most one buffer of it, or waits that long; whether something
    /// came.
    fn wait(&mut self, longest: Duration, stream: &mut dyn FnMut(&str)) -> std::io::Result<bool> {
        let Some(pipe) = &mut self.pipe else {
            std::thread::sleep(self.idle.min(longest));
            self.idle = (self.idle * 2).min(TICK);
            return Ok(false);
        };
        let timeout = Timespec {
            tv_sec: longest.as_secs().try_into().unwrap_or(i64::MAX),
            tv_nsec: longest.subsec_nanos().into(),
        };
        let ready = match poll(&mut [PollFd::new(pipe, PollFlags::IN)], Some(&timeout)) {
            Ok(ready) => ready,
            Err(rustix::io::Errno::INTR) => 0,
            Err(error) => return Err(error.into()),
        };
        if ready == 0 {
            return Ok(false);
        }
        let read = match pipe.read(&mut self.buffer) {
            Ok(read) => read,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => return Ok(true),
            Err(error) => return Err(error),
        };
        if read == 0 {
            self.pipe = None;
            return Ok(false);
        }
        self.kept.push(&self.buffer[..read]);
        hand_on(&self.decoder.push(&self.buffer[..read]), stream);
        Ok(true)
    }

    /// Hands on a character that was cut by the end of the output.
    fn finish(&mut self, stream: &mut dyn FnMut(&str)) {
        hand_on(&self.decoder.finish(), stream);
    }
}

fn hand_on(text: &str, stream: &mut dyn FnMut(&str)) {
    if !text.is_empty() {
        stream(text);
    }
}
