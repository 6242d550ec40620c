//! A draft: a tool result on its way to a shape, line by line.
//!
//! Rules mark what each line becomes; [`Draft::compose`] turns the marks into pieces. A
//! rule sees what earlier rules left, and only ever takes away.

use std::ops::Range;
use std::sync::Arc;

use crate::facts::Facts;
use crate::lines::PrintedLine;
use crate::note::{Lines, Note};
use crate::shape::{Piece, Shape, ShapeKind};
use foveal_transcript::Handle;

/// What becomes of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Kept, save for some byte ranges (ascending, within the line, apart from each other).
    Keep(Vec<Cut>),
    /// Part of the gap with this number.
    Gap(u32),
}

/// A byte range of a kept line that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Bytes of the content, within the line.
    pub range: Range<u32>,
    /// The gap whose note stands in its place; `None` for what says nothing.
    pub gap: Option<u32>,
}

/// Lines, or a part of one, in whose place a note stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    note: Arc<Note>,
    /// Bytes of the note's text.
    note_len: usize,
    /// The kind of replacement.
    kind: ShapeKind,
}

impl Gap {
    /// A gap in whose place `note` stands.
    pub fn new(kind: ShapeKind, note: Note) -> Self {
        Self { note_len: note.text_len(), note: note.into(), kind }
    }

    /// Bytes of the note's text.
    pub fn note_len(&self) -> usize {
        self.note_len
    }
}

/// A tool result being shaped.
#[derive(Debug, Clone)]
pub struct Draft<'a> {
    /// The original.
    pub content: &'a str,
    /// What is known about it.
    pub facts: &'a Facts,
    fates: Vec<Fate>,
    gaps: Vec<Gap>,
    /// Notes put before the first kept line of some lines, on lines of their own; ascending.
    headings: Vec<(Range<usize>, Arc<Note>)>,
    /// Whether a line follows the one before it without a line break.
    joined: Vec<bool>,
    rules: Vec<&'static str>,
}

impl<'a> Draft<'a> {
    /// Everything kept.
    pub fn new(content: &'a str, facts: &'a Facts) -> Self {
        let fates = vec![Fate::Keep(Vec::new()); facts.printed.lines.len()];
        let joined = vec![false; fates.len()];
        Self {
            content,
            facts,
            fates,
            gaps: Vec::new(),
            headings: Vec::new(),
            joined,
            rules: Vec::new(),
        }
    }

    /// Content address of the original.
    pub fn handle(&self) -> Handle {
        self.facts.handle().unwrap_or_else(|| Handle::of(self.content.as_bytes()))
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.fates.len()
    }

    /// Whether the result has no lines.
    pub fn is_empty(&self) -> bool {
        self.fates.is_empty()
    }

    /// The printed line at `at`.
    pub fn line(&self, at: usize) -> &'a PrintedLine {
        &self.facts.printed.lines[at]
    }

    /// First and last line number of lines that count up by one in one file.
    pub fn numbers_of(&self, lines: &Range<usize>) -> Option<Lines> {
        let first = self.line(lines.start);
        let start = first.number?.0;
        let runs = lines.clone().zip(start..).all(|(at, number)| {
            let line = self.line(at);
            line.path == first.path && line.number.is_some_and(|n| n.0 == number)
        });
        runs.then_some(Lines(start, start + lines.len() as u32 - 1))
    }

    /// The file's text of the line at `at`.
    pub fn text(&self, at: usize) -> &'a str {
        self.line(at).text_in(self.content)
    }

    /// Whether the line at `at` is kept (perhaps cut).
    pub fn keeps(&self, at: usize) -> bool {
        matches!(self.fates[at], Fate::Keep(_))
    }

    /// Whether the line at `at` is one of a run that is told by its count.
    pub fn is_folded(&self, at: usize) -> bool {
        match &self.fates[at] {
            Fate::Gap(number) => self.gaps[*number as usize].kind == ShapeKind::Compacted,
            Fate::Keep(_) => false,
        }
    }

    /// Bytes of the line at `at` that the draft would show, line break included.
    pub fn shown_len(&self, at: usize) -> usize {
        match &self.fates[at] {
            Fate::Keep(cuts) => {
                let cut: usize = cuts.iter().map(|cut| cut.range.len()).sum();
                let gaps = cuts.iter().filter_map(|cut| cut.gap);
                let notes: usize = gaps.map(|gap| self.gaps[gap as usize].note_len).sum();
                self.line(at).whole.len() - cut + notes + 1
            }
            Fate::Gap(_) => 0,
        }
    }

    /// Whether the line at `at` is kept to the last byte.
    pub fn keeps_all(&self, at: usize) -> bool {
        matches!(&self.fates[at], Fate::Keep(cuts) if cuts.is_empty())
    }

    /// Bytes of all kept lines.
    pub fn shown_total(&self) -> usize {
        (0..self.len()).map(|at| self.shown_len(at)).sum()
    }

    /// Whether any rule changed anything.
    pub fn is_untouched(&self) -> bool {
        self.rules.is_empty()
    }

    /// Leaves out the kept lines in `lines`; lines already in a gap stay in theirs.
    pub fn leave_out(&mut self, rule: &'static str, lines: Range<usize>, gap: Gap) {
        self.note_rule(rule);
        let number = self.gaps.len() as u32;
        self.gaps.push(gap);
        for fate in &mut self.fates[lines] {
            if matches!(fate, Fate::Keep(_)) {
                *fate = Fate::Gap(number);
            }
        }
    }

    /// Cuts `range` (bytes of the content, within the line) out of the kept line at `at`.
    pub fn cut(&mut self, rule: &'static str, at: usize, range: Range<u32>) {
        self.cut_all(rule, at, [range]);
    }

    /// Cuts `ranges`, which are ascending and apart from each other, out of the kept line at `at`.
    /// A line may be all of a result, and have a cut at every other byte.
    pub fn cut_all(
        &mut self,
        rule: &'static str,
        at: usize,
        ranges: impl IntoIterator<Item = Range<u32>>,
    ) {
        let mut ranges = ranges.into_iter().filter(|range| !range.is_empty()).peekable();
        if ranges.peek().is_none() {
            return;
        }
        self.note_rule(rule);
        let Fate::Keep(cuts) = &mut self.fates[at] else { return };
        let mut before = std::mem::take(cuts).into_iter().peekable();
        for range in ranges {
            while let Some(cut) = before.next_if(|cut| cut.range.start < range.end) {
                cuts.push(cut);
            }
            put_cut(cuts, Cut { range, gap: None });
        }
        cuts.extend(before);
    }

    /// Leaves `range` (bytes of the content, within the line) out of the kept line at `at`;
    /// `gap` says of a number of bytes what stands in their place. Cuts that `range` touches
    /// become part of the gap.
    pub fn replace_in_line(
        &mut self,
        rule: &'static str,
        at: usize,
        range: Range<u32>,
        gap: impl FnOnce(usize) -> Gap,
    ) {
        let Fate::Keep(cuts) = &self.fates[at] else { return };
        if range.is_empty() {
            return;
        }
        let first = cuts.partition_point(|cut| cut.range.end < range.start);
        let last = cuts.partition_point(|cut| cut.range.start <= range.end);
        let range = cuts[first..last.max(first)].iter().fold(range, |range, cut| {
            range.start.min(cut.range.start)..range.end.max(cut.range.end)
        });
        let number = self.gaps.len() as u32;
        self.note_rule(rule);
        self.gaps.push(gap(range.len()));
        if let Fate::Keep(cuts) = &mut self.fates[at] {
            put_cut(cuts, Cut { range, gap: Some(number) });
        }
    }

    /// Lets the line at `at` follow the one before it without a line break.
    pub fn join(&mut self, rule: &'static str, at: usize) {
        self.note_rule(rule);
        self.joined[at] = true;
    }

    /// Puts a note before the first of `lines` that is kept in the end, if any is.
    pub fn head(&mut self, rule: &'static str, lines: Range<usize>, note: Note) {
        self.note_rule(rule);
        let place = self.headings.partition_point(|(other, _)| other.start <= lines.start);
        self.headings.insert(place, (lines, note.into()));
    }

    fn note_rule(&mut self, rule: &'static str) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    /// The shape the marks amount to.
    pub fn compose(&self) -> Shape {
        let mut pieces = Pieces::default();
        let mut headings = self.headings.iter().peekable();
        let mut open_gap = None;
        let mut after_kept = false;
        for (at, fate) in self.fates.iter().enumerate() {
            match fate {
                Fate::Gap(number) => {
                    if open_gap != Some(*number) {
                        pieces.line_of_ours(&self.gaps[*number as usize].note);
                    }
                    pieces.stand_for(self.line(at).whole.end);
                    open_gap = Some(*number);
                    after_kept = false;
                }
                Fate::Keep(cuts) => {
                    open_gap = None;
                    while let Some((lines, note)) = headings.next_if(|head| head.0.start <= at) {
                        if at < lines.end {
                            pieces.line_of_ours(note);
                            after_kept = false;
                        }
                    }
                    if !(after_kept && self.joined[at]) {
                        pieces.begin_line(self.line(at).whole.start);
                    }
                    self.compose_line(&mut pieces, at, cuts);
                    after_kept = true;
                }
            }
        }
        Shape {
            kind: self.kind(),
            rule: self.rules.join("+"),
            pieces: pieces.pieces,
            handle: self.handle(),
        }
    }

    fn compose_line(&self, pieces: &mut Pieces, at: usize, cuts: &[Cut]) {
        let whole = &self.line(at).whole;
        let mut start = whole.start;
        for cut in cuts {
            pieces.keep(start..cut.range.start);
            if let Some(gap) = cut.gap {
                pieces.note(&self.gaps[gap as usize].note);
                pieces.stand_for(cut.range.end);
            }
            start = cut.range.end;
        }
        pieces.keep(start..whole.end);
        pieces.open_line = true;
    }

    /// Whether any line is kept that has a text. Behind the last line break there is none.
    fn keeps_text(&self) -> bool {
        (0..self.len()).any(|at| self.keeps(at) && !self.line(at).whole.is_empty())
    }

    /// The most telling kind among the gaps: what is missing outweighs what is pointed at.
    fn kind(&self) -> ShapeKind {
        let strongest = self.gaps.iter().map(|gap| gap.kind).max();
        match strongest {
            None => ShapeKind::Compacted,
            Some(ShapeKind::Pointer) if self.keeps_text() => ShapeKind::Delta,
            Some(kind) => kind,
        }
    }
}

/// Puts a cut in its place among `cuts`. Cuts it covers go; of a silent one that reaches into
/// others only what is new is taken.
fn put_cut(cuts: &mut Vec<Cut>, mut new: Cut) {
    let first = cuts.partition_point(|cut| cut.range.end <= new.range.start);
    let last = cuts.partition_point(|cut| cut.range.start < new.range.end).max(first);
    let met = &cuts[first..last];
    let covers = |cut: &Cut| new.range.start <= cut.range.start && cut.range.end <= new.range.end;
    // What a note stands for must not vanish without it.
    if new.gap.is_none() && met.iter().any(|cut| cut.gap.is_some() && covers(cut)) {
        return;
    }
    for cut in met.iter().filter(|_| new.gap.is_none()) {
        if cut.range.start <= new.range.start && new.range.start < cut.range.end {
            new.range.start = cut.range.end;
        }
        if cut.range.start < new.range.end && new.range.end <= cut.range.end {
            new.range.end = cut.range.start;
        }
    }
    if new.range.is_empty() {
        return;
    }
    let apart = |cut: &&Cut| cut.range.end <= new.range.start || new.range.end <= cut.range.start;
    let (mut around, mut place): (Vec<Cut>, usize) =
        (met.iter().filter(apart).cloned().collect(), 0);
    while around.get(place).is_some_and(|cut| cut.range.start < new.range.start) {
        place += 1;
    }
    around.insert(place, new);
    cuts.splice(first..last, around);
}

/// Pieces under construction; neighbouring ranges grow together.
#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
    /// Where what the pieces keep or stand for ends.
    end: u32,
    /// Whether a line break is owed before the next line.
    open_line: bool,
}

impl Pieces {
    fn keep(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        self.end = range.end;
        match self.pieces.last_mut() {
            Some(Piece::Keep(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Keep(range)),
        }
    }

    /// Puts a note that stands for nothing yet.
    fn note(&mut self, note: &Arc<Note>) {
        self.pieces.push(Piece::Note(self.end, Arc::clone(note)));
    }

    /// Has the note put last stand for the original up to byte `end`.
    fn stand_for(&mut self, end: u32) {
        if let Some(Piece::Note(last, _)) = self.pieces.last_mut() {
            (*last, self.end) = (end, end);
        }
    }

    fn line_of_ours(&mut self, note: &Arc<Note>) {
        if self.open_line {
            self.pieces.push(Piece::Break);
        }
        self.note(note);
        self.open_line = true;
    }

    /// Ends the line before the one that starts at byte `start`.
    fn begin_line(&mut self, start: u32) {
        if self.open_line {
            // The original's own line break, where the line before it was kept to its end.
            match self.pieces.last() {
                Some(Piece::Keep(last)) if last.end + 1 == start => self.keep(last.end..start),
                _ => self.pieces.push(Piece::Break),
            }
        }
    }
}

#[cfg(test)]
mod tests;
