//! The agent's process, which keeps its own terminal, signals and exit code.

use std::io;
use std::process::{Command, ExitCode, ExitStatus};

/// Starts an agent and waits for its end. Signals that would end this program are forwarded; Ctrl+C
/// reaches the agent through the terminal. If the agent stops, as at Ctrl+Z, this program stops
/// too, so that the shell returns; when it continues, the agent does too.
///
/// # Errors
/// If the agent cannot be started.
pub(super) fn run_agent_process(
    command: &mut Command,
    has_terminal: bool,
) -> io::Result<ExitStatus> {
    let signals = signals::SignalForwarder::new();
    let mut child = command.spawn()?;
    signals.forward_to(child.id(), has_terminal);
    stops::wait_and_follow_stops(&mut child)
}

/// Returns the exit code of an agent; after a signal, 128 plus its number, as in a shell.
pub(super) fn agent_exit_code(status: ExitStatus) -> ExitCode {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return ExitCode::from(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(unix)]
mod stops {
    use std::io;
    use std::os::unix::process::ExitStatusExt as _;
    use std::process::{Child, ExitStatus};
    use std::time::Duration;

    use rustix::io::Errno;
    use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, waitpid};

    /// The time for a stopped process to continue: a shell resumes the programs of a job one after
    /// the other, and this one may be the first.
    const RESUME_GRACE_TIME: Duration = Duration::from_millis(50);

    /// Waits for the end of a process, and stops this program whenever the process stops.
    pub(super) fn wait_and_follow_stops(child: &mut Child) -> io::Result<ExitStatus> {
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let Some(pid) = pid else { return child.wait() };
        let wait = |options| match waitpid(Some(pid), options) {
            Ok(changed) => Ok(changed.map(|(_, status)| status)),
            Err(Errno::INTR) => Ok(None),
            Err(error) => Err(error),
        };
        loop {
            let Some(mut status) = wait(WaitOptions::UNTRACED)? else { continue };
            if status.stopped() {
                std::thread::sleep(RESUME_GRACE_TIME);
                let any = WaitOptions::UNTRACED | WaitOptions::CONTINUED | WaitOptions::NOHANG;
                match wait(any)? {
                    None => {
                        // This returns when this program is resumed.
                        kill_process(getpid(), Signal::STOP)?;
                        // A shell resumes all of a job; other programs resume this one alone.
                        kill_process(pid, Signal::CONT)?;
                        continue;
                    }
                    Some(later) => status = later,
                }
            }
            if !status.stopped() && !status.continued() {
                return Ok(ExitStatus::from_raw(status.as_raw()));
            }
        }
    }
}

#[cfg(not(unix))]
mod stops {
    use std::io;
    use std::process::{Child, ExitStatus};

    pub(super) fn wait_and_follow_stops(child: &mut Child) -> io::Result<ExitStatus> {
        child.wait()
    }
}

#[cfg(unix)]
mod signals {
    use std::future::poll_fn;
    use std::task::Poll;

    use rustix::process::{Pid, Signal, kill_process};
    use tokio::runtime::Runtime;
    use tokio::signal::unix::{Signal as SignalStream, SignalKind, signal};

    use crate::interrupt::IgnoredSignals;

    /// A signal that would end or stop this program.
    struct ForwardedSignal {
        stream: SignalStream,
        signal: Signal,
        /// True if a terminal sends it to the whole process group.
        is_shared: bool,
    }

    impl ForwardedSignal {
        fn listen(kind: SignalKind, passed: Signal, is_shared: bool) -> Option<Self> {
            Some(Self { stream: signal(kind).ok()?, signal: passed, is_shared })
        }
    }

    /// Receives the signals that would end or stop this program and forwards them. Processes
    /// started meanwhile receive them as usual.
    pub(super) struct SignalForwarder {
        runtime: Option<Runtime>,
        all: Vec<ForwardedSignal>,
    }

    impl SignalForwarder {
        /// Starts to receive; without a runtime, signals end this program as usual.
        pub(super) fn new() -> Self {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return Self { runtime: None, all: Vec::new() } };
            let entered = runtime.enter();
            let ignored = IgnoredSignals::from_proc_status();
            // Signals that are ignored, as after `nohup`, stay so: forwarding would end the agent.
            let hear = |kind: SignalKind, signal: Signal, is_shared| {
                (!ignored.contains(signal.as_raw()))
                    .then(|| ForwardedSignal::listen(kind, signal, is_shared))
                    .flatten()
            };
            let all = [
                hear(SignalKind::interrupt(), Signal::INT, true),
                hear(SignalKind::quit(), Signal::QUIT, true),
                hear(SignalKind::terminate(), Signal::TERM, false),
                hear(SignalKind::hangup(), Signal::HUP, false),
                // The agent may restore its terminal before it stops, and this program stops after
                // it. Otherwise the shell would return while the agent still reads.
                hear(SignalKind::from_raw(Signal::TSTP.as_raw()), Signal::TSTP, true),
            ];
            drop(entered);
            Self { runtime: Some(runtime), all: all.into_iter().flatten().collect() }
        }

        /// Forwards the signals to a process on a thread that ends with the program, without those
        /// that the process gets from the terminal itself.
        pub(super) fn forward_to(self, process: u32, has_terminal: bool) {
            let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
            let Self { runtime: Some(runtime), mut all } = self else { return };
            let Some(pid) = pid else { return };
            std::thread::spawn(move || {
                runtime.block_on(async {
                    while let Some(at) = next_signal(&mut all).await {
                        if !(all[at].is_shared && has_terminal) {
                            // The process may have ended.
                            let _ = kill_process(pid, all[at].signal);
                        }
                    }
                });
            });
        }
    }

    /// Returns the index of the next signal; `None` if no more will come.
    async fn next_signal(all: &mut [ForwardedSignal]) -> Option<usize> {
        poll_fn(|context| {
            let mut is_over = true;
            for (at, passed) in all.iter_mut().enumerate() {
                match passed.stream.poll_recv(context) {
                    Poll::Ready(Some(())) => return Poll::Ready(Some(at)),
                    Poll::Ready(None) => {}
                    Poll::Pending => is_over = false,
                }
            }
            if is_over { Poll::Ready(None) } else { Poll::Pending }
        })
        .await
    }
}

#[cfg(not(unix))]
mod signals {
    pub(super) struct SignalForwarder;

    impl SignalForwarder {
        pub(super) fn new() -> Self {
            Self
        }

        pub(super) fn forward_to(self, _: u32, _: bool) {}
    }
}
