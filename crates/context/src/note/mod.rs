//! Notes: what a projection says in place of what it does not show, as values.
//!
//! A rule makes a [`Note`]; what is missing, where it stands and how to get it is read from its
//! fields. Its text is made once, last, by [`Note`]'s `Display` in [`text`], and never read again.

mod answer;
mod change;
mod file_sort;
mod run;
mod search;
mod text;

use serde::{Deserialize, Serialize};

use foveal_transcript::{EntryIndex, Handle};

pub use self::answer::{AnswerNote, Showing};
pub use self::change::{ChangeKind, ChangeNote, NoWayBack, WayBack, WayBackKind};
pub use self::file_sort::FileSort;
pub use self::run::RunNote;
pub use self::search::{PageOf, SearchNote};

/// First and last of some lines of a file, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lines(pub u32, pub u32);

impl Lines {
    /// Whether the line with this number is one of them.
    pub fn has(self, number: u32) -> bool {
        (self.0..=self.1).contains(&number)
    }
}

/// How much a note stands for; what is not counted is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// Lines.
    #[serde(skip_serializing_if = "is_zero")]
    pub lines: u32,
    /// Bytes.
    #[serde(skip_serializing_if = "is_zero")]
    pub bytes: u32,
    /// Lines that a search found.
    #[serde(skip_serializing_if = "is_zero")]
    pub hits: u32,
    /// Files that the hits are in.
    #[serde(skip_serializing_if = "is_zero")]
    pub files: u32,
    /// Lines that tell of failures.
    #[serde(skip_serializing_if = "is_zero")]
    pub failures: u32,
}

/// What a note tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoteKind {
    /// The whole result is the one of an earlier call.
    SameResult {
        /// That call.
        call: Box<str>,
        /// Its place among the calls of this name that stand above, counted from the last, which is
        /// 1; `None`: there is no other.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_end: Option<u32>,
    },
    /// The lines, so many or those with these numbers, stand above in what a call printed or said.
    SameLines {
        /// That call.
        call: Box<str>,
        /// Whether they stand in its arguments, which the model wrote itself.
        is_own: bool,
        /// Its place among the calls of this name, as in a note on a whole result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_end: Option<u32>,
    },
    /// A reminder that a client puts behind results, word for word as above. Lines of no file, and
    /// no other reminder of that name is visible.
    SameReminder {
        /// Its name, as in its tags.
        name: Box<str>,
    },
    /// The lines stand above at their own numbers.
    Unchanged,
    /// All lines of the file that the result has stand above at their own numbers.
    AllUnchanged,
    /// The lines stand above, as other lines of the same file or as these of another, which is
    /// named.
    SameAs(Lines),
    /// The lines stand above at several or unknown numbers, or as lines of another file, which is
    /// named.
    Shown,
    /// Hits that stand above; `lines` has each of them.
    HitsShown {
        /// Which of `lines` are context of hits, by their place in it.
        context: Vec<u32>,
    },
    /// Lines or hits are left out.
    LeftOut {
        /// Names that stand in them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        names: Vec<Box<str>>,
        /// Whether there are more names.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        has_more: bool,
    },
    /// Bytes that no reader makes sense of are left out of a line.
    Encoded(Encoding),
    /// Rows of a hex dump are left out.
    DumpRows,
    /// The middle of a long line is left out.
    LineCut,
    /// The whole result is not shown any more.
    Cleared,
    /// A text of an edit, which a note beside it tells of.
    EditText,
    /// The text that an edit replaced.
    ReplacedText,
    /// An edit that an earlier note on the same file tells of.
    ToldAbove,
    /// Edits of a file.
    Edits(Box<ToldEdits>),
    /// The lines before the note are repeated.
    Repeated {
        /// How many lines make the pattern.
        period: u32,
        /// How often it is repeated, the first time not counted.
        times: u32,
    },
    /// Only some lines have their number; the others count up.
    EveryNumbered(u32),
    /// The file of the hits below.
    Heading,
    /// What a curator says of the lines below.
    Remark(Box<str>),
    /// What sort of file it is, how long, and that its ends are shown.
    EndsOf(FileSort),
    /// What is missing can be had.
    Behind,
    /// Lines of a file that its structure, a view or a map does not show.
    Hidden {
        /// What they are in, or before what they stand.
        of: Option<Box<str>>,
        /// Whether they stand before it.
        is_before: bool,
        /// What is defined in them.
        names: Vec<Box<str>>,
        /// How many more definitions there are.
        more: u32,
    },
    /// So many files more are not shown.
    MoreFiles,
    /// The rest of a file is left out.
    Rest(Why),
    /// The rest of a line is left out.
    LineRest {
        /// The tool that gives it.
        tool: Giver,
        /// The line, by its number where the tool counts.
        line: u32,
        /// Where in the line it begins.
        from_byte: u64,
    },
    /// The rest of a result, for which an answer has no room.
    NoRoom {
        /// The line of the result in which it begins, from 1.
        line: u32,
        /// Where in that line.
        from_byte: u32,
    },
    /// There are more lines, from this one on.
    GoOn(u64),
    /// The file ends before the lines that were asked for.
    Ends,
    /// The lines are a part of so many.
    PartOf(u32),
    /// Others changed the lines since they were shown.
    ChangedByOthers,
    /// The file is as it was when it was shown.
    UnchangedFile {
        /// How many of its lines stand above, where that is not all.
        shown: Option<u32>,
        /// Whether it is longer than one answer.
        is_long: bool,
    },
    /// A folder could not be looked into.
    Passed {
        /// Why.
        why: Box<str>,
    },
    /// What a search or a listing does not show.
    Search(Box<SearchNote>),
    /// What was done to a file.
    Change(Box<ChangeNote>),
    /// How a program ran.
    Run(Box<RunNote>),
    /// What an answer is.
    Answer(Box<AnswerNote>),
    /// The words of another tool's rule, replayed for comparison.
    Quoted(Box<str>),
}

/// A tool that gives the rest of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Giver {
    /// `read_lines`, of a file.
    ReadLines,
    /// `expand`, of what is kept.
    Expand,
}

/// Why the rest of a file is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Why {
    /// The answer is full.
    Full,
    /// The file is too long to be curated.
    Uncurated,
    /// The file is too long to be parsed.
    Unparsed,
    /// The file is too large to be read at once.
    Large,
}

/// What bytes that are left out of a line encode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// Long hexadecimal.
    Hexadecimal,
    /// Base64, in either alphabet.
    Base64,
    /// What is left of binary data in text.
    Binary,
}

/// Edits of one file that a note tells of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToldEdits {
    /// How many there were.
    pub count: u32,
    /// The first and the last response that made one.
    pub turns: (u32, u32),
    /// What they did, and how often.
    pub changes: Vec<(Box<str>, u32)>,
    /// How many more there were, where not all are in `changes`.
    pub more: u32,
}

/// Where what a note stands for can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// In the same prompt, in the entries that the note refers to.
    Above,
    /// Right before the note.
    Before,
    /// Not in the prompt.
    LeftOut,
    /// It stands for nothing: it says something of what is shown.
    Nothing,
}

/// What stands in place of something, or tells something of what is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// What it tells.
    pub kind: NoteKind,
    /// The file it speaks of, as it is spelled, where that is not the file of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<str>>,
    /// The lines it stands for, by their numbers in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<Lines>,
    /// How much it stands for.
    #[serde(default, skip_serializing_if = "Counts::is_none")]
    pub counts: Counts,
    /// What gives back all of the result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
    /// The entries it points at, ascending; all must be visible in the same prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refers_to: Vec<EntryIndex>,
}

impl Counts {
    fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

impl NoteKind {
    /// Lines or hits left out, with no names told.
    pub const LEFT_OUT: Self = Self::LeftOut { names: Vec::new(), has_more: false };

    /// Where what such a note stands for can be read.
    pub fn standing(&self) -> Standing {
        match self {
            Self::SameResult { .. }
            | Self::SameLines { .. }
            | Self::SameReminder { .. }
            | Self::Unchanged
            | Self::AllUnchanged
            | Self::SameAs(_)
            | Self::Shown
            | Self::HitsShown { .. }
            | Self::UnchangedFile { .. } => Standing::Above,
            Self::Repeated { .. } => Standing::Before,
            Self::LeftOut { .. }
            | Self::Encoded(_)
            | Self::DumpRows
            | Self::LineCut
            | Self::Cleared
            | Self::EditText
            | Self::ReplacedText
            | Self::ToldAbove
            | Self::Edits(_)
            | Self::Behind
            | Self::Hidden { .. }
            | Self::MoreFiles
            | Self::Rest(_)
            | Self::LineRest { .. }
            | Self::NoRoom { .. }
            | Self::GoOn(_)
            | Self::PartOf(_)
            | Self::Passed { .. }
            | Self::Search(_)
            | Self::Quoted(_) => Standing::LeftOut,
            Self::EveryNumbered(_)
            | Self::Heading
            | Self::Remark(_)
            | Self::EndsOf(_)
            | Self::Ends
            | Self::ChangedByOthers
            | Self::Change(_)
            | Self::Run(_)
            | Self::Answer(_) => Standing::Nothing,
        }
    }
}

impl Note {
    /// A note of a kind, with nothing else said.
    pub fn new(kind: NoteKind) -> Self {
        Self {
            kind,
            file: None,
            lines: Vec::new(),
            counts: Counts::default(),
            handle: None,
            refers_to: Vec::new(),
        }
    }

    /// The note, of the file that is spelled so.
    #[must_use]
    pub fn of_file(self, file: &str) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// Where what the note stands for can be read.
    pub fn standing(&self) -> Standing {
        self.kind.standing()
    }
}

impl From<SearchNote> for Note {
    fn from(note: SearchNote) -> Self {
        Self::new(NoteKind::Search(Box::new(note)))
    }
}

impl From<ChangeNote> for Note {
    fn from(note: ChangeNote) -> Self {
        Self::new(NoteKind::Change(Box::new(note)))
    }
}

impl From<RunNote> for Note {
    fn from(note: RunNote) -> Self {
        Self::new(NoteKind::Run(Box::new(note)))
    }
}

impl From<AnswerNote> for Note {
    fn from(note: AnswerNote) -> Self {
        Self::new(NoteKind::Answer(Box::new(note)))
    }
}
