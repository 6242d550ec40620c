//! How a command came to its end, as a value and as the words a model reads.

use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a process ended by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ending {
    /// It returned a code; 0 is success.
    Code(i32),
    /// A signal ended it.
    Signal(i32),
}

/// How a command came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// The shell ended by itself.
    Ended(Ending),
    /// It ran longer than allowed; the process group was killed.
    TimedOut {
        /// The time it was allowed.
        after: Duration,
    },
    /// The call was cancelled; the process group was killed.
    Cancelled,
    /// It wrote more than allowed; the process group was killed.
    TooMuchOutput {
        /// The bytes it was allowed.
        bytes_max: u64,
    },
}

impl Outcome {
    /// Whether the command ended by itself with code 0.
    #[must_use]
    pub fn is_success(self) -> bool {
        self == Self::Ended(Ending::Code(0))
    }
}

impl From<ExitStatus> for Ending {
    fn from(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Code(code),
            (None, Some(signal)) => Self::Signal(signal),
            // A process that only stopped is never reported as ended.
            (None, None) => Self::Code(status.into_raw()),
        }
    }
}

impl fmt::Display for Ending {
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

impl fmt::Display for Outcome {
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

/// `120`, `0.5`: no digits that say nothing.
fn seconds(duration: Duration) -> f64 {
    duration.as_millis() as f64 / 1000.0
}

/// Names of the signals whose numbers are the same on every Unix.
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
