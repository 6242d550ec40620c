//! Notes, as values: a note replaces content of a projection that is not shown.
//!
//! A rule makes a [`Note`]; its fields name the missing content, its place and how to get it. Its
//! text is rendered once, at the end, by `Display` in [`note_text`], and is never parsed again.

mod line_counts;
mod machine_file_kind;
mod note_text;

use serde::{Deserialize, Serialize};

use foveal_transcript::{EntryIndex, Handle};

pub use self::line_counts::ViewLineCounts;
pub use self::machine_file_kind::MachineFileKind;

/// First and last number of a range of lines of a file, both inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineNumberRange(pub u32, pub u32);

impl LineNumberRange {
    /// Returns whether the range contains `number`.
    pub fn contains(self, number: u32) -> bool {
        (self.0..=self.1).contains(&number)
    }
}

/// The amount of content that a note replaces; uncounted quantities are 0.
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
    /// Lines that report failures.
    #[serde(skip_serializing_if = "is_zero")]
    pub failures: u32,
}

/// The kind of a note, with its details.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoteKind {
    /// The whole result equals the result of an earlier call.
    SameResult {
        /// The call.
        call: Box<str>,
        /// The position of that call among the visible calls of this name, counted from the last,
        /// which is 1; `None` if it is the only one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_end: Option<u32>,
    },
    /// The lines, given by count or numbers, are visible above in the output or arguments of a
    /// call.
    SameLines {
        /// The call.
        call: Box<str>,
        /// Whether they are in the call's arguments, which the model wrote itself.
        is_own: bool,
        /// The position of that call among the calls of this name, as in [`NoteKind::SameResult`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from_end: Option<u32>,
    },
    /// A reminder that a client appends to results, equal to one above. Its lines belong to no
    /// file, and no other reminder of that name is visible.
    SameReminder {
        /// Its name, as in its tags.
        name: Box<str>,
    },
    /// The lines are visible above under their own numbers.
    Unchanged,
    /// All lines of the file in the result are visible above under their own numbers.
    AllUnchanged,
    /// The lines are visible above under these numbers of the same file, or of the named other
    /// file.
    SameAs(LineNumberRange),
    /// The lines are visible above under several or unknown numbers, or in the named other file.
    Shown,
    /// Hits that are visible above; `lines` lists each of them.
    HitsShown {
        /// The positions in `lines` of context lines of hits.
        context: Vec<u32>,
    },
    /// Lines or hits are omitted.
    LeftOut {
        /// Names that occur in them.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        names: Vec<Box<str>>,
        /// Whether there are more names.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        has_more: bool,
    },
    /// Encoded bytes are omitted from a line.
    Encoded(DataEncoding),
    /// Rows of a hex dump are omitted.
    DumpRows,
    /// The middle of a long line is omitted.
    LineCut,
    /// The whole result is no longer shown.
    Cleared,
    /// The lines before the note are repeated.
    Repeated {
        /// The number of lines in the pattern.
        period: u32,
        /// The number of repetitions after the first occurrence.
        times: u32,
    },
    /// Only every nth line has its number; the others count up.
    EveryNumbered(u32),
    /// The file of the hits below.
    Heading,
    /// A curator's remark on the lines below.
    Remark(Box<str>),
    /// The kind and length of a file of which only head and end are shown.
    EndsOf(MachineFileKind),
    /// The share of a file's lines that a curated view shows.
    Curated(ViewLineCounts),
    /// The handle of omitted content.
    Behind,
    /// Lines of a file that are missing in its outline, a view or a map.
    Hidden {
        /// The definition that they are part of, or that they precede.
        of: Option<Box<str>>,
        /// Whether they precede it.
        is_before: bool,
        /// The names defined in them.
        names: Vec<Box<str>>,
        /// The number of further definitions.
        more: u32,
    },
    /// Further files are not shown.
    MoreFiles,
    /// The rest of a result is omitted because the answer is full.
    NoRoom {
        /// The line of the result in which the rest begins, counted from 1.
        line: u32,
        /// The byte of that line at which it begins.
        from_byte: u32,
    },
    /// The words of another tool's rule, replayed for comparison.
    Quoted(Box<str>),
}

/// The encoding of bytes that are omitted from a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataEncoding {
    /// Long hexadecimal.
    Hexadecimal,
    /// Base64, in either alphabet.
    Base64,
    /// Remains of binary data in text.
    Binary,
}

/// The place of the content that a note replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteTarget {
    /// In the same prompt, in the entries that the note refers to.
    Above,
    /// Right before the note.
    Before,
    /// Not in the prompt.
    Omitted,
    /// The note replaces no content: it describes what is shown.
    NoContent,
}

/// A note in place of content, or on content that is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The kind and its details.
    pub kind: NoteKind,
    /// The file that the note is about, as spelled, if it is not the file of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<Box<str>>,
    /// The lines that the note replaces, by their numbers in the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lines: Vec<LineNumberRange>,
    /// The amount of content that the note replaces.
    #[serde(default, skip_serializing_if = "Counts::is_none")]
    pub counts: Counts,
    /// The handle of the whole result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<Handle>,
    /// The entries that the note points at, ascending; all must be visible in the same prompt.
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
    /// Lines or hits are omitted, without names.
    pub const LEFT_OUT: Self = Self::LeftOut { names: Vec::new(), has_more: false };

    /// Returns the place of the content that a note of this kind replaces.
    pub fn target(&self) -> NoteTarget {
        match self {
            Self::SameResult { .. }
            | Self::SameLines { .. }
            | Self::SameReminder { .. }
            | Self::Unchanged
            | Self::AllUnchanged
            | Self::SameAs(_)
            | Self::Shown
            | Self::HitsShown { .. } => NoteTarget::Above,
            Self::Repeated { .. } => NoteTarget::Before,
            Self::LeftOut { .. }
            | Self::Encoded(_)
            | Self::DumpRows
            | Self::LineCut
            | Self::Cleared
            | Self::Behind
            | Self::Hidden { .. }
            | Self::MoreFiles
            | Self::NoRoom { .. }
            | Self::Quoted(_) => NoteTarget::Omitted,
            Self::EveryNumbered(_)
            | Self::Heading
            | Self::Remark(_)
            | Self::EndsOf(_)
            | Self::Curated(_) => NoteTarget::NoContent,
        }
    }
}

impl Note {
    /// Creates a note of a kind with all other fields empty.
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

    /// Returns the place of the content that the note replaces.
    pub fn target(&self) -> NoteTarget {
        self.kind.target()
    }
}
