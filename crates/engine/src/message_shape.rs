//! Decisions as values: the form in which a message stands in the projection.
//!
//! A [`MessageShape`] is a list of pieces over the original bytes, so that applying it is a splice:
//! kept pieces are the original byte for byte, and exactly the bytes outside of them are omitted.

mod pieces;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use foveal_transcript::EntryIndex;
use foveal_transcript::Handle;
use serde::{Deserialize, Deserializer, Serialize};

use crate::lines::ResultLines;
use crate::note::{Note, NoteTarget};
use crate::token_cache::CommonPart;

/// The kind of replacement of a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum ShapeKind {
    /// Only the spelling is shorter (white space, escape codes, folded repeats); the rest still
    /// holds all information.
    Compacted,
    /// A note in place of content that stands elsewhere in the same prompt.
    Pointer,
    /// Only the lines that the model cannot see yet; pointers stand for the rest.
    Delta,
    /// Parts of the content; notes in the gaps state their sizes.
    Excerpt,
    /// The lines of a file that matter to the conversation.
    Curated,
    /// A summary of a file read long ago.
    Summary,
    /// A file's structure without bodies.
    Outline,
    /// A note with a handle in place of the whole content.
    Note,
}

impl ShapeKind {
    /// Returns the label for reports and messages.
    pub fn label(self) -> &'static str {
        match self {
            ShapeKind::Compacted => "compacted",
            ShapeKind::Pointer => "pointer",
            ShapeKind::Delta => "delta",
            ShapeKind::Excerpt => "excerpt",
            ShapeKind::Curated => "curated",
            ShapeKind::Summary => "summary",
            ShapeKind::Outline => "outline",
            ShapeKind::Note => "note",
        }
    }
}

/// One piece of a shaped result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShapePiece {
    /// These bytes of the original, unchanged.
    Keep(Range<u32>),
    /// An inserted line break.
    Break,
    /// A note in place of the original bytes from the end of the piece before it to this offset;
    /// the range may be empty.
    Note(u32, Arc<Note>),
}

/// The form in which a tool result is sent. The original is its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MessageShape {
    /// The kind of replacement.
    pub kind: ShapeKind,
    /// The rule that decided it, for reports ("re-read", "run-output").
    pub rule: String,
    /// The pieces of the projected text, in order.
    #[serde(with = "pieces")]
    pub pieces: Vec<ShapePiece>,
    /// The content address of the original.
    pub handle: Handle,
}

/// The lines of an entry that are not visible in full but for which it stands in part.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReducedLines {
    /// Lines (ascending ranges) replaced by a pointer to the same text elsewhere.
    pub pointed: Box<[Range<u32>]>,
    /// Lines (ascending) of which a part is visible.
    pub partial: Box<[u32]>,
}

/// A range of the original that a note replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapeGap<'s> {
    /// The byte range.
    pub bytes: Range<u32>,
    /// The note.
    pub note: &'s Note,
}

impl MessageShape {
    /// Returns whether the message only repeats earlier content: pointers stand for all of it. With
    /// the calls for which a tool reused its earlier answer, these are the repeated calls that all
    /// surfaces count.
    pub fn is_repeat(&self) -> bool {
        self.kind == ShapeKind::Pointer
    }

    /// Returns the projected text of `original`.
    ///
    /// # Panics
    /// If a kept range is not one of `original`, which only a mismatched pair can cause.
    pub fn render(&self, original: &str) -> String {
        self.render_with_common_parts(original).0
    }

    /// Returns the projected text of `original`, and the parts that it has in common with it, in
    /// order.
    ///
    /// # Panics
    /// As [`MessageShape::render`].
    pub fn render_with_common_parts(&self, original: &str) -> (String, Vec<CommonPart>) {
        let mut text = String::with_capacity(self.kept_len() + NOTE_BYTES * self.pieces.len());
        let mut common = Vec::new();
        for piece in &self.pieces {
            if let ShapePiece::Keep(range) = piece {
                let (at, at_in_other) = (text.len(), range.start as usize);
                common.push(CommonPart { at, at_in_other, bytes: range.len() });
            }
            text += &self.piece_text(piece, original);
        }
        (text, common)
    }

    /// Returns the length of the projected text in bytes.
    pub fn projected_len(&self) -> usize {
        let ours = |piece: &ShapePiece| match piece {
            ShapePiece::Keep(_) => 0,
            ShapePiece::Break => 1,
            ShapePiece::Note(_, note) => note.text_len(),
        };
        self.kept_len() + self.pieces.iter().map(ours).sum::<usize>()
    }

    /// Returns the text of one piece of the shape.
    ///
    /// # Panics
    /// As [`MessageShape::render`].
    pub fn piece_text<'a>(&self, piece: &ShapePiece, original: &'a str) -> Cow<'a, str> {
        self.piece_text_with(piece, original, &Note::to_string)
    }

    /// Returns the text of one piece with notes rendered by `spell`, for readers who fetch omitted
    /// content by other means.
    ///
    /// # Panics
    /// As [`MessageShape::render`].
    pub fn piece_text_with<'a>(
        &self,
        piece: &ShapePiece,
        original: &'a str,
        spell: &dyn Fn(&Note) -> String,
    ) -> Cow<'a, str> {
        match piece {
            ShapePiece::Keep(range) => {
                Cow::Borrowed(&original[range.start as usize..range.end as usize])
            }
            ShapePiece::Break => Cow::Borrowed("\n"),
            ShapePiece::Note(_, note) => Cow::Owned(spell(note)),
        }
    }

    /// Returns the notes, in order.
    pub fn notes(&self) -> impl Iterator<Item = &Note> {
        self.pieces.iter().filter_map(|piece| match piece {
            ShapePiece::Note(_, note) => Some(&**note),
            ShapePiece::Keep(_) | ShapePiece::Break => None,
        })
    }

    /// Returns the ranges that notes replace, in order; they do not overlap.
    pub fn gaps(&self) -> impl Iterator<Item = ShapeGap<'_>> {
        let mut start = 0;
        self.pieces.iter().filter_map(move |piece| match piece {
            ShapePiece::Keep(range) => {
                start = range.end;
                None
            }
            ShapePiece::Break => None,
            ShapePiece::Note(end, note) => {
                let bytes = start..*end;
                start = *end;
                (!bytes.is_empty()).then_some(ShapeGap { bytes, note })
            }
        })
    }

    /// Returns the numbers of the lines of `printed` that are omitted at least in part. Lines that
    /// a pointer replaces do not count.
    pub fn omitted_line_numbers(&self, printed: &ResultLines) -> impl Iterator<Item = u32> {
        let mut gaps =
            self.gaps().filter(|gap| gap.note.target() == NoteTarget::Omitted).peekable();
        printed.lines.iter().filter_map(move |line| {
            while gaps.next_if(|gap| gap.bytes.end <= line.text.start).is_some() {}
            let is_in = gaps.peek().is_some_and(|gap| gap.bytes.start < line.text.end);
            line.number.filter(|_| is_in).map(|number| number.0)
        })
    }

    /// Returns the entries that its notes point at, ascending. All must be visible in the same
    /// prompt.
    pub fn referenced_entries(&self) -> Vec<EntryIndex> {
        let mut entries: Vec<_> = self.notes().flat_map(|note| &note.refers_to).copied().collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// Returns whether both shapes send the same text with the same pointers, regardless of their
    /// rules.
    pub fn is_same_projection(&self, other: &MessageShape) -> bool {
        self.pieces == other.pieces
    }

    /// Returns the indices of the lines of `printed` whose whole text is kept, ascending.
    pub fn kept_lines(&self, printed: &ResultLines) -> Vec<u32> {
        let mut kept = self.pieces.iter().filter_map(|piece| match piece {
            ShapePiece::Keep(range) => Some(range.clone()),
            ShapePiece::Break | ShapePiece::Note(..) => None,
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
            // An empty line has no byte to keep: it stands there unless a note replaces it.
            let is_empty = line.text.is_empty();
            if is_kept || (is_empty && gaps.peek().is_none_or(|gap| line.text.start < gap.start)) {
                lines.push(at);
            }
        }
        lines
    }

    /// Returns the lines of `printed` that are pointed at or partly kept; `kept` are those of
    /// [`MessageShape::kept_lines`].
    pub fn reduced_lines(&self, printed: &ResultLines, kept: &[u32]) -> ReducedLines {
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
            match (gap.map(|gap| gap.note.target()), pointed.last_mut()) {
                (Some(NoteTarget::Above | NoteTarget::Before), Some(last)) if last.end == at => {
                    last.end = at + 1;
                }
                (Some(NoteTarget::Above | NoteTarget::Before), _) => pointed.push(at..at + 1),
                (Some(NoteTarget::Omitted | NoteTarget::NoContent), _) => {}
                (None, _) => partial.push(at),
            }
        }
        ReducedLines { pointed: pointed.into(), partial: partial.into() }
    }

    /// Returns whether any byte of the original is kept.
    pub fn keeps_original_bytes(&self) -> bool {
        self.kept_len() > 0
    }

    /// Returns the number of bytes of the original that are kept.
    fn kept_len(&self) -> usize {
        let kept = self.pieces.iter().map(|piece| match piece {
            ShapePiece::Keep(range) => (range.end - range.start) as usize,
            ShapePiece::Break | ShapePiece::Note(..) => 0,
        });
        kept.sum()
    }
}

/// Bytes reserved for each note and line break; the text grows if they do not suffice.
const NOTE_BYTES: usize = 8;

/// The decision on one entry. Only tool results are replaced.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub enum Decision {
    /// The original, byte for byte.
    #[default]
    Keep,
    /// The shape stands in its place.
    Replace(Arc<MessageShape>),
}

impl Decision {
    /// Returns the shape, if there is one.
    pub fn shape(&self) -> Option<&MessageShape> {
        match self {
            Decision::Keep => None,
            Decision::Replace(shape) => Some(shape),
        }
    }
}

/// The stored form of a [`Decision`].
#[derive(Deserialize)]
#[serde(rename = "Decision")]
enum DeserializedDecision {
    Keep,
    Replace(DeserializedShape),
}

/// Older versions also replaced texts of the model's own edits.
#[derive(Deserialize)]
#[serde(untagged)]
enum DeserializedShape {
    OfEdits {
        #[serde(rename = "kind")]
        _kind: EditShapeKind,
    },
    OfResult(Arc<MessageShape>),
}

#[derive(Deserialize)]
enum EditShapeKind {
    Folded,
}

impl<'d> Deserialize<'d> for Decision {
    /// Reads a stored decision. A message whose edits an older version replaced is kept.
    fn deserialize<D: Deserializer<'d>>(from: D) -> Result<Self, D::Error> {
        Ok(match DeserializedDecision::deserialize(from)? {
            DeserializedDecision::Keep
            | DeserializedDecision::Replace(DeserializedShape::OfEdits { .. }) => Self::Keep,
            DeserializedDecision::Replace(DeserializedShape::OfResult(shape)) => {
                Self::Replace(shape)
            }
        })
    }
}
