//! Notes on an answer as a whole.

use std::fmt::{self, Display, Formatter};

use foveal_engine::note::ViewLineCounts;
use foveal_screen::numbers::PlainCount;

/// A note on an answer as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AnswerNote {
    /// The answer was given before, at this time on the user's clock.
    Cached {
        /// From 0 to 23; larger ones wrap around, here and below.
        hour: u8,
        /// From 0 to 59.
        minute: u8,
        /// From 0 to 59.
        second: u8,
    },
    /// Nothing was written: the files have this content already.
    NothingWritten,
    /// The folder in which commands start no longer exists.
    FolderGone {
        /// The folder.
        gone: Box<str>,
        /// The folder in which they start now.
        now: Box<str>,
    },
    /// A process ended while it changed files; their old content is restored.
    CutOffTakenBack {
        /// The files, each in quotes.
        files: Box<str>,
    },
    /// A process ended while it changed files, which were changed again since, so that they are
    /// left as they are.
    CutOffLeft {
        /// The files, each in quotes.
        files: Box<str>,
        /// Files that hold the old and new texts, each in quotes.
        kept: Box<str>,
    },
    /// The session no longer knows what was shown.
    Forgotten,
    /// The files below are in focus.
    InFocus,
    /// No file is in focus.
    NoFocus,
    /// A web page is cut at its end.
    PageCut,
    /// A web page is shown as plain text.
    PagePlain,
    /// A file follows, displayed in this mode.
    File {
        /// The file, as spelled.
        file: Box<str>,
        /// The mode.
        mode: FileDisplayMode,
    },
    /// The number of lines shown of the file.
    LinesShown {
        /// Lines that the file has.
        all: u32,
        /// Lines shown.
        shown: u32,
    },
    /// The number of lines shown of a file whose lines were not counted.
    BytesShown {
        /// Bytes that the file has.
        bytes: u64,
        /// Lines shown.
        shown: u32,
    },
    /// A peculiarity of the file, such as its encoding.
    Unusual(Box<str>),
    /// This file follows; the amount to send is decided later.
    FileNamed(Box<str>),
    /// The number of lines of the file; the amount to send is decided later.
    LinesThere {
        /// Lines that the file has.
        all: u32,
    },
    /// The number of bytes of the file; the amount to send is decided later.
    BytesThere {
        /// Bytes that the file has.
        bytes: u64,
    },
}

/// The mode in which a file is displayed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileDisplayMode {
    /// The whole file.
    Full,
    /// The lines that matter to the conversation.
    Curated,
    /// The parts that are not shown above.
    NotAbove,
    /// All lines, long ones shortened.
    LongLinesCut,
    /// The first lines.
    Beginning,
    /// Its definitions.
    Structure,
    /// Not displayed: the file is not text but this.
    NoText(Box<str>),
    /// Not displayed: the answer is full.
    NoRoom,
    /// Not displayed: an error follows.
    Failed,
}

impl Display for AnswerNote {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cached { hour, minute, second } => {
                let (hour, minute, second) = (hour % 24, minute % 60, second % 60);
                let half = if hour < 12 { "AM" } else { "PM" };
                let hour = if hour % 12 == 0 { 12 } else { hour % 12 };
                write!(f, "[Cached result from {hour:02}:{minute:02}:{second:02} {half}]")
            }
            Self::NothingWritten => f.write_str(
                "[nothing was written: the files already have this content. The earlier answer was:]",
            ),
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
                f.write_str("done: what you read from now on is shown in full again")
            }
            Self::InFocus => f.write_str("In focus:"),
            Self::NoFocus => f.write_str("[no files are in focus]"),
            Self::PageCut => f.write_str("[the page is longer; this is its beginning]"),
            Self::PagePlain => f.write_str(
                "[the page could not be turned into Markdown; this is its text without markup]",
            ),
            Self::File { file, mode } => write!(f, "File: {file} ({mode})"),
            Self::LinesShown { all, shown } => {
                let share = ViewLineCounts { shown: *shown, all: *all };
                write!(f, "Total lines: {all} | Preserved: {shown} ({share})")
            }
            Self::BytesShown { bytes, shown } => {
                let shown = PlainCount::new(*shown, "line");
                write!(f, "Total bytes: {bytes} | Preserved: {shown}")
            }
            Self::Unusual(what) => f.write_str(what),
            Self::FileNamed(file) => write!(f, "File: {file}"),
            Self::LinesThere { all } => write!(f, "Total lines: {all}"),
            Self::BytesThere { bytes } => write!(f, "Total bytes: {bytes}"),
        }
    }
}

impl Display for FileDisplayMode {
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
