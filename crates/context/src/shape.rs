//! Decisions as values: what stands in a message's place in the projection.
//!
//! A [`Shape`] is a list of pieces over the original bytes, so that applying it is a
//! splice, everything kept is the original byte for byte, and what is missing is exactly
//! what no piece keeps.

use std::ops::Range;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::lines::Printed;
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
    /// Text of ours.
    Note(Box<str>),
}

/// What stands in a message's place. Its original is [`Entry::prompt_text`], which of a tool
/// result is the content.
///
/// [`Entry::prompt_text`]: foveal_transcript::Entry::prompt_text
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shape {
    /// The kind of replacement.
    pub kind: ShapeKind,
    /// The rule that decided it, for reports ("re-read", "run-output").
    pub rule: String,
    /// The projected text, in order.
    pub pieces: Vec<Piece>,
    /// Entries that notes in `pieces` point at; all must be visible in the same prompt.
    pub refers_to: Vec<EntryIndex>,
    /// Content address of the original.
    pub handle: Handle,
}

impl Shape {
    /// The projected text of `original`.
    ///
    /// # Panics
    /// If a kept range is not one of `original`, which only a mismatched pair can cause.
    pub fn render(&self, original: &str) -> String {
        let mut text = String::with_capacity(self.rendered_len());
        for piece in &self.pieces {
            match piece {
                Piece::Keep(range) => {
                    text.push_str(&original[range.start as usize..range.end as usize]);
                }
                Piece::Note(note) => text.push_str(note),
            }
        }
        text
    }

    /// Whether the same is sent and pointed at, whatever the rules that led to it are called.
    pub fn sends_the_same_as(&self, other: &Shape) -> bool {
        self.pieces == other.pieces && self.refers_to == other.refers_to
    }

    /// The lines of `printed` of which the file's whole text is kept, ascending.
    pub fn lines_kept(&self, printed: &Printed) -> Vec<u32> {
        let mut kept = self.pieces.iter().filter_map(|piece| match piece {
            Piece::Keep(range) => Some(range.clone()),
            Piece::Note(_) => None,
        });
        let mut range = kept.next();
        let mut lines = Vec::new();
        for (at, line) in (0u32..).zip(&printed.lines) {
            while range.as_ref().is_some_and(|range| range.end < line.text.end) {
                range = kept.next();
            }
            match &range {
                Some(range) if range.start <= line.text.start => lines.push(at),
                Some(_) => {}
                None => break,
            }
        }
        lines
    }

    /// Bytes of the rendered text.
    pub fn rendered_len(&self) -> usize {
        self.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Keep(range) => (range.end - range.start) as usize,
                Piece::Note(note) => note.len(),
            })
            .sum()
    }
}

/// The decision on one entry. Only tool results are ever replaced, and, where the settings
/// fold edits, texts in the arguments of the model's own edits.
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
