//! The effect of a call as a value.

use serde::{Deserialize, Serialize};

use foveal_transcript::LineNumber;

/// The kind of an effect.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize,
)]
pub enum EffectKind {
    /// Shows the content of files.
    Read,
    /// Looks for text or names.
    Search,
    /// Lists names.
    List,
    /// Changes part of a file.
    Edit,
    /// Writes a whole file.
    Write,
    /// Runs a program, with any effect.
    Run,
    /// Fetches something from the network.
    Fetch,
    /// Anything else (plans, notes, questions, sub-agents).
    #[default]
    Other,
}

/// The lines of a file that a read asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ReadSpan {
    /// The whole file.
    All,
    /// From the first to the last line, both included; `None` is the end of the file.
    Lines(LineNumber, Option<LineNumber>),
    /// The last n lines.
    Tail(u32),
    /// A part that the call does not state.
    Unknown,
}

/// A file that a call shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTarget {
    /// The path, made absolute where the working directory is known, `.` and `..` resolved.
    pub path: String,
    /// The lines asked for.
    pub span: ReadSpan,
}

/// A change of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum WriteChange {
    /// Replaces `old` by `new`, once or everywhere.
    Replace {
        /// Text that must be in the file.
        old: String,
        /// Text that takes its place.
        new: String,
        /// Whether every occurrence is replaced.
        all: bool,
    },
    /// Replaces a range of lines, both ends included (SWE-agent's windowed edit).
    Lines {
        /// First line replaced.
        first: LineNumber,
        /// Last line replaced.
        last: LineNumber,
        /// Text that takes their place.
        new: String,
    },
    /// Inserts after a line (0: at the start).
    Insert {
        /// The line after which the text goes.
        after: u32,
        /// The text.
        new: String,
    },
    /// Sets the whole content.
    Content(String),
    /// Appends to the end.
    Append(String),
    /// Removes the file.
    Remove,
    /// Changes the file in a way that the call does not state (`sed -i`, `git checkout`, a
    /// formatter).
    Unknown,
}

/// A file that a call changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteTarget {
    /// The path, as in [`ReadTarget::path`]. With [`WriteChange::Unknown`] and
    /// [`WriteChange::Remove`] it may be a folder, which stands for everything in it.
    pub path: String,
    /// The changes, in order.
    pub change: WriteChange,
}

/// A part of the output of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum OutputPart {
    /// The lines of the read at this index in [`Effect::reads`].
    Lines(usize),
    /// Exactly this text (`echo ---` between two reads), without the last line break.
    Text(String),
    /// Output that the call does not determine.
    Unknown,
}

/// The effect of a call.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effect {
    /// The kind, which decides how the result is shaped.
    pub kind: EffectKind,
    /// The files whose content it shows, in output order.
    pub reads: Vec<ReadTarget>,
    /// The files that it changes.
    pub writes: Vec<WriteTarget>,
    /// The shell command line, for calls that run one.
    pub command: Option<String>,
    /// The reason for the change, if the model states one (`intent`, `description`).
    pub intent: Option<String>,
    /// Whether an earlier result may answer the same call while the files it depends on are
    /// unchanged. Never true for runs and changes.
    pub cacheable: bool,
    /// The working directory after the call, if the call changed it for later ones.
    pub directory_after: Option<String>,
    /// The files and folders that a search or list looks in; empty if the call names none.
    pub scopes: Vec<String>,
    /// The directory that relative paths in the result start from, if known.
    pub directory: Option<String>,
    /// The output of the call on success, in order.
    pub output: Vec<OutputPart>,
    /// Whether the client drops empty lines at the start of the output, so that the first line
    /// shown may be a later one.
    #[serde(default)]
    pub trims_start: bool,
    /// Whether the call asks for verbatim text, so that its new result is shown in full, even if
    /// the same content is visible elsewhere.
    #[serde(default)]
    pub verbatim: bool,
    /// Whether the call asks for the lines of a file that matter, however long it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub curated: bool,
    /// Whether the call uses one of foveal's own tools, by the name that a client gives it.
    #[serde(default)]
    pub is_own: bool,
}
