//! Runs one command to its end: reads its output as it is written, and ends its whole process group
//! at the time-out, at the output limit, or on cancellation.

use std::io::{PipeReader, Read as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, Instant};

use foveal_transcript::CancelToken;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use tempfile::NamedTempFile;

use crate::error::CommandError;
use crate::guard::{GuardProgram, GuardTarget, GuardedStart};
use crate::output::BoundedOutputBuffer;
use crate::process_group::ProcessGroup;
use crate::sandbox::{SandboxStatus, scratch_folder};
use crate::shell;
use crate::{
    CapturedOutput, CommandEnvironment, CommandOutcome, Confinement, OutputRetention, Sandbox,
    ShellProgram, Utf8StreamDecoder, WriteProtection,
};

/// The longest time between two checks of the cancellation token.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Bytes per read; the capacity of a pipe on Linux.
const READ_BYTES: usize = 64 * 1024;

/// The most bytes that may be in the pipe when the shell ends: the largest capacity that Linux lets
/// an unprivileged process set.
const PIPE_BYTES_MAX: u64 = 1024 * 1024;

/// How long a killed group may take to be gone. Only a process stuck in the kernel, or an init
/// process that does not reap, needs all of it.
const KILL_TIMEOUT: Duration = Duration::from_millis(500);

/// A command for a shell.
#[derive(Debug, Clone)]
pub struct ShellCommand {
    /// The text that the shell runs.
    pub text: String,
    /// The working directory.
    pub directory: PathBuf,
    /// All its environment variables.
    pub environment: CommandEnvironment,
    /// The shell.
    pub shell: ShellProgram,
    /// Limits of time and output.
    pub limits: CommandLimits,
    /// The folders that it may write; `None` is everywhere.
    pub sandbox: Option<Sandbox>,
    /// The program that guards its descendants. Without one, or without bubblewrap, a process that
    /// leaves the group (`setsid`) is out of reach.
    pub guard: Option<GuardProgram>,
}

/// Limits of time and output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandLimits {
    /// The longest run time.
    pub time_out: Duration,
    /// The time between asking the group to end (SIGTERM) and killing it (SIGKILL).
    pub grace: Duration,
    /// How long to wait for the end of the output after the shell has ended while a background
    /// process holds the pipe. Output written before is always read.
    pub drain: Duration,
    /// How much of the output is kept.
    pub keep: OutputRetention,
    /// The most output in bytes; `None` is any amount.
    pub output_bytes_max: Option<u64>,
}

impl Default for CommandLimits {
    /// Two minutes, half a second of grace, 1 MiB of output kept, no output limit.
    fn default() -> Self {
        Self {
            time_out: Duration::from_secs(120),
            grace: Duration::from_millis(500),
            drain: Duration::from_millis(100),
            keep: OutputRetention::default(),
            output_bytes_max: None,
        }
    }
}

/// The result of a command that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletedCommand {
    /// Its outcome.
    pub outcome: CommandOutcome,
    /// Its output and error streams, in the order in which they were written.
    pub output: CapturedOutput,
    /// The run time.
    pub took: Duration,
    /// The shell's last working directory; `None` if it was not reported, as after `exec` or a
    /// signal.
    pub directory: Option<PathBuf>,
    /// Whether processes were left when the shell exited. They are ended as at a
    /// time-out, so that nothing runs unseen; a terminal is the place for long-running processes.
    pub left_background: bool,
    /// How far the sandbox is enforced; `None` without one.
    pub confinement: Option<Confinement>,
    /// How forbidden parts of its writable folders were protected.
    pub protection: WriteProtection,
}

impl CompletedCommand {
    /// The result of a command that was cancelled before it started.
    fn cancelled_before_start() -> Self {
        Self {
            outcome: CommandOutcome::Cancelled,
            output: BoundedOutputBuffer::new(OutputRetention::default()).finish(),
            took: Duration::ZERO,
            directory: None,
            left_background: false,
            confinement: None,
            protection: WriteProtection::None,
        }
    }
}

impl ShellCommand {
    /// Creates a command with default limits that may write everywhere.
    #[must_use]
    pub fn new(
        text: impl Into<String>,
        directory: impl Into<PathBuf>,
        environment: CommandEnvironment,
        shell: ShellProgram,
    ) -> Self {
        Self {
            text: text.into(),
            directory: directory.into(),
            environment,
            shell,
            limits: CommandLimits::default(),
            sandbox: None,
            guard: None,
        }
    }

    /// Runs it to its end. Its input is empty. A program that reads the user's terminal directly
    /// (`/dev/tty`) is stopped by the system until the time-out.
    ///
    /// `stream` receives the whole output as it arrives, in pieces of complete characters (carriage
    /// returns included). `cancel` is checked at least every 20 ms and ends the group. Memory is
    /// bounded by [`CommandLimits::keep`].
    ///
    /// # Errors
    /// Only if the command could not be started or followed. Failure and kill are a
    /// [`CommandOutcome`].
    pub fn run(
        &self,
        stream: &mut dyn FnMut(&str),
        cancel: &CancelToken<'_>,
    ) -> Result<CompletedCommand, CommandError> {
        shell::check_command_text(&self.text)?;
        if !self.directory.is_dir() {
            return Err(CommandError::Directory(self.directory.clone()));
        }
        if cancel.is_cancelled() {
            return Ok(CompletedCommand::cancelled_before_start());
        }
        let folder = scratch_folder(self.sandbox.as_ref())?;
        let directory_file =
            tempfile::Builder::new().prefix("foveal-directory-").tempfile_in(&folder)?;
        let started = Instant::now();
        let (group, pipe, holding) = self.spawn_shell(&directory_file)?;
        let source = OutputReader::new(pipe, self.limits.keep);
        let mut run = RunningCommand {
            limits: &self.limits,
            started,
            process_group: group,
            output_reader: source,
            stream,
        };
        let (outcome, left_background) = run.run_to_end(cancel)?;
        run.output_reader.finish(run.stream);
        Ok(CompletedCommand {
            outcome,
            output: run.output_reader.kept.finish(),
            took: started.elapsed(),
            directory: shell::read_final_directory(directory_file.as_file())?,
            left_background,
            confinement: holding.as_ref().map(|holding| holding.confinement.clone()),
            protection: holding.map(|holding| holding.protection).unwrap_or_default(),
        })
    }

    /// Starts the shell. Both output streams are one pipe, so that their order is kept.
    fn spawn_shell(
        &self,
        directory_file: &NamedTempFile,
    ) -> Result<(ProcessGroup, PipeReader, Option<SandboxStatus>), CommandError> {
        let (reader, writer) = std::io::pipe()?;
        let mut shell = self.shell.wrapped_command(&self.text, directory_file.path());
        if let Some(guard) = &self.guard {
            let program = self.shell.path();
            if !program.is_file() {
                return Err(self.start_error(std::io::ErrorKind::NotFound.into()));
            }
            let start = GuardedStart {
                guard,
                target: GuardTarget::Command,
                program,
                arguments: shell.get_args().map(ToOwned::to_owned).collect(),
                directory: &self.directory,
                environment: &self.environment,
                sandbox: self.sandbox.as_ref(),
                streams: &|| Ok((Stdio::null(), writer.try_clone()?.into())),
            };
            let process = start.start()?;
            let group = ProcessGroup::new(process.child, process.namespace);
            return Ok((group, reader, process.sandbox_status));
        }
        shell
            .current_dir(&self.directory)
            .env_clear()
            .envs(self.environment.iter())
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer)
            .process_group(0);
        let (child, status) = match &self.sandbox {
            None => (shell.spawn(), None),
            Some(sandbox) => {
                let (child, confinement) = sandbox.run_confined(|| shell.spawn())?;
                let protection = sandbox.protection_without_mounts(&confinement, None);
                (child, Some(SandboxStatus { confinement, protection }))
            }
        };
        // The pipe ends only once our own write ends are closed.
        drop(shell);
        let child = child.map_err(|error| self.start_error(error))?;
        Ok((ProcessGroup::new(child, None), reader, status))
    }

    fn start_error(&self, source: std::io::Error) -> CommandError {
        CommandError::Start { shell: self.shell.path().to_path_buf(), source }
    }
}

/// A command that is running.
struct RunningCommand<'a> {
    limits: &'a CommandLimits,
    started: Instant,
    process_group: ProcessGroup,
    output_reader: OutputReader,
    stream: &'a mut dyn FnMut(&str),
}

impl RunningCommand<'_> {
    /// Follows the command to its end. Returns its outcome, and whether the shell left processes
    /// behind.
    fn run_to_end(&mut self, cancel: &CancelToken<'_>) -> std::io::Result<(CommandOutcome, bool)> {
        loop {
            if let Some(outcome) = self.stop_reason(cancel) {
                self.terminate_group()?;
                return Ok((outcome, false));
            }
            if let Some(ending) = self.process_group.leader_exit()? {
                self.drain_output()?;
                let left = !self.process_group.are_processes_gone();
                if left {
                    self.terminate_group()?;
                }
                return Ok((CommandOutcome::Ended(ending), left));
            }
            self.output_reader.read_or_wait(POLL_INTERVAL, self.stream)?;
        }
    }

    fn stop_reason(&self, cancel: &CancelToken<'_>) -> Option<CommandOutcome> {
        if cancel.is_cancelled() {
            return Some(CommandOutcome::Cancelled);
        }
        if let Some(bytes_max) = self.limits.output_bytes_max
            && self.output_reader.kept.bytes() > bytes_max
        {
            return Some(CommandOutcome::TooMuchOutput { bytes_max });
        }
        let after = self.limits.time_out;
        (self.started.elapsed() >= after).then_some(CommandOutcome::TimedOut { after })
    }

    /// Reads the output written before the shell ended, and briefly that of processes it left,
    /// whose output may never end. Processes that are about to end are given the time for it.
    fn drain_output(&mut self) -> std::io::Result<()> {
        self.read_available()?;
        let ended = Instant::now();
        while !(self.output_reader.is_ended() && self.process_group.are_processes_gone())
            && ended.elapsed() < self.limits.drain
        {
            self.output_reader.read_or_wait(POLL_INTERVAL, self.stream)?;
        }
        Ok(())
    }

    /// Empties the pipe without waiting, up to the capacity of a pipe if a process keeps writing.
    fn read_available(&mut self) -> std::io::Result<()> {
        let before = self.output_reader.kept.bytes();
        while self.output_reader.kept.bytes() - before < PIPE_BYTES_MAX
            && self.output_reader.read_or_wait(Duration::ZERO, self.stream)?
        {}
        Ok(())
    }

    /// Asks the group to end, then kills it, and reads its output meanwhile.
    fn terminate_group(&mut self) -> std::io::Result<()> {
        self.process_group.signal(Signal::TERM);
        self.wait_for_group(self.limits.grace)?;
        let begun = Instant::now();
        while !self.process_group.are_processes_gone() && begun.elapsed() < KILL_TIMEOUT {
            // Repeated, since a process may start others as fast as they are killed.
            self.process_group.signal(Signal::KILL);
            self.output_reader.read_or_wait(POLL_INTERVAL, self.stream)?;
        }
        self.read_available()
    }

    fn wait_for_group(&mut self, longest: Duration) -> std::io::Result<()> {
        let begun = Instant::now();
        while !self.process_group.are_processes_gone() && begun.elapsed() < longest {
            self.output_reader.read_or_wait(POLL_INTERVAL, self.stream)?;
        }
        Ok(())
    }
}

/// The output of a command: read, bounded, decoded and streamed.
struct OutputReader {
    /// `None` once every process has closed the other end.
    pipe: Option<PipeReader>,
    kept: BoundedOutputBuffer,
    decoder: Utf8StreamDecoder,
    buffer: Vec<u8>,
    /// The next wait after the end of the output; it doubles, since the shell usually ends at once.
    idle: Duration,
}

impl OutputReader {
    fn new(pipe: PipeReader, keep: OutputRetention) -> Self {
        Self {
            pipe: Some(pipe),
            kept: BoundedOutputBuffer::new(keep),
            decoder: Utf8StreamDecoder::default(),
            buffer: vec![0; READ_BYTES],
            idle: Duration::from_micros(50),
        }
    }

    fn is_ended(&self) -> bool {
        self.pipe.is_none()
    }

    /// Reads at most one buffer of output, or waits that long. Returns whether output arrived.
    fn read_or_wait(
        &mut self,
        longest: Duration,
        stream: &mut dyn FnMut(&str),
    ) -> std::io::Result<bool> {
        let Some(pipe) = &mut self.pipe else {
            std::thread::sleep(self.idle.min(longest));
            self.idle = (self.idle * 2).min(POLL_INTERVAL);
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
        stream_text(&self.decoder.push(&self.buffer[..read]), stream);
        Ok(true)
    }

    /// Streams a character that was cut off by the end of the output.
    fn finish(&mut self, stream: &mut dyn FnMut(&str)) {
        stream_text(&self.decoder.finish(), stream);
    }
}

fn stream_text(text: &str, stream: &mut dyn FnMut(&str)) {
    if !text.is_empty() {
        stream(text);
    }
}
