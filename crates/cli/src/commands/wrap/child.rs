//! The agent's process: its terminal, its signals and its exit code are its own.

use std::io;
use std::process::{Command, ExitCode, ExitStatus};

/// Starts an agent and waits for its end. What ends this program by a signal is passed on to it;
/// Ctrl+C reaches it by the terminal. Where the agent stops, as at Ctrl+Z, this program stops too,
/// so that its shell is there again; and once it goes on, the agent does.
///
/// # Errors
/// If it cannot be started.
pub(super) fn run(command: &mut Command, has_terminal: bool) -> io::Result<ExitStatus> {
    let signals = signals::Listening::begin();
    let mut child = command.spawn()?;
    signals.pass_on(child.id(), has_terminal);
    stops::wait(&mut child)
}

/// The exit code of an agent, as a shell has it where a signal ended it.
pub(super) fn exit_code(status: ExitStatus) -> ExitCode {
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

    /// How long a process that was seen to stop is given to go on: a shell lets all programs of a
    /// job go on one after the other, and this one may be the first.
    const MOMENT: Duration = Duration::from_millis(50);

    /// Waits for the end of a process, and stops as often as that stops.
    pub(super) fn wait(child: &mut Child) -> io::Result<ExitStatus> {
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
                std::thread::sleep(MOMENT);
                let any = WaitOptions::UNTRACED | WaitOptions::CONTINUED | WaitOptions::NOHANG;
                match wait(any)? {
                    None => {
                        // This returns when somebody has this program go on.
                        kill_process(getpid(), Signal::STOP)?;
                        // A shell lets all of a job go on; others know of this program alone.
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

    pub(super) fn wait(child: &mut Child) -> io::Result<ExitStatus> {
        child.wait()
    }
}

#[cfg(unix)]
mod signals {
    use std::future::poll_fn;
    use std::task::Poll;

    use rustix::process::{Pid, Signal, kill_process};
    use tokio::runtime::Runtime;
    use tokio::signal::unix::{Signal as Heard, SignalKind, signal};

    use crate::interrupt::Ignored;

    /// A signal that would end or stop this program.
    struct Passed {
        heard: Heard,
        signal: Signal,
        /// Whether a terminal gives it to all of its programs.
        is_shared: bool,
    }

    impl Passed {
        fn hear(kind: SignalKind, passed: Signal, is_shared: bool) -> Option<Self> {
            Some(Self { heard: signal(kind).ok()?, signal: passed, is_shared })
        }
    }

    /// Keeps signals from ending or stopping this program. What is started meanwhile hears them as ever.
    pub(super) struct Listening {
        runtime: Option<Runtime>,
        all: Vec<Passed>,
    }

    impl Listening {
        /// Where that cannot be, signals end this program as they always do.
        pub(super) fn begin() -> Self {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let Ok(runtime) = runtime else { return Self { runtime: None, all: Vec::new() } };
            let entered = runtime.enter();
            let ignored = Ignored::now();
            // What is ignored stays so, as after `nohup`: who listens would have it end the agent.
            let hear = |kind: SignalKind, signal: Signal, is_shared| {
                (!ignored.has(signal.as_raw()))
                    .then(|| Passed::hear(kind, signal, is_shared))
                    .flatten()
            };
            let all = [
                hear(SignalKind::interrupt(), Signal::INT, true),
                hear(SignalKind::quit(), Signal::QUIT, true),
                hear(SignalKind::terminate(), Signal::TERM, false),
                hear(SignalKind::hangup(), Signal::HUP, false),
                // The agent may have its terminal to put in order before it stops, and this program
                // stops once it has: else the shell would be there while the agent still reads.
                hear(SignalKind::from_raw(Signal::TSTP.as_raw()), Signal::TSTP, true),
            ];
            drop(entered);
            Self { runtime: Some(runtime), all: all.into_iter().flatten().collect() }
        }

        /// Gives them to a process, on a thread that ends with the program; not those that it
        /// gets from the terminal too.
        pub(super) fn pass_on(self, process: u32, has_terminal: bool) {
            let pid = i32::try_from(process).ok().and_then(Pid::from_raw);
            let Self { runtime: Some(runtime), mut all } = self else { return };
            let Some(pid) = pid else { return };
            std::thread::spawn(move || {
                runtime.block_on(async {
                    while let Some(at) = next(&mut all).await {
                        if !(all[at].is_shared && has_terminal) {
                            // It may have ended.
                            let _ = kill_process(pid, all[at].signal);
                        }
                    }
                });
            });
        }
    }

    /// Which of them came next; `None`: none will come any more.
    async fn next(all: &mut [Passed]) -> Option<usize> {
        poll_fn(|context| {
            let mut is_over = true;
            for (at, passed) in all.iter_mut().enumerate() {
                match passed.heard.poll_recv(context) {
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
    pub(super) struct Listening;

    impl Listening {
        pub(super) fn begin() -> Self {
            Self
        }

        pub(super) fn pass_on(self, _: u32, _: bool) {}
    }
}
