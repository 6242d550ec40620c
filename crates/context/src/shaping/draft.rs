//! A draft: a tool result on its way to a shape, line by line.
//!
//! Rules mark what each line becomes; [`Draft::compose`] turns the marks into pieces. A
//! rule sees what earlier rules left, and only ever takes away.

use std::ops::Range;

use crate::handle::Handle;
use crate::lines::PrintedLine;
use crate::observed::Facts;
use crate::shape::{Piece, Shape, ShapeKind};
use crate::transcript::EntryIndex;

/// What becomes of one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fate {
    /// Kept, save for byte ranges of it that say nothing (ascending, within the line).
    Keep(Vec<Range<u32>>),
    /// Part of the gap with this number.
    Gap(u32),
}

/// A run of lines that is left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gap {
    /// What stands in its place, one line without the line break; empty for nothing at all.
    pub note: String,
    /// The entry the note points at.
    pub refers_to: Option<EntryIndex>,
    /// The kind of replacement.
    pub kind: ShapeKind,
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
    /// Text put before a kept line, by line; a line of its own.
    headings: Vec<(u32, String)>,
    rules: Vec<&'static str>,
}

impl<'a> Draft<'a> {
    /// Everything kept.
    pub fn new(content: &'a str, facts: &'a Facts) -> Self {
        let fates = vec![Fate::Keep(Vec::new()); facts.printed.lines.len()];
        Self { content, facts, fates, gaps: Vec::new(), headings: Vec::new(), rules: Vec::new() }
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

    /// The file's text of the line at `at`.
    pub fn text(&self, at: usize) -> &'a str {
        self.line(at).text_in(self.content)
    }

    /// Whether the line at `at` is kept (perhaps cut).
    pub fn keeps(&self, at: usize) -> bool {
        matches!(self.fates[at], Fate::Keep(_))
    }

    /// Bytes of the line at `at` that the draft would show, line break included.
    pub fn shown_len(&self, at: usize) -> usize {
        match &self.fates[at] {
            Fate::Keep(cuts) => {
                let cut: u32 = cuts.iter().map(|cut| cut.end - cut.start).sum();
                let whole = &self.line(at).whole;
                (whole.end - whole.start - cut) as usize + 1
            }
            Fate::Gap(_) => 0,
        }
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
        if range.is_empty() {
            return;
        }
        self.note_rule(rule);
        if let Fate::Keep(cuts) = &mut self.fates[at] {
            let place = cuts.partition_point(|cut| cut.start < range.start);
            cuts.insert(place, range);
        }
    }

    /// Puts a line of ours before the line at `at`.
    pub fn head(&mut self, rule: &'static str, at: usize, text: String) {
        self.note_rule(rule);
        let place = self.headings.partition_point(|(line, _)| *line <= at as u32);
        self.headings.insert(place, (at as u32, text));
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
        for (at, fate) in self.fates.iter().enumerate() {
            while let Some((_, text)) = headings.next_if(|(line, _)| *line as usize <= at) {
                pieces.line_of_ours(text);
                open_gap = None;
            }
            match fate {
                Fate::Gap(number) => {
                    if open_gap != Some(*number) {
                        let note = &self.gaps[*number as usize].note;
                        if !note.is_empty() {
                            pieces.line_of_ours(note);
                        }
                    }
                    open_gap = Some(*number);
                }
                Fate::Keep(cuts) => {
                    open_gap = None;
                    pieces.line(self.line(at).whole.clone(), cuts);
                }
            }
        }
        Shape {
            kind: self.kind(),
            rule: self.rules.join("+"),
            pieces: pieces.finish(),
            refers_to: self.refers_to(),
            handle: Handle::of(self.content.as_bytes()),
        }
    }

    fn refers_to(&self) -> Vec<EntryIndex> {
        let mut entries: Vec<_> = self.gaps.iter().filter_map(|gap| gap.refers_to).collect();
        entries.sort_unstable();
        entries.dedup();
        entries
    }

    /// The most telling kind among the gaps: what is missing outweighs what is pointed at.
    fn kind(&self) -> ShapeKind {
        let strongest = self.gaps.iter().map(|gap| gap.kind).max();
        match strongest {
            None => ShapeKind::Compacted,
            Some(ShapeKind::Pointer) if self.fates.iter().any(|f| matches!(f, Fate::Keep(_))) => {
                ShapeKind::Delta
            }
            Some(kind) => kind,
        }
    }
}

/// Pieces under construction; neighbouring ranges grow together.
#[derive(Default)]
struct Pieces {
    pieces: Vec<Piece>,
    /// Whether a line break is owed before the next line.
    open_line: bool,
}

impl Pieces {
    fn keep(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Keep(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(Piece::Keep(range)),
        }
    }

    fn ours(&mut self, text: &str) {
        if let Some(Piece::Note(last)) = self.pieces.last_mut() {
            let mut joined = String::from(std::mem::take(last));
            joined.push_str(text);
            *last = joined.into_boxed_str();
        } else {
            self.pieces.push(Piece::Note(text.into()));
        }
    }

    fn line_of_ours(&mut self, text: &str) {
        if self.open_line {
            self.ours("\n");
        }
        self.ours(text);
        self.open_line = true;
    }

    fn line(&mut self, whole: Range<u32>, cuts: &[Range<u32>]) {
        if self.open_line {
            // The original's own line break, where the line before it was kept to its end.
            match self.pieces.last() {
                Some(Piece::Keep(last)) if last.end + 1 == whole.start => {
                    self.keep(last.end..whole.start);
                }
                _ => self.ours("\n"),
            }
        }
        let mut start = whole.start;
        for cut in cuts {
            self.keep(start..cut.start.max(start));
            start = cut.end.max(start);
        }
        self.keep(start..whole.end);
        self.open_line = true;
    }

    fn finish(self) -> Vec<Piece> {
        self.pieces
    }
}
