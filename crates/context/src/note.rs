//! Notes: what a projection says in place of what it does not show, as values.
//!
//! A rule makes a [`Note`]; what is missing, where it stands and how to get it is read from its
//! fields. Its text is made once, last, by [`Note`]'s `Display`, and never read again.

use std::fmt::{self, Display, Formatter, Write};

use serde::{Deserialize, Serialize};

use foveal_transcript::{EntryIndex, Handle};

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
    },
    /// So many lines stand above in what a call printed or said.
    SameLines {
        /// That call.
        call: Box<str>,
        /// Whether they stand in its arguments, which the model wrote itself.
        is_own: bool,
    },
    /// The lines stand above at their own numbers.
    Unchanged,
    /// The lines stand above, as other lines of the same file.
    SameAs(Lines),
    /// The lines stand above at several or unknown numbers.
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
    /// What is missing can be had.
    Behind,
    /// The words of another tool's rule, replayed for comparison.
    Quoted(Box<str>),
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

impl Display for Encoding {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Hexadecimal => "hexadecimal",
            Self::Base64 => "base64",
            Self::Binary => "binary data",
        })
    }
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
            | Self::Unchanged
            | Self::SameAs(_)
            | Self::Shown
            | Self::HitsShown { .. } => Standing::Above,
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
            | Self::Quoted(_) => Standing::LeftOut,
            Self::EveryNumbered(_) | Self::Heading | Self::Remark(_) => Standing::Nothing,
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

    /// Where what the note stands for can be read.
    pub fn standing(&self) -> Standing {
        self.kind.standing()
    }

    /// Bytes of the text.
    pub fn text_len(&self) -> usize {
        let mut counted = Counted(0);
        // Counting cannot fail.
        let _ = write!(counted, "{self}");
        counted.0
    }
}

/// Counts what is written.
struct Counted(usize);

impl Write for Counted {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

impl Display for Note {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Counts { lines, bytes, .. } = self.counts;
        match &self.kind {
            NoteKind::SameResult { call } => write!(f, "[same result as `{call}` above]"),
            NoteKind::SameLines { call, is_own } => {
                let whose = if *is_own { "your " } else { "" };
                write!(f, "[{lines} lines as above in {whose}`{call}`]")
            }
            NoteKind::Unchanged => write!(f, "[{}: unchanged, shown above]", self.range()),
            NoteKind::SameAs(there) => write!(f, "[{}: same as {there} above]", self.range()),
            NoteKind::Shown => write!(f, "[{}: shown above]", self.range()),
            NoteKind::HitsShown { context } => self.hits_shown(f, context),
            NoteKind::LeftOut { names, has_more } => self.left_out(f, names, *has_more),
            NoteKind::Encoded(what) => {
                write!(f, "[{bytes} bytes of {what} left out")?;
                self.end(f)
            }
            NoteKind::DumpRows => {
                write!(f, "[{lines} more rows of a hex dump left out")?;
                self.end(f)
            }
            NoteKind::LineCut => {
                write!(f, "[… {bytes} bytes of this line left out")?;
                self.end(f)
            }
            NoteKind::Cleared => {
                write!(f, "[{lines} lines, {bytes} bytes no longer shown")?;
                self.end(f)
            }
            NoteKind::EditText => write!(f, "[{lines} lines]"),
            NoteKind::ReplacedText => {
                write!(f, "[{lines} lines that this edit replaced")?;
                self.end(f)
            }
            NoteKind::ToldAbove => {
                write!(f, "[told above in the edits to {}", self.file())?;
                self.end(f)
            }
            NoteKind::Edits(edits) => self.edits(f, edits),
            NoteKind::Repeated { period: 1, times } => {
                write!(f, "[last line repeated {times} more times]")
            }
            NoteKind::Repeated { period, times } => {
                write!(f, "[last {period} lines repeated {times} more times]")
            }
            NoteKind::EveryNumbered(every) => write!(f, "[every {every}th line numbered]"),
            NoteKind::Heading => f.write_str(self.file()),
            NoteKind::Remark(text) => write!(f, "[{text}]"),
            NoteKind::Behind => match self.handle {
                Some(handle) => write!(f, "[expand {handle}]"),
                None => Ok(()),
            },
            NoteKind::Quoted(text) => f.write_str(text),
        }
    }
}

impl Display for Lines {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.0, self.1)
    }
}

impl Note {
    /// The one range of lines that most notes stand for.
    fn range(&self) -> Lines {
        self.lines.first().copied().unwrap_or(Lines(0, 0))
    }

    fn file(&self) -> &str {
        self.file.as_deref().unwrap_or_default()
    }

    /// How to get what is missing, and the closing bracket.
    fn end(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.handle {
            Some(handle) => write!(f, "; expand {handle}]"),
            None => f.write_char(']'),
        }
    }

    fn hits_shown(&self, f: &mut Formatter<'_>, context: &[u32]) -> fmt::Result {
        f.write_char('[')?;
        if !self.file().is_empty() {
            write!(f, "{} ", self.file())?;
        }
        for (at, lines) in (0u32..).zip(&self.lines) {
            f.write_str(if at == 0 { "" } else { ", " })?;
            let Lines(first, last) = lines;
            match (context.contains(&at), first == last) {
                (false, _) => write!(f, "{first}")?,
                (true, true) => write!(f, "({first})")?,
                (true, false) => write!(f, "({lines})")?,
            }
        }
        f.write_str(": shown above]")
    }

    fn left_out(&self, f: &mut Formatter<'_>, names: &[Box<str>], has_more: bool) -> fmt::Result {
        let Counts { lines, bytes, hits, files, failures } = self.counts;
        if let Some(range) = self.lines.first() {
            write!(f, "[{range}")?;
        } else if hits > 0 {
            let files_word = if files == 1 { "file" } else { "files" };
            write!(f, "[{hits} hits in {files} {files_word}, {bytes} bytes")?;
        } else {
            write!(f, "[{lines} lines, {bytes} bytes")?;
        }
        if failures > 0 {
            write!(f, ", {failures} of them about failures,")?;
        }
        f.write_str(" left out")?;
        for (at, name) in names.iter().enumerate() {
            f.write_str(if at == 0 { ": " } else { ", " })?;
            f.write_str(name)?;
        }
        f.write_str(if has_more { " and more" } else { "" })?;
        self.end(f)
    }

    fn edits(&self, f: &mut Formatter<'_>, edits: &ToldEdits) -> fmt::Result {
        let changes = if edits.count == 1 { "change" } else { "changes" };
        write!(f, "[Edits to {}: {} {changes} ", self.file(), edits.count)?;
        let (first, last) = edits.turns;
        if first == last {
            write!(f, "in turn {first}]")?;
        } else {
            write!(f, "between turns {first}-{last}]")?;
        }
        for (what, count) in &edits.changes {
            write!(f, "\n- {what}")?;
            if *count > 1 {
                write!(f, " {count}x")?;
            }
        }
        if edits.more > 0 {
            write!(f, "\n- and {} more", edits.more)?;
        }
        match self.handle {
            Some(handle) => write!(f, "\n[this message in full: expand {handle}]"),
            None => Ok(()),
        }
    }
}
