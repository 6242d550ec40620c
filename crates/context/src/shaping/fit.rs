//! Rule `room`: what an answer has no room for is left out from its end, whole lines at a time.
//! It comes last, and takes from what the other rules decided.

use std::sync::Arc;

use crate::facts::Facts;
use crate::note::{Counts, Lines, Note, NoteKind};
use crate::room::Room;
use crate::shape::{Decision, Piece, Shape, ShapeKind};
use foveal_effects::EffectKind;

const RULE: &str = "room";

/// Bytes kept free for the note on what is left out.
const NOTE_BYTES: usize = 160;

/// A line with more bytes is cut where the room ends, a shorter one left out.
const LINE_BYTES_MAX: usize = 1_000;

/// As much of `decision` on `content` as there is `room` for, from its beginning on.
pub(crate) fn fit(decision: Decision, content: &str, facts: &Facts, room: Room) -> Decision {
    let whole = [Piece::Keep(0..content.len() as u32)];
    let (pieces, text) = match decision.shape() {
        Some(shape) => (&*shape.pieces, shape.render(content)),
        None => (whole.as_slice(), content.to_owned()),
    };
    let Some(handle) = facts.handle.filter(|_| !room.holds(&text)) else { return decision };
    let mut cut = Cut { content, room: room.beside_notes(NOTE_BYTES), pieces: Vec::new(), end: 0 };
    for piece in pieces {
        if !cut.take(piece) {
            break;
        }
    }
    let note = Note { handle: Some(handle), ..cut.note(facts) };
    let Cut { mut pieces, .. } = cut;
    if !ends_line(&pieces, content) {
        pieces.push(Piece::Break);
    }
    pieces.push(Piece::Note(content.len() as u32, note.into()));
    let kind = decision.shape().map_or(ShapeKind::Excerpt, |shape| shape.kind);
    Decision::Replace(Arc::new(Shape { kind, rule: RULE.to_owned(), pieces, handle }))
}

/// What was taken so far.
struct Cut<'a> {
    content: &'a str,
    room: Room,
    pieces: Vec<Piece>,
    /// Bytes of the content that the pieces keep or stand for.
    end: u32,
}

impl Cut<'_> {
    /// Takes a piece, or as much of it as there is room for; whether that is all.
    fn take(&mut self, piece: &Piece) -> bool {
        match piece {
            Piece::Keep(range) => self.take_lines(range.start as usize, range.end as usize),
            Piece::Break => {
                let fits = self.room.take("\n");
                if fits {
                    self.pieces.push(Piece::Break);
                }
                fits
            }
            Piece::Note(end, note) => {
                let fits = self.room.take(&note.to_string());
                if fits {
                    self.pieces.push(piece.clone());
                    self.end = *end;
                }
                fits
            }
        }
    }

    fn take_lines(&mut self, start: usize, end: usize) -> bool {
        let mut to = start;
        for line in self.content[start..end].split_inclusive('\n') {
            if !self.room.take(line) {
                if line.len() > LINE_BYTES_MAX {
                    to += self.room.fitting(line);
                }
                break;
            }
            to += line.len();
        }
        if to > start {
            self.pieces.push(Piece::Keep(start as u32..to as u32));
            self.end = to as u32;
        }
        to == end
    }

    /// What is left out, and where in the content it begins.
    fn note(&self, facts: &Facts) -> Note {
        let (before, rest) = self.content.split_at(self.end as usize);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let from_byte = (before.len() - before.rfind('\n').map_or(0, |at| at + 1)) as u32;
        let lines = rest.lines().count() as u32;
        let counts = Counts { lines, bytes: rest.len() as u32, ..Counts::default() };
        let note = Note { counts, ..Note::new(NoteKind::NoRoom { line, from_byte }) };
        let numbered = facts.printed.lines.iter().filter(|line| line.text.end > self.end);
        let numbers: Vec<u32> = numbered.filter_map(|line| Some(line.number?.0)).collect();
        match (numbers.first(), numbers.last()) {
            // Of hits in several files the numbers say nothing.
            (Some(first), Some(last)) if facts.kind() == EffectKind::Read && first <= last => {
                Note { lines: vec![Lines(*first, *last)], ..note }
            }
            _ => note,
        }
    }
}

/// Whether a note behind the pieces begins a line.
fn ends_line(pieces: &[Piece], content: &str) -> bool {
    match pieces.last() {
        Some(Piece::Keep(range)) => content[..range.end as usize].ends_with('\n'),
        Some(Piece::Note(..)) => false,
        Some(Piece::Break) | None => true,
    }
}
