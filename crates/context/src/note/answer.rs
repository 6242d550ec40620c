//! What stands before an answer, or in place of one.

use std::fmt::{self, Formatter};

use serde::{Deserialize, Serialize};

/// What there is to know of an answer as a whole.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerNote {
    /// It was given before, at this time of day on the user's own clock.
    Cached {
        /// From 0 to 23; larger ones wrap around, here and below.
        hour: u8,
        /// From 0 to 59.
        minute: u8,
        /// From 0 to 59.
        second: u8,
    },
    /// Nothing was written, because the files hold this already.
    NothingWritten,
    /// The folder in which commands start is gone.
    FolderGone {
        /// That folder.
        gone: Box<str>,
        /// Where they start now.
        now: Box<str>,
    },
    /// A process ended in the middle of changing files, which hold again what they held before.
    CutOffTakenBack {
        /// The files, each in quotes.
        files: Box<str>,
    },
    /// The same, but somebody else changed the files since, so that they are left as they are.
    CutOffLeft {
        /// The files, each in quotes.
        files: Box<str>,
        /// Files with the texts from before and after, each in quotes.
        kept: Box<str>,
    },
    /// All that was shown is forgotten.
    Forgotten,
    /// The files below are in focus.
    InFocus,
    /// No file is in focus.
    NoFocus,
    /// A page of the web goes on.
    PageCut,
    /// A page of the web is told by its text alone.
    PagePlain,
    /// The file that the note names follows, and how it is shown.
    File(Showing),
    /// How many lines of the file are shown.
    LinesShown {
        /// Lines that the file has.
        all: u32,
        /// Those that are shown.
        shown: u32,
    },
    /// How many lines are shown of a file whose lines were not counted.
    BytesShown {
        /// Bytes that the file has.
        bytes: u64,
        /// Lines that are shown.
        shown: u32,
    },
    /// What is unusual about the file: its encoding, say.
    Unusual(Box<str>),
    /// The file that the note names follows; how much of it is sent is decided later.
    FileNamed,
    /// How many lines the file has; how many of them are sent is decided later.
    LinesThere {
        /// Lines that the file has.
        all: u32,
    },
    /// How many bytes the file has; the same.
    BytesThere {
        /// Bytes that the file has.
        bytes: u64,
    },
}

/// How a file is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Showing {
    /// All of it.
    Full,
    /// The lines that matter.
    Curated,
    /// What does not stand above.
    NotAbove,
    /// All lines, some of them in part.
    LongLinesCut,
    /// The first lines.
    Beginning,
    /// What is defined in it.
    Structure,
    /// Not at all: it has no text, but is this.
    NoText(Box<str>),
    /// Not at all: there is no room.
    NoRoom,
    /// Not at all: an error follows.
    Failed,
}

impl AnswerNote {
    pub(super) fn write(&self, f: &mut Formatter<'_>, file: &str) -> fmt::Result {
        match self {
            Self::Cached { hour, minute, second } => {
                let (hour, minute, second) = (hour % 24, minute % 60, second % 60);
                let half = if hour < 12 { "AM" } else { "PM" };
                let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
                write!(f, "[Cached result from {hour:02}:{minute:02}:{second:02} {half}]")
            }
            Self::NothingWritten => {
                f.write_str("[nothing was written: the files hold this already]")
            }
            Self::FolderGone { gone, now } => {
                write!(f, "[the folder `{gone}` is gone; commands and paths now start in `{now}`]")
            }
            Self::CutOffTakenBack { files } => write!(
                f,
                "[a process ended in the middle of changing {files}; they hold again what they \
                 held before]"
            ),
            Self::CutOffLeft { files, kept } => {
                write!(
                    f,
                    "[a process ended in the middle of changing {files}, and somebody changed them \
                     since: some are as before and some as after"
                )?;
                match kept.is_empty() {
                    true => f.write_str("]"),
                    false => write!(f, "; texts that none of them holds are in {kept}]"),
                }
            }
            Self::Forgotten => {
                f.write_str("forgotten: everything is shown anew when you ask for it")
            }
            Self::InFocus => f.write_str("In focus:"),
            Self::NoFocus => f.write_str("[no files are in focus]"),
            Self::PageCut => f.write_str("[the page is longer; this is its beginning]"),
            Self::PagePlain => f.write_str(
                "[the page could not be turned into Markdown; this is its text without markup]",
            ),
            Self::File(showing) => write!(f, "File: {file} ({showing})"),
            Self::LinesShown { all, shown } => {
                let share = (u64::from(*shown) * 100).checked_div(u64::from(*all)).unwrap_or(100);
                write!(f, "Total lines: {all} | Preserved: {shown} ({share} %)")
            }
            Self::BytesShown { bytes, shown } => {
                write!(f, "Total bytes: {bytes} | Preserved: {shown} lines")
            }
            Self::Unusual(what) => f.write_str(what),
            Self::FileNamed => write!(f, "File: {file}"),
            Self::LinesThere { all } => write!(f, "Total lines: {all}"),
            Self::BytesThere { bytes } => write!(f, "Total bytes: {bytes}"),
        }
    }
}

impl fmt::Display for Showing {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Full => "full",
            Self::Curated => "curated",
            Self::NotAbove => "what is not shown above",
            Self::LongLinesCut => "long lines cut",
            Self::Beginning => "beginning",
            Self::Structure => "structure",
            Self::NoText(what) => what,
            Self::NoRoom => "not read: the answer is long already",
            Self::Failed => "failed",
        })
    }
}
