//! What a call does, as a value.

use serde::{Deserialize, Serialize};

use foveal_transcript::LineNumber;

/// What a call does, in one word.
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
    /// Puts a whole file.
    Write,
    /// Runs a program; may do anything.
    Run,
    /// Gets something from the network.
    Fetch,
    /// Anything else (plans, notes, questions, sub-agents).
    #[default]
    Other,
}

/// Which lines of a file a read asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Span {
    /// The whole file.
    All,
    /// From the first to the last line, both included; `None` is the end of the file.
    Lines(LineNumber, Option<LineNumber>),
    /// The last n lines.
    Tail(u32),
    /// Some part that the call does not tell.
    Unknown,
}

/// One file a call shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadTarget {
    /// The path, made absolute where the working directory is known, `.` and `..` resolved.
    pub path: String,
    /// The lines asked for.
    pub span: Span,
}

/// How a call changes a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Change {
    /// Replaces `old` by `new`, once or everywhere.
    Replace {
        /// Text that must be in the file.
        old: String,
        /// Text that takes its place.
        new: String,
        /// Every occurrence rather than one.
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
    /// Puts the whole content.
    Content(String),
    /// Adds to the end.
    Append(String),
    /// Removes the file.
    Remove,
    /// Changes it in a way the call does not tell (`sed -i`, `git checkout`, a formatter).
    Unknown,
}

/// One file a call changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WriteTarget {
    /// The path, as in [`ReadTarget::path`]. With [`Change::Unknown`] and [`Change::Remove`]
    /// it may be a folder's, which stands for everything in it.
    pub path: String,
    /// The changes, in order.
    pub change: Change,
}

/// One part of what a call prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// The lines of the read with this place in [`Effect::reads`].
    Lines(usize),
    /// Exactly this text (`echo ---` between two reads), without the last line break.
    Text(String),
    /// Something that the call does not tell.
    Unknown,
}

/// What a call does.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Effect {
    /// The kind that decides how its result is shaped.
    pub kind: EffectKind,
    /// Files whose content it shows, in the order it shows them.
    pub reads: Vec<ReadTarget>,
    /// Files it changes.
    pub writes: Vec<WriteTarget>,
    /// The shell command line, for calls that are one.
    pub command: Option<String>,
    /// Why the model makes the change, where it says so (`intent`, `description`).
    pub intent: Option<String>,
    /// Whether the same call may be answered from an earlier result while the files it
    /// depends on are unchanged. Never true for runs and changes.
    pub cacheable: bool,
    /// The working directory after the call, where the call changed it for later ones.
    pub directory_after: Option<String>,
    /// Files and folders that a search or list looks in; empty where the call names none.
    pub scopes: Vec<String>,
    /// The directory that relative paths in the result start from, where it is known.
    pub directory: Option<String>,
    /// What the call prints, in order, when it succeeds.
    pub output: Vec<Output>,
    /// Whether the client leaves out empty lines at the start of what is printed, so that the
    /// first line may be a later one.
    #[serde(default)]
    pub trims_start: bool,
    /// Whether the call asks for text as it is, so that its result is shown in full when it
    /// comes, whatever else shows the same.
    #[serde(default)]
    pub verbatim: bool,
    /// Whether the call is of one of foveal's own tools, by the name that a client gives it.
    #[serde(default)]
    pub is_own: bool,
}
