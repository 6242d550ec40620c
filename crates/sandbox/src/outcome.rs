//! How a command ended, as a value and as text for the model.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a process ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessExit {
    /// It exited with a code; 0 is success.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CommandOutcome {
    /// The shell ended by itself.
    Ended(ProcessExit),
    /// It exceeded its time limit; the process group was killed.
    TimedOut {
        /// The time limit.
        after: Duration,
    },
    /// It was cancelled; the process group was killed.
    Cancelled,
    /// It exceeded its output limit; the process group was killed.
    TooMuchOutput {
        /// The output limit in bytes.
        bytes_max: u64,
    },
}

impl CommandOutcome {
    /// Returns whether the command exited with code 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Ended(ProcessExit::Code(0))
    }
}

impl From<ExitStatus> for ProcessExit {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            // A process that is only stopped is never reported as ended.
            (None, None) => Self::Code(status.into_raw()),
        }
    }
}

impl fmt::Display for ProcessExit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(out, "exit code {code}"),
            Self::Signal(signal) => match signal_name(*signal) {
                Some(name) => write!(out, "ended by signal {signal} ({name})"),
                None => write!(out, "ended by signal {signal}"),
            },
        }
    }
}

impl fmt::Display for CommandOutcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(ending) => ending.fmt(out),
            Self::TimedOut { after } => {
                write!(out, "timed out after {} s; the process group was killed", seconds(*after))
            }
            Self::Cancelled => write!(out, "stopped on request; the process group was killed"),
            Self::TooMuchOutput { bytes_max } => {
                write!(out, "wrote more than {bytes_max} bytes; the process group was killed")
            }
        }
    }
}

/// Formats seconds without trailing zeros: `120`, `0.5`.
fn seconds(duration: Duration) -> f64 {
    duration.as_millis() as f64 / 1000.0
}

/// Returns the name of a signal whose number is the same on every Unix.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        _ => return None,
    })
}
