//! Rule `room`: what an answer has no room for is left out from its end, whole lines at a time, and
//! of a file whose syntax is known whole statements.
//! It comes last, and takes from what the other rules decided.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::facts::Facts;
use crate::note::{Counts, Lines, Note, NoteKind};
use crate::room::Room;
use crate::shape::{Decision, Piece, Shape, ShapeKind};
use crate::views::{ReadText, Views};
use foveal_effects::EffectKind;
use foveal_transcript::LineNumber;

const RULE: &str = "room";

/// Bytes kept free for the note on what is left out.
const NOTE_BYTES: usize = 160;

/// How much there is room for, and what of a result is to be there in any case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fit<'a> {
    pub(crate) room: Room,
    /// Bytes of notes at its end: how a program ended, where a search goes on.
    pub(crate) end_bytes: usize,
    /// Who knows where statements of a file end.
    pub(crate) views: Option<&'a dyn Views>,
}

/// As much of `decision` on `content` as there is room for, from its beginning on, and its end.
pub(crate) fn fit(decision: Decision, content: &str, facts: &Facts, fit: Fit<'_>) -> Decision {
    let whole = [Piece::Keep(0..content.len() as u32)];
    let (pieces, text) = match decision.shape() {
        Some(shape) => (&*shape.pieces, Cow::Owned(shape.render(content))),
        None => (whole.as_slice(), Cow::Borrowed(content)),
    };
    let Some(handle) = facts.handle().filter(|_| !fit.room.holds(&text)) else { return decision };
    let mut room = fit.room.beside_notes(NOTE_BYTES);
    let until = end_to_keep(content, facts, fit.end_bytes, &mut room);
    let mut cut = Cut { content, until, room, pieces: Vec::new(), end: 0, lines: (0, 0) };
    if !pieces.iter().all(|piece| cut.take(piece)) {
        cut.end_with_a_line();
        if let Some(views) = fit.views {
            cut.end_with_a_statement(facts, views);
        }
    }
    let note = Note { handle: Some(handle), ..cut.note(facts) };
    let mut pieces = cut.pieces;
    pieces.push(Piece::Note(until, note.into()));
    if (until as usize) < content.len() {
        pieces.push(Piece::Break);
        pieces.push(Piece::Keep(until..content.len() as u32));
    }
    let kind = match decision.shape().map(|shape| shape.kind) {
        None | Some(ShapeKind::Compacted) => ShapeKind::Excerpt,
        Some(kind) => kind,
    };
    Decision::Replace(Arc::new(Shape { kind, rule: RULE.to_owned(), pieces, handle }))
}

/// Where the end begins that is kept: the notes behind what was found, and of what a program
/// printed as many lines before them as a third of the room holds, which tell how it went.
fn end_to_keep(content: &str, facts: &Facts, notes: usize, room: &mut Room) -> u32 {
    let mut start = content.len().saturating_sub(notes);
    if !content.is_char_boundary(start) || !room.take(&content[start..]) {
        start = content.len();
    }
    if facts.kind() == EffectKind::Run {
        let mut share = room.part(3);
        for line in content[..start].split_inclusive('\n').rev() {
            if !share.take(line) {
                break;
            }
            room.take(line);
            start -= line.len();
        }
    }
    start as u32
}

/// What was taken so far.
struct Cut<'a> {
    content: &'a str,
    /// Where the end begins that is kept anyway.
    until: u32,
    room: Room,
    pieces: Vec<Piece>,
    /// Bytes of the content that the pieces keep or stand for.
    end: u32,
    /// The pieces that end with a line, and where in the content that ends.
    lines: (usize, u32),
}

impl Cut<'_> {
    /// Takes a piece, or as much of it as there is room for; whether that is all.
    fn take(&mut self, piece: &Piece) -> bool {
        match piece {
            Piece::Keep(range) => {
                let end = range.end.min(self.until);
                if range.start >= end {
                    return false;
                }
                let text = &self.content[range.start as usize..end as usize];
                let mut at = range.start;
                let takes = |line: &str| {
                    let from = at;
                    at += line.len() as u32;
                    self.take_line(from, line)
                };
                text.split_inclusive('\n').all(takes) && end == range.end
            }
            Piece::Break => self.room.take("\n") && self.push(Piece::Break, self.end, true),
            Piece::Note(end, _) if *end > self.until => false,
            Piece::Note(end, note) => {
                self.room.take(&note.to_string()) && self.push(piece.clone(), *end, false)
            }
        }
    }

    fn take_line(&mut self, from: u32, line: &str) -> bool {
        let end = from + line.len() as u32;
        if self.room.take(line) {
            let is_whole = line.ends_with('\n');
            return match self.pieces.last_mut() {
                Some(Piece::Keep(kept)) if is_whole && kept.end == from => {
                    kept.end = end;
                    (self.end, self.lines) = (end, (self.pieces.len(), end));
                    true
                }
                _ => self.push(Piece::Keep(from..end), end, is_whole),
            };
        }
        // Of a line alone as much as there is room for; any other begins the next answer.
        let fits = self.room.fitting(line) as u32;
        if self.lines.0 == 0 && fits > 0 {
            self.push(Piece::Keep(from..from + fits), from + fits, false);
        }
        false
    }

    fn push(&mut self, piece: Piece, end: u32, ends_line: bool) -> bool {
        self.pieces.push(piece);
        self.end = end;
        if ends_line {
            self.lines = (self.pieces.len(), end);
        }
        true
    }

    /// Leaves the last line out if it has not ended, unless there is no other.
    fn end_with_a_line(&mut self) {
        if self.lines.0 > 0 {
            self.pieces.truncate(self.lines.0);
            self.end = self.lines.1;
        }
        // A line break of ours stands for the one behind a note.
        let rest = &self.content[self.end as usize..self.until as usize];
        if matches!(self.pieces.last(), Some(Piece::Break)) && rest.starts_with('\n') {
            self.end += 1;
        }
    }

    /// Of a file that was read from its beginning on, leaves out what is kept of a last statement
    /// that goes on, unless nothing else is kept behind the last note.
    fn end_with_a_statement(&mut self, facts: &Facts, views: &dyn Views) {
        let Some(Piece::Keep(kept)) = self.pieces.last_mut() else { return };
        let numbered = facts.printed.lines.iter().filter(|line| line.number.is_some());
        let mut of_run = numbered
            .filter(|line| kept.start <= line.text.start && line.text.end <= kept.end)
            .filter_map(|line| Some((line.number?, line.text.end)));
        let (Some((first, end)), Some((path, LineNumber(1), text))) =
            (of_run.next(), ReadText::of_result(&facts.printed, self.content, None))
        else {
            return;
        };
        let run: Vec<(LineNumber, u32)> = [(first, end)].into_iter().chain(of_run).collect();
        let last = run[run.len() - 1].0;
        let Some(until) = views.whole_until(path, &text, (first, last)) else { return };
        let Some((_, end)) = run.iter().find(|(number, _)| *number == until) else { return };
        let rest = &self.content[*end as usize..];
        // The line break behind it stays.
        kept.end = end + rest.find('\n').map_or(0, |at| at as u32 + 1);
        self.end = kept.end;
        self.lines = (self.pieces.len(), self.end);
    }

    /// What is left out, and where in the content it begins.
    fn note(&self, facts: &Facts) -> Note {
        let (before, rest) = self.content[..self.until as usize].split_at(self.end as usize);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let from_byte = (before.len() - before.rfind('\n').map_or(0, |at| at + 1)) as u32;
        let lines = rest.lines().count() as u32;
        let counts = Counts { lines, bytes: rest.len() as u32, ..Counts::default() };
        let note = Note { counts, ..Note::new(NoteKind::NoRoom { line, from_byte }) };
        let is_in = |text: &Range<u32>| {
            text.start < self.until && (text.start >= self.end || text.end > self.end)
        };
        let numbered = facts.printed.lines.iter().filter(|line| is_in(&line.text));
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
