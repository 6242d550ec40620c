//! A draft: a tool result that is being shaped, line by line.
//!
//! Rules decide on each line; [`ShapeDraft::compose`] turns the decisions into pieces. A rule sees
//! the result of the earlier rules and can only remove content.

use std::ops::Range;
use std::sync::Arc;

use crate::entry_facts::EntryFacts;
use crate::lines::ResultLine;
use crate::message_shape::{MessageShape, ShapeKind, ShapePiece};
use crate::note::{LineNumberRange, Note};
use foveal_transcript::Handle;

/// The decision on one line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LineDecision {
    /// The line is kept, but for these byte ranges (ascending, within the line, disjoint).
    Keep(Vec<LineCut>),
    /// The line is part of the gap with this number.
    Gap(u32),
}

/// A byte range that is omitted from a kept line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineCut {
    /// Bytes of the content, within the line.
    pub range: Range<u32>,
    /// The gap whose note replaces the range; `None` if no note does.
    pub gap: Option<u32>,
}

/// Lines, or a part of one, that a note replaces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftGap {
    note: Arc<Note>,
    /// Length of the note's text in bytes.
    note_len: usize,
    /// The kind of replacement.
    kind: ShapeKind,
}

impl DraftGap {
    /// Creates a gap that `note` replaces.
    pub fn new(kind: ShapeKind, note: Note) -> Self {
        Self { note_len: note.text_len(), note: note.into(), kind }
    }

    /// Returns the length of the note's text in bytes.
    pub fn note_len(&self) -> usize {
        self.note_len
    }
}

/// A tool result that is being shaped.
#[derive(Debug, Clone)]
pub struct ShapeDraft<'a> {
    /// The original.
    pub content: &'a str,
    /// The facts of its entry.
    pub facts: &'a EntryFacts,
    decisions: Vec<LineDecision>,
    gaps: Vec<DraftGap>,
    /// Notes to insert before the first kept line of a range, on lines of their own; ascending.
    headings: Vec<(Range<usize>, Arc<Note>)>,
    /// For each line, whether it follows the previous one without a line break.
    joined: Vec<bool>,
    rules: Vec<&'static str>,
}

impl<'a> ShapeDraft<'a> {
    /// Returns the number of these lines, without the empty one behind the last line break.
    pub(super) fn content_line_count(&self, lines: &Range<usize>) -> u32 {
        let has_end = lines.end == self.len() && self.content.ends_with('\n');
        lines.len().saturating_sub(usize::from(has_end)) as u32
    }

    /// Creates a draft that keeps everything.
    pub fn new(content: &'a str, facts: &'a EntryFacts) -> Self {
        let decisions = vec![LineDecision::Keep(Vec::new()); facts.printed.lines.len()];
        let joined = vec![false; decisions.len()];
        Self {
            content,
            facts,
            decisions,
            gaps: Vec::new(),
            headings: Vec::new(),
            joined,
            rules: Vec::new(),
        }
    }

    /// Returns the content address of the original.
    pub fn handle(&self) -> Handle {
        self.facts.handle().unwrap_or_else(|| Handle::from_content(self.content.as_bytes()))
    }

    /// Returns the number of lines.
    pub fn len(&self) -> usize {
        self.decisions.len()
    }

    /// Returns whether the result has no lines.
    pub fn is_empty(&self) -> bool {
        self.decisions.is_empty()
    }

    /// Returns the line at `at`.
    pub fn result_line(&self, at: usize) -> &'a ResultLine {
        &self.facts.printed.lines[at]
    }

    /// Returns the first and last number of `lines`, if they count up by one in one file.
    pub fn number_range(&self, lines: &Range<usize>) -> Option<LineNumberRange> {
        let first = self.result_line(lines.start);
        let start = first.number?.0;
        let runs = lines.clone().zip(start..).all(|(at, number)| {
            let line = self.result_line(at);
            line.path == first.path && line.number.is_some_and(|n| n.0 == number)
        });
        runs.then_some(LineNumberRange(start, start + lines.len() as u32 - 1))
    }

    /// Returns the file's text of the line at `at`.
    pub fn line_text(&self, at: usize) -> &'a str {
        self.result_line(at).file_text(self.content)
    }

    /// Returns whether the line at `at` is kept, at least in part.
    pub fn is_visible(&self, at: usize) -> bool {
        matches!(self.decisions[at], LineDecision::Keep(_))
    }

    /// Returns whether the line at `at` is a repetition that a note counts.
    pub fn is_folded(&self, at: usize) -> bool {
        match &self.decisions[at] {
            LineDecision::Gap(number) => self.gaps[*number as usize].kind == ShapeKind::Compacted,
            LineDecision::Keep(_) => false,
        }
    }

    /// Returns the number of bytes that the draft shows of the line at `at`, line break included.
    pub fn visible_len(&self, at: usize) -> usize {
        match &self.decisions[at] {
            LineDecision::Keep(cuts) => {
                let cut: usize = cuts.iter().map(|cut| cut.range.len()).sum();
                let gaps = cuts.iter().filter_map(|cut| cut.gap);
                let notes: usize = gaps.map(|gap| self.gaps[gap as usize].note_len).sum();
                self.result_line(at).whole.len() - cut + notes + 1
            }
            LineDecision::Gap(_) => 0,
        }
    }

    /// Returns whether the line at `at` is kept completely.
    pub fn is_fully_visible(&self, at: usize) -> bool {
        matches!(&self.decisions[at], LineDecision::Keep(cuts) if cuts.is_empty())
    }

    /// Returns the number of bytes of all kept lines.
    pub fn total_visible_len(&self) -> usize {
        (0..self.len()).map(|at| self.visible_len(at)).sum()
    }

    /// Returns whether no rule changed the draft.
    pub fn is_unmodified(&self) -> bool {
        self.rules.is_empty()
    }

    /// Omits the kept lines in `lines`; lines that are already in a gap stay in theirs.
    pub fn omit_lines(&mut self, rule: &'static str, lines: Range<usize>, gap: DraftGap) {
        self.record_rule(rule);
        let number = self.gaps.len() as u32;
        self.gaps.push(gap);
        for fate in &mut self.decisions[lines] {
            if matches!(fate, LineDecision::Keep(_)) {
                *fate = LineDecision::Gap(number);
            }
        }
    }

    /// Cuts `range` (bytes of the content, within the line) out of the kept line at `at`.
    pub fn cut_range(&mut self, rule: &'static str, at: usize, range: Range<u32>) {
        self.cut_ranges(rule, at, [range]);
    }

    /// Cuts `ranges`, which are ascending and disjoint, out of the kept line at `at`. The line may
    /// be the whole result, with a cut at every other byte.
    pub fn cut_ranges(
        &mut self,
        rule: &'static str,
        at: usize,
        ranges: impl IntoIterator<Item = Range<u32>>,
    ) {
        let mut ranges = ranges.into_iter().filter(|range| !range.is_empty()).peekable();
        if ranges.peek().is_none() {
            return;
        }
        self.record_rule(rule);
        let LineDecision::Keep(cuts) = &mut self.decisions[at] else { return };
        let mut before = std::mem::take(cuts).into_iter().peekable();
        for range in ranges {
            while let Some(cut) = before.next_if(|cut| cut.range.start < range.end) {
                cuts.push(cut);
            }
            insert_cut(cuts, LineCut { range, gap: None });
        }
        cuts.extend(before);
    }

    /// Replaces `range` (bytes of the content, within the line) in the kept line at `at` by the
    /// note that `gap` makes for a number of bytes. Cuts that touch `range` become part of the gap.
    pub fn replace_in_line(
        &mut self,
        rule: &'static str,
        at: usize,
        range: Range<u32>,
        gap: impl FnOnce(usize) -> DraftGap,
    ) {
        let LineDecision::Keep(cuts) = &self.decisions[at] else { return };
        if range.is_empty() {
            return;
        }
        let first = cuts.partition_point(|cut| cut.range.end < range.start);
        let last = cuts.partition_point(|cut| cut.range.start <= range.end);
        let range = cuts[first..last.max(first)].iter().fold(range, |range, cut| {
            range.start.min(cut.range.start)..range.end.max(cut.range.end)
        });
        let number = self.gaps.len() as u32;
        self.record_rule(rule);
        self.gaps.push(gap(range.len()));
        if let LineDecision::Keep(cuts) = &mut self.decisions[at] {
            insert_cut(cuts, LineCut { range, gap: Some(number) });
        }
    }

    /// Removes the line break before the line at `at`.
    pub fn remove_line_break(&mut self, rule: &'static str, at: usize) {
        self.record_rule(rule);
        self.joined[at] = true;
    }

    /// Inserts a note before the first of `lines` that is kept in the end, if any is.
    pub fn insert_heading(&mut self, rule: &'static str, lines: Range<usize>, note: Note) {
        self.record_rule(rule);
        let place = self.headings.partition_point(|(other, _)| other.start <= lines.start);
        self.headings.insert(place, (lines, note.into()));
    }

    fn record_rule(&mut self, rule: &'static str) {
        if !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    /// Composes the shape from the decisions.
    pub fn compose(&self) -> MessageShape {
        let mut pieces = PieceBuilder::default();
        let mut headings = self.headings.iter().peekable();
        let mut open_gap = None;
        let mut after_kept = false;
        for (at, fate) in self.decisions.iter().enumerate() {
            match fate {
                LineDecision::Gap(number) => {
                    if open_gap != Some(*number) {
                        pieces.push_note_line(&self.gaps[*number as usize].note);
                    }
                    pieces.extend_note(self.result_line(at).whole.end);
                    open_gap = Some(*number);
                    after_kept = false;
                }
                LineDecision::Keep(cuts) => {
                    open_gap = None;
                    while let Some((lines, note)) = headings.next_if(|head| head.0.start <= at) {
                        if at < lines.end {
                            pieces.push_note_line(note);
                            after_kept = false;
                        }
                    }
                    if !(after_kept && self.joined[at]) {
                        pieces.break_line(self.result_line(at).whole.start);
                    }
                    self.compose_line(&mut pieces, at, cuts);
                    after_kept = true;
                }
            }
        }
        MessageShape {
            kind: self.shape_kind(),
            rule: self.rules.join("+"),
            pieces: pieces.pieces,
            handle: self.handle(),
        }
    }

    fn compose_line(&self, pieces: &mut PieceBuilder, at: usize, cuts: &[LineCut]) {
        let whole = &self.result_line(at).whole;
        let mut start = whole.start;
        for cut in cuts {
            pieces.push_kept(start..cut.range.start);
            if let Some(gap) = cut.gap {
                pieces.push_note(&self.gaps[gap as usize].note);
                pieces.extend_note(cut.range.end);
            }
            start = cut.range.end;
        }
        pieces.push_kept(start..whole.end);
        pieces.open_line = true;
    }

    /// Returns whether any non-empty line is kept. The text after the last line break is empty.
    fn has_visible_text(&self) -> bool {
        (0..self.len()).any(|at| self.is_visible(at) && !self.result_line(at).whole.is_empty())
    }

    /// Returns the strongest kind among the gaps: omissions outweigh pointers.
    fn shape_kind(&self) -> ShapeKind {
        let strongest = self.gaps.iter().map(|gap| gap.kind).max();
        match strongest {
            None => ShapeKind::Compacted,
            Some(ShapeKind::Pointer) if self.has_visible_text() => ShapeKind::Delta,
            Some(kind) => kind,
        }
    }
}

/// Inserts a cut into `cuts`. Cuts that it covers are removed; a cut without a note is reduced to
/// the part that no other covers.
fn insert_cut(cuts: &mut Vec<LineCut>, mut new: LineCut) {
    let first = cuts.partition_point(|cut| cut.range.end <= new.range.start);
    let last = cuts.partition_point(|cut| cut.range.start < new.range.end).max(first);
    let met = &cuts[first..last];
    let covers =
        |cut: &LineCut| new.range.start <= cut.range.start && cut.range.end <= new.range.end;
    // Content that a note replaces must not vanish without the note.
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
    let apart =
        |cut: &&LineCut| cut.range.end <= new.range.start || new.range.end <= cut.range.start;
    let (mut around, mut place): (Vec<LineCut>, usize) =
        (met.iter().filter(apart).cloned().collect(), 0);
    while around.get(place).is_some_and(|cut| cut.range.start < new.range.start) {
        place += 1;
    }
    around.insert(place, new);
    cuts.splice(first..last, around);
}

/// Builds the pieces of a shape; adjacent ranges are merged.
#[derive(Default)]
struct PieceBuilder {
    pieces: Vec<ShapePiece>,
    /// End of the bytes that the pieces keep or replace.
    end: u32,
    /// Whether a line break is needed before the next line.
    open_line: bool,
}

impl PieceBuilder {
    fn push_kept(&mut self, range: Range<u32>) {
        if range.is_empty() {
            return;
        }
        self.end = range.end;
        match self.pieces.last_mut() {
            Some(ShapePiece::Keep(last)) if last.end == range.start => last.end = range.end,
            _ => self.pieces.push(ShapePiece::Keep(range)),
        }
    }

    /// Adds a note that replaces no bytes yet.
    fn push_note(&mut self, note: &Arc<Note>) {
        self.pieces.push(ShapePiece::Note(self.end, Arc::clone(note)));
    }

    /// Extends the bytes that the last note replaces to `end`.
    fn extend_note(&mut self, end: u32) {
        if let Some(ShapePiece::Note(last, _)) = self.pieces.last_mut() {
            (*last, self.end) = (end, end);
        }
    }

    fn push_note_line(&mut self, note: &Arc<Note>) {
        if self.open_line {
            self.pieces.push(ShapePiece::Break);
        }
        self.push_note(note);
        self.open_line = true;
    }

    /// Ends the line before the one that starts at byte `start`.
    fn break_line(&mut self, start: u32) {
        if self.open_line {
            // The line break of the original is kept, if the previous line was kept to its end.
            match self.pieces.last() {
                Some(ShapePiece::Keep(last)) if last.end + 1 == start => {
                    self.push_kept(last.end..start);
                }
                _ => self.pieces.push(ShapePiece::Break),
            }
        }
    }
}

#[cfg(test)]
mod tests;
