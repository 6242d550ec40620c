//! The ledger: the lines of each entry that the model can see in the projection now.
//!
//! It is filled from the sent prompt, line by line, and truncated by compaction, rewinds and
//! rewrites, so that a pointer only ever refers to lines that stand in the prompt. All of these
//! remove the end of the prompt, so the ledger is a stack.

use crate::entry_facts::{LineHash, LineHashMap, LineId};
use crate::message_shape::ReducedLines;
use foveal_transcript::EntryIndex;

/// The position of a line: an entry, and an index into its
/// [`EntryFacts::line_ids`](crate::entry_facts::EntryFacts::line_ids).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct LinePosition {
    /// The entry.
    pub entry: EntryIndex,
    /// The index of the line in the entry, from 0.
    pub line: u32,
}

/// Number of positions remembered per line text; older ones are forgotten first. A text that occurs
/// more often (a brace, a blank line) is no landmark.
const POSITIONS_PER_LINE_MAX: u32 = 12;

/// A visible line.
#[derive(Debug, Clone, Copy)]
struct VisibleLine {
    place: LinePosition,
    text_id: LineId,
    /// Index of the previous visible line with the same text, or `NO_PREVIOUS_LINE`.
    previous: u32,
}

/// The occurrences of one line text.
#[derive(Debug, Clone, Copy)]
struct LineOccurrences {
    /// Index of the latest visible line with the text.
    latest: u32,
    /// Number of its latest occurrences that are remembered.
    remembered: u32,
}

const NO_PREVIOUS_LINE: u32 = u32::MAX;

/// The lines that the model can see in one conversation.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Visible lines, in order.
    visible_lines: Vec<VisibleLine>,
    /// Occurrences by [`LineId`].
    occurrences: Vec<LineOccurrences>,
    /// The entries of the prompt, with or without visible lines.
    entries: Vec<LedgerEntry>,
    /// Entries sent byte for byte, by the hash of their content.
    entries_by_content: LineHashMap<Vec<EntryIndex>>,
}

#[derive(Debug, Clone)]
struct LedgerEntry {
    entry: EntryIndex,
    first_line: u32,
    content_hash: Option<LineHash>,
    marks: ReducedLines,
}

/// How much of a line an entry shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineVisibility {
    /// The full text.
    Visible,
    /// A pointer to the same text elsewhere.
    Pointed,
    /// A part of the text.
    Partial,
    /// Nothing.
    Hidden,
}

impl Ledger {
    /// Appends an entry with its visible `lines` (ascending). `whole` is the hash of the content,
    /// if all of it is visible.
    pub fn push_entry(
        &mut self,
        entry: EntryIndex,
        lines: impl Iterator<Item = (u32, LineId)>,
        whole: Option<LineHash>,
    ) {
        let marks = ReducedLines::default();
        self.entries.push(LedgerEntry {
            entry,
            first_line: self.visible_lines.len() as u32,
            content_hash: whole,
            marks,
        });
        for (line, text) in lines {
            if text.index() >= self.occurrences.len() {
                self.occurrences.resize(
                    text.index() + 1,
                    LineOccurrences { latest: NO_PREVIOUS_LINE, remembered: 0 },
                );
            }
            let latest = &mut self.occurrences[text.index()];
            let at = self.visible_lines.len() as u32;
            self.visible_lines.push(VisibleLine {
                place: LinePosition { entry, line },
                text_id: text,
                previous: latest.latest,
            });
            let remembered = POSITIONS_PER_LINE_MAX.min(latest.remembered + 1);
            *latest = LineOccurrences { latest: at, remembered };
        }
        if let Some(hash) = whole {
            self.entries_by_content.entry(hash).or_default().push(entry);
        }
    }

    /// Sets the lines of the last entry that are pointed at elsewhere or partly visible.
    pub fn mark_last_entry(&mut self, marks: ReducedLines) {
        if let Some(last) = self.entries.last_mut() {
            last.marks = marks;
        }
    }

    /// Removes all entries but the longest start that equals the start of `stay`.
    pub fn retain_prefix(&mut self, stay: &[EntryIndex]) {
        let same = self.entries.iter().zip(stay).take_while(|(mine, stays)| mine.entry == **stays);
        let kept = same.count();
        let Some(first) = self.entries.get(kept) else { return };
        for gone in self.visible_lines.drain(first.first_line as usize..).rev() {
            let latest = &mut self.occurrences[gone.text_id.index()];
            // Occurrences that were forgotten for the limit stay forgotten.
            *latest = LineOccurrences {
                latest: gone.previous,
                remembered: latest.remembered.saturating_sub(1),
            };
        }
        for gone in self.entries.drain(kept..).rev() {
            let Some(hash) = gone.content_hash else { continue };
            if let Some(entries) = self.entries_by_content.get_mut(&hash) {
                entries.pop();
            }
        }
    }

    /// Returns the ledger as if the entries of `hidden` (ascending) had never been sent.
    pub fn without_entries(&self, hidden: &[EntryIndex]) -> Self {
        let mut rest = Self::default();
        for (at, start) in self.entries.iter().enumerate() {
            if hidden.binary_search(&start.entry).is_ok() {
                continue;
            }
            let end = self
                .entries
                .get(at + 1)
                .map_or(self.visible_lines.len(), |next| next.first_line as usize);
            let lines = &self.visible_lines[start.first_line as usize..end];
            let lines = lines.iter().map(|shown| (shown.place.line, shown.text_id));
            rest.push_entry(start.entry, lines, start.content_hash);
            rest.mark_last_entry(start.marks.clone());
        }
        rest
    }

    /// Returns the blocks that begin with a visible line of this text, the latest first.
    pub fn blocks(&self, text: LineId) -> impl Iterator<Item = VisibleBlock<'_>> {
        let latest = self.occurrences.get(text.index()).copied();
        let latest = latest.unwrap_or(LineOccurrences { latest: NO_PREVIOUS_LINE, remembered: 0 });
        let mut at = latest.latest;
        (0..latest.remembered).map(move |_| {
            let shown = &self.visible_lines[at as usize..];
            at = shown[0].previous;
            VisibleBlock { visible_lines: shown }
        })
    }

    /// Returns the positions at which a line of this text is visible, the latest first.
    pub fn positions(&self, text: LineId) -> impl Iterator<Item = LinePosition> {
        self.blocks(text).map(|block| block.start())
    }

    /// Returns whether the line at this position is visible.
    pub fn is_visible(&self, place: LinePosition) -> bool {
        let Ok(at) = self.entries.binary_search_by_key(&place.entry, |start| start.entry) else {
            return false;
        };
        let end = self
            .entries
            .get(at + 1)
            .map_or(self.visible_lines.len(), |next| next.first_line as usize);
        let lines = &self.visible_lines[self.entries[at].first_line as usize..end];
        lines.binary_search_by_key(&place.line, |shown| shown.place.line).is_ok()
    }

    /// Returns the entries whose whole content has this hash and is visible, oldest first.
    pub fn entries_with_content(&self, hash: LineHash) -> &[EntryIndex] {
        self.entries_by_content.get(&hash).map_or(&[], Vec::as_slice)
    }

    /// Returns the entries of the prompt, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = EntryIndex> {
        self.entries.iter().map(|start| start.entry)
    }

    /// Returns the visibility of the lines of each entry, the latest entry first.
    pub fn entries_latest_first(&self) -> impl Iterator<Item = EntryVisibility<'_>> {
        let mut end = self.visible_lines.len();
        self.entries.iter().rev().map(move |start| {
            let shown = &self.visible_lines[start.first_line as usize..end];
            end = start.first_line as usize;
            EntryVisibility { entry: start.entry, visible_lines: shown, marks: &start.marks }
        })
    }

    /// Returns the number of visible lines.
    pub fn visible_line_count(&self) -> usize {
        self.visible_lines.len()
    }
}

/// The visibility of the lines of one entry.
#[derive(Debug, Clone, Copy)]
pub struct EntryVisibility<'a> {
    /// The entry.
    pub entry: EntryIndex,
    visible_lines: &'a [VisibleLine],
    marks: &'a ReducedLines,
}

impl EntryVisibility<'_> {
    /// Returns the visibility of the line at this index of the entry.
    pub fn visibility(&self, line: u32) -> LineVisibility {
        let at = self.visible_lines.get(line as usize).filter(|shown| shown.place.line == line);
        if at.is_some()
            || self.visible_lines.binary_search_by_key(&line, |shown| shown.place.line).is_ok()
        {
            return LineVisibility::Visible;
        }
        let ReducedLines { pointed, partial } = self.marks;
        let range = pointed.partition_point(|range| range.end <= line);
        if pointed.get(range).is_some_and(|range| range.start <= line) {
            return LineVisibility::Pointed;
        }
        match partial.binary_search(&line) {
            Ok(_) => LineVisibility::Partial,
            Err(_) => LineVisibility::Hidden,
        }
    }
}

/// A run of consecutive visible lines of one entry.
#[derive(Debug, Clone, Copy)]
pub struct VisibleBlock<'a> {
    /// The first line of the run and all visible lines after it.
    visible_lines: &'a [VisibleLine],
}

impl<'a> VisibleBlock<'a> {
    /// Returns the position of the first line.
    pub fn start(&self) -> LinePosition {
        self.visible_lines[0].place
    }

    /// Returns the positions and text ids of the lines.
    pub fn lines(self) -> impl Iterator<Item = (LinePosition, LineId)> + use<'a> {
        let LinePosition { entry, line } = self.start();
        let numbered = self.visible_lines.iter().zip(line..);
        numbered
            .take_while(move |(shown, line)| shown.place == LinePosition { entry, line: *line })
            .map(|(shown, _)| (shown.place, shown.text_id))
    }
}

#[cfg(test)]
mod tests;
