//! Decisions as values: what stands in a message's place in the projection.
//!
//! A [`Shape`] is a list of pieces over the original bytes, so that applying it is a
//! splice, everything kept is the original byte for byte, and what is missing is exactly
//! what no piece keeps.

mod pieces;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::lines::Printed;
use crate::note::{Note, Standing};
use crate::tokens::Common;
use foveal_transcript::EntryIndex;
use foveal_transcript::Handle;

/// What kind of replacement a result got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ShapeKind {
    /// Only the spelling is shorter (white space, escape codes, folded repeats); everything
    /// it said can be read from what is left.
    Compacted,
    /// A note in place of content that stands elsewhere in the same prompt.
    Pointer,
    /// Only what differs from what the model can see; the rest is pointed at.
    Delta,
    /// Parts of the content, the sizes of the gaps said in place.
    Excerpt,
    /// The lines of a file that matter to the conversation.
    Curated,
    /// What stands for a file in history.
    Summary,
    /// A file's structure, bodies left out.
    Outline,
    /// A note with a handle in place of the whole.
    Note,
    /// The model's own edits, their texts told in a few words.
    Folded,
}

impl ShapeKind {
    /// The word used in reports and messages.
    pub fn word(self) -> &'static str {
        match self {
            ShapeKind::Compacted => "compacted",
            ShapeKind::Pointer => "pointer",
            ShapeKind::Delta => "delta",
            ShapeKind::Excerpt => "excerpt",
            ShapeKind::Curated => "curated",
            ShapeKind::Summary => "summary",
            ShapeKind::Outline => "outline",
            ShapeKind::Note => "note",
            ShapeKind::Folded => "folded",
        }
    }
}

/// One part of a shaped result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Piece {
    /// These bytes of the original, unchanged.
    Keep(Range<u32>),
    /// A line break of ours.
    Break,
    /// A note. It stands for the bytes of the original from where the piece before it ended to
    /// this one; that may be none.
    Note(u32, Arc<Note>),
}

/// What stands in a message's place. Its original is [`Entry::prompt_text`], which of a tool
/// result is the content.
///
/// [`Entry::prompt_text`]: foveal_transcript::Entry::prompt_text
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The kind of replacement. Notes of one that is [`ShapeKind::Folded`] stand in strings of
    /// JSON and are spelled accordingly.
    pub kind: ShapeKind,
    /// The rule that decided it, for reports ("re-read", "run-output").
    pub rule: String,
    /// The projected text, in order.
    #[serde(with = "pieces")]
    pub pieces: Vec<Piece>,
    /// Content address of the original.
    pub handle: Handle,
}

/// Lines of an entry that do not stand in it word for word, and of which it says something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LineMarks {
    /// Lines (ascending ranges) in whose place a note points at the same text elsewhere.
    pub pointed: Box<[Range<u32>]>,
    /// Lines (ascending) of which a part is visible.
    pub partial: Box<[u32]>,
}

/// Bytes of an original in whose place a note stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap<'s> {
    /// The bytes.
    pub bytes: Range<u32>,
    /// The note.
    pub note: &'s Note,
}

/// A text as JSON spells it, without the quotes.
pub fn json_spelling(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

impl Shape {
    /// The projected text of `original`.
    ///
    /// # Panics
    /// If a kept range is not one of `original`, which only a mismatched pair can cause.
    pub fn render(&self, original: &str) -> String {
        self.render_beside(original).0
    }

    /// The projected text of `original`, and what it has in common with it, in order.
    ///
    /// # Panics
    /// As [`Shape::render`].
    pub fn render_beside(&self, original: &str) -> (String, Vec<Common>) {
        let mut text = String::with_capacity(self.kept_len() + NOTE_BYTES * self.pieces.len());
        let mut common = Vec::new();
        for piece in &self.pieces {
            if let Piece::Keep(range) = piece {
                let (at, at_in_other) = (text.len(), range.start as usize);
                common.push(Common { at, at_in_other, bytes: range.len() });
            }
            text += &self.text_of(piece, original);
        }
        (text, common)
    }

    /// Bytes of the projected text.
    pub fn bytes_sent(&self) -> usize {
        let ours = |piece: &Piece| match piece {
            Piece::Keep(_) => 0,
            Piece::Break => 1,
            Piece::Note(_, note) if self.kind == ShapeKind::Folded => {
                json_spelling(&note.to_string()).len()
            }
            Piece::Note(_, note) => note.text_len(),
        };
        self.kept_len() + self.pieces.iter().map(ours).sum::<usize>()
    }

    /// The text of one piece of the shape.
    ///
    /// # Panics
    /// As [`Shape::render`].
    pub fn text_of<'a>(&self, piece: &Piece, original: &'a str) -> Cow<'a, str> {
        self.text_by(piece, original, &Note::to_string)
    }

    /// The same with notes spelled by `spell`, for readers who get what is left out by other means.
    ///
    /// # Panics
    /// As [`Shape::render`].
    pub fn text_by<'a>(
        &self,
        piece: &Piece,
        original: &'a str,
        spell: &dyn Fn(&Note) -> String,
    ) -> Cow<'a, str> {
        match piece {
            Piece::Keep(range) => {
                Cow::Borrowed(&original[range.start as usize..range.end as usize])
            }
            Piece::Break => Cow::Borrowed("\n"),
            Piece::Note(_, note) if self.kind == ShapeKind::Folded => {
                Cow::Owned(json_spelling(&spell(note)))
            }
            Piece::Note(_, note) => Cow::Owned(spell(note)),
        }
    }

    /// Its notes, in order.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Note(_, note) => Some(&**note),
            Piece::Keep(_) | Piece::Break => None,
        })
    }

    /// What notes stand for, in order; no two have a byte in common.
    pub fn gaps(&self) -> impl Iterator<Item = Gap<'_>> {
        let mut start = 0;
        self.pieces.iter().filter_map(move |piece| match piece {
            Piece::Keep(range) => {
                start = range.end;
                None
            }
            Piece::Break => None,
            Piece::Note(end, note) => {
                let bytes = start..*end;
                start = *end;
                (!bytes.is_empty()).then_some(Gap { bytes, note })
            }
        })
    }

    /// The numbers of the lines of `printed` of which something is left out; what is pointed
    /// at is not.
    pub fn numbers_left_out(&self, printed: &Printed) -> impl Iterator<Item = u32> {
        let mut gaps =
            self.gaps().filter(|gap| gap.note.standing() == Standing::LeftOut).peekable();
        printed.lines.iter().filter_map(move |line| {
            while gaps.next_if(|gap| gap.bytes.end <= line.text.start).is_some() {}
            let is_in = gaps.peek().is_some_and(|gap| gap.bytes.start < line.text.end);
            line.number.filter(|_| is_in).map(|number| number.0)
        })
    }

    /// The entries that its notes point at, ascending; all must be visible in the same prompt.
    pub fn refers_to(&self) -> Vec<EntryIndex> {
        let mut entries: Vec<_> = self.notes().flat_map(|note| &note.refers_to).copied().collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// Whether the same is sent and pointed at, whatever the rules that led to it are called.
    pub fn sends_the_same_as(&self, other: &Shape) -> bool {
        self.pieces == other.pieces
    }

    /// The lines of `printed` of which the file's whole text is kept, ascending.
    pub fn lines_kept(&self, printed: &Printed) -> Vec<u32> {
        let mut kept = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Keep(range) => Some(range.clone()),
            Piece::Break | Piece::Note(..) => None,
        });
        let mut range = kept.next();
        let mut gaps = self.gaps().map(|gap| gap.bytes).peekable();
        let mut lines = Vec::new();
        for (at, line) in (0u32..).zip(&printed.lines) {
            while range.as_ref().is_some_and(|range| range.end < line.text.end) {
                range = kept.next();
            }
            while gaps.next_if(|gap| gap.end < line.text.end).is_some() {}
            let is_kept = range.as_ref().is_some_and(|range| range.start <= line.text.start);
            // Of an empty line no byte can be kept: it stands there unless a note stands for it.
            let is_empty = line.text.is_empty();
            if is_kept || (is_empty && gaps.peek().is_none_or(|gap| line.text.start < gap.start)) {
                lines.push(at);
            }
        }
        lines
    }

    /// What it says of the lines of `printed` that are not among [`Shape::lines_kept`].
    pub fn line_marks(&self, printed: &Printed, kept: &[u32]) -> LineMarks {
        let mut kept = kept.iter().copied().peekable();
        let mut gaps = self.gaps().peekable();
        let mut pointed: Vec<Range<u32>> = Vec::new();
        let mut partial = Vec::new();
        for (at, line) in (0u32..).zip(&printed.lines) {
            if kept.next_if_eq(&at).is_some() {
                continue;
            }
            while gaps.next_if(|gap| gap.bytes.end < line.text.end).is_some() {}
            let gap = gaps.peek().filter(|gap| gap.bytes.start <= line.text.start);
            match (gap.map(|gap| gap.note.standing()), pointed.last_mut()) {
                (Some(Standing::Above | Standing::Before), Some(last)) if last.end == at => {
                    last.end = at + 1;
                }
                (Some(Standing::Above | Standing::Before), _) => pointed.push(at..at + 1),
                (Some(Standing::LeftOut | Standing::Nothing), _) => {}
                (None, _) => partial.push(at),
            }
        }
        LineMarks { pointed: pointed.into(), partial: partial.into() }
    }

    /// Whether any part of the original is kept.
    pub fn keeps_any(&self) -> bool {
        self.kept_len() > 0
    }

    /// Bytes of the original that are kept.
    fn kept_len(&self) -> usize {
        let kept = self.pieces.iter().map(|piece| match piece {
            Piece::Keep(range) => (range.end - range.start) as usize,
            Piece::Break | Piece::Note(..) => 0,
        });
        kept.sum()
    }
}

/// Bytes to make room for with each note and line break; the text grows if that is not enough.
const NOTE_BYTES: usize = 8;

/// The decision on one entry. Only tool results are ever replaced and, where the settings fold edits,
/// texts in the arguments of the model's own edits.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Decision {
    /// The original, byte for byte.
    #[default]
    Keep,
    /// The shape stands in its place.
    Replace(Arc<Shape>),
}

impl Decision {
    /// The shape, if there is one.
    pub fn shape(&self) -> Option<&Shape> {
        match self {
            Decision::Keep => None,
            Decision::Replace(shape) => Some(shape),
        }
    }
}
