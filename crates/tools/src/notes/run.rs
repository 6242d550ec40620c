//! Notes on the run of a program.

use std::fmt::{self, Display, Formatter};

use foveal_screen::numbers::PlainCount;

/// A note on a program that ran or is running.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RunNote {
    /// The program did not end with plain success, but like this.
    Ended(Box<str>),
    /// This many bytes of the output are not valid text.
    Undecoded(u64),
    /// Processes that the program left in the background were ended.
    BackgroundEnded,
    /// The program changed to a folder where commands cannot start.
    Outside {
        /// The reason.
        why: Box<str>,
        /// The folder in which commands start.
        stays: Box<str>,
    },
    /// The program is not confined and may write anywhere, for this reason.
    Unconfined(Box<str>),
    /// During the run, files changed that a permission rule forbids to write.
    Forbidden {
        /// The first of them, each in quotes.
        files: Box<str>,
        /// The number of further files.
        more: usize,
    },
    /// The program printed nothing.
    NoOutput,
    /// The middle of the output is omitted.
    OutputCut {
        /// Lines.
        lines: u64,
        /// Bytes.
        bytes: u64,
    },
    /// The state of the terminal that the program runs in.
    Terminal {
        /// The number of the terminal.
        id: u32,
        /// The way it ended; `None` while it runs.
        ended: Option<Box<str>>,
    },
    /// The terminal was ended because the call was stopped.
    Stopped(u32),
    /// No terminal is open.
    NoTerminals,
}

impl Display for RunNote {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ended(how) => write!(f, "[{how}]"),
            Self::Undecoded(bytes) => {
                let bytes = PlainCount::new(*bytes, "byte");
                let are = bytes.verb();
                write!(f, "[{bytes} of the output {are} no UTF-8 and shown as \u{fffd}]")
            }
            Self::BackgroundEnded => {
                f.write_str("[processes left in the background were ended; exec keeps them]")
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
                let (lines, bytes) =
                    (PlainCount::new(*lines, "line"), PlainCount::new(*bytes, "byte"));
                write!(f, "[{lines} ({bytes}) of output left out here]")
            }
            Self::Terminal { id, ended } => {
                write!(f, "[terminal {id}: {}]", ended.as_deref().unwrap_or("running"))
            }
            Self::Stopped(id) => write!(f, "[stopped on request; terminal {id} was ended]"),
            Self::NoTerminals => f.write_str("[no terminals]"),
        }
    }
}
