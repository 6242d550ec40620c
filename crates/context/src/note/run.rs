//! How a program ended, and what of its output is not shown.

use std::fmt::{self, Formatter};

use serde::{Deserialize, Serialize};

/// What there is to know of a program that ran, or runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum RunNote {
    /// How it ended, where that is not plain success.
    Ended(Box<str>),
    /// So many bytes of its output are no text.
    Undecoded(u64),
    /// What it left in the background was ended.
    BackgroundEnded,
    /// Programs of these names left it and go on.
    Daemons(Box<str>),
    /// It went to a folder where commands cannot start.
    Outside {
        /// Why they cannot.
        why: Box<str>,
        /// Where they start.
        stays: Box<str>,
    },
    /// It may write anywhere.
    Unconfined(Box<str>),
    /// While it ran, files changed that a rule forbids to write: so many of them.
    Forbidden {
        /// The first of them, each in quotes.
        files: Box<str>,
        /// How many there are beyond those.
        more: usize,
    },
    /// It printed nothing.
    NoOutput,
    /// The middle of its output is left out.
    OutputCut {
        /// Lines.
        lines: u64,
        /// Bytes.
        bytes: u64,
    },
    /// The terminal that it runs in.
    Terminal {
        /// The terminal.
        id: u32,
        /// How it ended; `None`: it runs.
        ended: Option<Box<str>>,
    },
    /// The terminal was ended because the call was stopped.
    Stopped(u32),
    /// No terminal is open.
    NoTerminals,
}

impl RunNote {
    pub(super) fn write(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(how) => write!(f, "[{how}]"),
            Self::Undecoded(bytes) => {
                write!(f, "[{bytes} bytes of the output are no UTF-8 and shown as \u{fffd}]")
            }
            Self::BackgroundEnded => {
                f.write_str("[processes left in the background were ended; exec keeps them]")
            }
            Self::Daemons(names) => {
                write!(
                    f,
                    "[still running, in sessions of their own: {names}; they end with foveal]"
                )
            }
            Self::Outside { why, stays } => {
                write!(f, "[{why}; the working directory stays {stays}]")
            }
            Self::Unconfined(why) => write!(f, "[{why}]"),
            Self::Forbidden { files, more } => {
                write!(f, "[changed meanwhile: {files}")?;
                if *more > 0 {
                    write!(f, " and {more} more")?;
                }
                f.write_str("; a permission rule forbids writing there: tell the user]")
            }
            Self::NoOutput => f.write_str("[no output]"),
            Self::OutputCut { lines, bytes } => {
                write!(f, "[{lines} lines ({bytes} bytes) of output left out here]")
            }
            Self::Terminal { id, ended } => {
                write!(f, "[terminal {id}: {}]", ended.as_deref().unwrap_or("running"))
            }
            Self::Stopped(id) => write!(f, "[stopped on request; terminal {id} was ended]"),
            Self::NoTerminals => f.write_str("[no terminals]"),
        }
    }
}
