//! Rule `room`: the end of a result that exceeds the output budget is omitted, in whole lines and,
//! in a file whose syntax is known, in whole statements. The rule runs last and removes content
//! from the result of the other rules.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use crate::entry_facts::EntryFacts;
use crate::message_shape::{Decision, MessageShape, ShapeKind, ShapePiece};
use crate::note::{Counts, LineNumberRange, Note, NoteKind};
use crate::output_budget::OutputBudget;
use crate::views::{ReadText, ViewSource};
use foveal_tool_effects::EffectKind;
use foveal_transcript::LineNumber;

const RULE: &str = "room";

/// Bytes reserved for the note on the omitted end.
const NOTE_BYTES: usize = 160;

/// The output budget of an answer, and the parts that it keeps in any case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FitLimits<'a> {
    pub(crate) budget: OutputBudget,
    /// Bytes of notes at the end of the result: how a program ended, where a search continues.
    pub(crate) end_bytes: usize,
    /// The source that knows where statements of a file end.
    pub(crate) views: Option<&'a dyn ViewSource>,
}

/// Reduces `decision` on `content` to the output budget: its beginning and its end are kept.
pub(crate) fn fit_to_budget(
    decision: Decision,
    content: &str,
    facts: &EntryFacts,
    fit: FitLimits<'_>,
) -> Decision {
    let whole = [ShapePiece::Keep(0..content.len() as u32)];
    let (pieces, text) = match decision.shape() {
        Some(shape) => (&*shape.pieces, Cow::Owned(shape.render(content))),
        None => (whole.as_slice(), Cow::Borrowed(content)),
    };
    let Some(handle) = facts.handle().filter(|_| !fit.budget.fits_text(&text)) else {
        return decision;
    };
    let mut room = fit.budget.reserve_notes(NOTE_BYTES);
    let until = preserved_tail_start(content, facts, fit.end_bytes, &mut room);
    let mut cut = BudgetCut {
        content,
        tail_start: until,
        budget: room,
        pieces: Vec::new(),
        end: 0,
        lines: (0, 0),
    };
    if !pieces.iter().all(|piece| cut.push_piece_within_budget(piece)) {
        cut.trim_to_line();
        if let Some(views) = fit.views {
            cut.trim_to_statement(facts, views);
        }
    }
    let note = Note { handle: Some(handle), ..cut.omission_note(facts) };
    let mut pieces = cut.pieces;
    pieces.push(ShapePiece::Note(until, note.into()));
    if (until as usize) < content.len() {
        pieces.push(ShapePiece::Break);
        pieces.push(ShapePiece::Keep(until..content.len() as u32));
    }
    let kind = match decision.shape().map(|shape| shape.kind) {
        None | Some(ShapeKind::Compacted) => ShapeKind::Excerpt,
        Some(kind) => kind,
    };
    Decision::Replace(Arc::new(MessageShape { kind, rule: RULE.to_owned(), pieces, handle }))
}

/// Returns the start of the end that is kept: the notes after the results and, of a program's
/// output, as many lines before them as a third of the budget holds, since they show how the run
/// went.
fn preserved_tail_start(
    content: &str,
    facts: &EntryFacts,
    notes: usize,
    room: &mut OutputBudget,
) -> u32 {
    let mut start = content.len().saturating_sub(notes);
    if !content.is_char_boundary(start) || !room.consume(&content[start..]) {
        start = content.len();
    }
    if facts.kind() == EffectKind::Run {
        let mut share = room.divide(3);
        for line in content[..start].split_inclusive('\n').rev() {
            if !share.consume(line) {
                break;
            }
            room.consume(line);
            start -= line.len();
        }
    }
    start as u32
}

/// The part of a result that was taken so far.
struct BudgetCut<'a> {
    content: &'a str,
    /// The start of the end that is kept in any case.
    tail_start: u32,
    budget: OutputBudget,
    pieces: Vec<ShapePiece>,
    /// End of the bytes of the content that the pieces keep or replace.
    end: u32,
    /// The number of pieces up to the last complete line, and the end of that line in the content.
    lines: (usize, u32),
}

impl BudgetCut<'_> {
    /// Takes a piece, or as much of it as fits; returns whether all of it fits.
    fn push_piece_within_budget(&mut self, piece: &ShapePiece) -> bool {
        match piece {
            ShapePiece::Keep(range) => {
                let end = range.end.min(self.tail_start);
                if range.start >= end {
                    return false;
                }
                let text = &self.content[range.start as usize..end as usize];
                let mut at = range.start;
                let takes = |line: &str| {
                    let from = at;
                    at += line.len() as u32;
                    self.push_line_within_budget(from, line)
                };
                text.split_inclusive('\n').all(takes) && end == range.end
            }
            ShapePiece::Break => {
                self.budget.consume("\n") && self.push_piece(ShapePiece::Break, self.end, true)
            }
            ShapePiece::Note(end, _) if *end > self.tail_start => false,
            ShapePiece::Note(end, note) => {
                self.budget.consume(&note.to_string())
                    && self.push_piece(piece.clone(), *end, false)
            }
        }
    }

    fn push_line_within_budget(&mut self, from: u32, line: &str) -> bool {
        let end = from + line.len() as u32;
        if self.budget.consume(line) {
            let is_whole = line.ends_with('\n');
            return match self.pieces.last_mut() {
                Some(ShapePiece::Keep(kept)) if is_whole && kept.end == from => {
                    kept.end = end;
                    (self.end, self.lines) = (end, (self.pieces.len(), end));
                    true
                }
                _ => self.push_piece(ShapePiece::Keep(from..end), end, is_whole),
            };
        }
        // A single line is cut to the budget; any other begins the next answer.
        let fits = self.budget.fitting_len(line) as u32;
        if self.lines.0 == 0 && fits > 0 {
            self.push_piece(ShapePiece::Keep(from..from + fits), from + fits, false);
        }
        false
    }

    fn push_piece(&mut self, piece: ShapePiece, end: u32, ends_line: bool) -> bool {
        self.pieces.push(piece);
        self.end = end;
        if ends_line {
            self.lines = (self.pieces.len(), end);
        }
        true
    }

    /// Removes an incomplete last line, unless it is the only one.
    fn trim_to_line(&mut self) {
        if self.lines.0 > 0 {
            self.pieces.truncate(self.lines.0);
            self.end = self.lines.1;
        }
        // An inserted line break replaces the original one after a note.
        let rest = &self.content[self.end as usize..self.tail_start as usize];
        if matches!(self.pieces.last(), Some(ShapePiece::Break)) && rest.starts_with('\n') {
            self.end += 1;
        }
    }

    /// Removes the kept part of an incomplete last statement of a file that was read from its first
    /// line, unless nothing else is kept after the last note.
    fn trim_to_statement(&mut self, facts: &EntryFacts, views: &dyn ViewSource) {
        let Some(ShapePiece::Keep(kept)) = self.pieces.last_mut() else { return };
        let numbered = facts.printed.lines.iter().filter(|line| line.number.is_some());
        let mut of_run = numbered
            .filter(|line| kept.start <= line.text.start && line.text.end <= kept.end)
            .filter_map(|line| Some((line.number?, line.text.end)));
        let (Some((first, end)), Some((path, LineNumber(1), text))) =
            (of_run.next(), ReadText::from_result(&facts.printed, None, self.content, None))
        else {
            return;
        };
        let run: Vec<(LineNumber, u32)> = [(first, end)].into_iter().chain(of_run).collect();
        let last = run[run.len() - 1].0;
        let Some(until) = views.last_complete_line(path, &text, first, last) else { return };
        let Some((_, end)) = run.iter().find(|(number, _)| *number == until) else { return };
        let rest = &self.content[*end as usize..];
        // The line break after it stays.
        kept.end = end + rest.find('\n').map_or(0, |at| at as u32 + 1);
        self.end = kept.end;
        self.lines = (self.pieces.len(), self.end);
    }

    /// Returns the note on the omitted end, with its place in the content.
    fn omission_note(&self, facts: &EntryFacts) -> Note {
        let (before, rest) = self.content[..self.tail_start as usize].split_at(self.end as usize);
        let line = before.bytes().filter(|byte| *byte == b'\n').count() as u32 + 1;
        let from_byte = (before.len() - before.rfind('\n').map_or(0, |at| at + 1)) as u32;
        let lines = rest.lines().count() as u32;
        let counts = Counts { lines, bytes: rest.len() as u32, ..Counts::default() };
        let note = Note { counts, ..Note::new(NoteKind::NoRoom { line, from_byte }) };
        let is_in = |text: &Range<u32>| {
            text.start < self.tail_start && (text.start >= self.end || text.end > self.end)
        };
        let numbered = facts.printed.lines.iter().filter(|line| is_in(&line.text));
        let numbers: Vec<u32> = numbered.filter_map(|line| Some(line.number?.0)).collect();
        match (numbers.first(), numbers.last()) {
            // Numbers of hits in several files form no range.
            (Some(first), Some(last)) if facts.kind() == EffectKind::Read && first <= last => {
                Note { lines: vec![LineNumberRange(*first, *last)], ..note }
            }
            _ => note,
        }
    }
}
