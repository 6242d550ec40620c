//! The ledger: which lines of which entries the model can see in the projection right now.
//!
//! It is filled from what was really sent, line by line, and emptied by compaction,
//! rewinds and rewrites, so that a pointer is only ever made to what stands in the prompt.
//! All of these take away the end of the prompt, so the ledger is a stack.

use crate::facts::{HashMapOfLines, LineHash, LineId};
use crate::shape::LineMarks;
use foveal_transcript::EntryIndex;

/// One visible line: an entry and the line's place in [`Facts::ids`](crate::facts::Facts).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The entry.
    pub entry: EntryIndex,
    /// The line's place in it, from 0.
    pub line: u32,
}

/// Places remembered per line text; older ones are forgotten first. A line that stands in
/// more places (a brace, a blank line) is no landmark anyway.
const PLACES_PER_LINE_MAX: u32 = 12;

/// One visible line.
#[derive(Debug, Clone, Copy)]
struct Shown {
    place: Place,
    text: LineId,
    /// The visible line of the same text before this one; `NONE` if there is none.
    before: u32,
}

/// What is known about one line text.
#[derive(Debug, Clone, Copy)]
struct Latest {
    /// Its latest visible line.
    at: u32,
    /// How many of its latest visible lines are remembered.
    remembered: u32,
}

const NONE: u32 = u32::MAX;

/// What the model can see, for one conversation.
#[derive(Debug, Clone, Default)]
pub struct Ledger {
    /// Visible lines in order.
    shown: Vec<Shown>,
    /// By [`LineId`].
    latest: Vec<Latest>,
    /// Each entry with visible lines or none, and where its lines begin in `shown`.
    entries: Vec<Start>,
    /// Entries sent byte for byte, by the hash of their content.
    whole: HashMapOfLines<Vec<EntryIndex>>,
}

#[derive(Debug, Clone)]
struct Start {
    entry: EntryIndex,
    shown: u32,
    whole: Option<LineHash>,
    marks: LineMarks,
}

/// What an entry says of one of its lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineState {
    /// Its text, word for word.
    Visible,
    /// Where the same text stands.
    Pointed,
    /// A part of its text.
    Partial,
    /// Nothing.
    Hidden,
}

impl Ledger {
    /// Records that `lines` (ascending) of `entry` are visible. Entries come in order.
    /// `whole` is the hash of the content, if all of it is visible.
    pub fn show(
        &mut self,
        entry: EntryIndex,
        lines: impl Iterator<Item = (u32, LineId)>,
        whole: Option<LineHash>,
    ) {
        let marks = LineMarks::default();
        self.entries.push(Start { entry, shown: self.shown.len() as u32, whole, marks });
        for (line, text) in lines {
            if text.at() >= self.latest.len() {
                self.latest.resize(text.at() + 1, Latest { at: NONE, remembered: 0 });
            }
            let latest = &mut self.latest[text.at()];
            let at = self.shown.len() as u32;
            self.shown.push(Shown { place: Place { entry, line }, text, before: latest.at });
            let remembered = PLACES_PER_LINE_MAX.min(latest.remembered + 1);
            *latest = Latest { at, remembered };
        }
        if let Some(hash) = whole {
            self.whole.entry(hash).or_default().push(entry);
        }
    }

    /// Sets what the entry shown last says of the lines that are not visible in it.
    pub fn mark(&mut self, marks: LineMarks) {
        if let Some(last) = self.entries.last_mut() {
            last.marks = marks;
        }
    }

    /// Forgets all entries but the first ones, as far as they are those of `stay`.
    pub fn forget_all_but(&mut self, stay: &[EntryIndex]) {
        let same = self.entries.iter().zip(stay).take_while(|(mine, stays)| mine.entry == **stays);
        let kept = same.count();
        let Some(first) = self.entries.get(kept) else { return };
        for gone in self.shown.drain(first.shown as usize..).rev() {
            let latest = &mut self.latest[gone.text.at()];
            // What was forgotten for being one too many stays forgotten.
            *latest = Latest { at: gone.before, remembered: latest.remembered.saturating_sub(1) };
        }
        for gone in self.entries.drain(kept..).rev() {
            let Some(hash) = gone.whole else { continue };
            if let Some(entries) = self.whole.get_mut(&hash) {
                entries.pop();
            }
        }
    }

    /// The ledger as it would be if the entries of `hidden` (ascending) had never been shown.
    pub fn without(&self, hidden: &[EntryIndex]) -> Self {
        let mut rest = Self::default();
        for (at, start) in self.entries.iter().enumerate() {
            if hidden.binary_search(&start.entry).is_ok() {
                continue;
            }
            let end = self.entries.get(at + 1).map_or(self.shown.len(), |next| next.shown as usize);
            let lines = &self.shown[start.shown as usize..end];
            let lines = lines.iter().map(|shown| (shown.place.line, shown.text));
            rest.show(start.entry, lines, start.whole);
            rest.mark(start.marks.clone());
        }
        rest
    }

    /// The blocks that begin with a visible line of this text, the latest first.
    pub fn blocks(&self, text: LineId) -> impl Iterator<Item = Block<'_>> {
        let latest = self.latest.get(text.at()).copied();
        let latest = latest.unwrap_or(Latest { at: NONE, remembered: 0 });
        let mut at = latest.at;
        (0..latest.remembered).map(move |_| {
            let shown = &self.shown[at as usize..];
            at = shown[0].before;
            Block { shown }
        })
    }

    /// Where a line of this text is visible, the latest place first.
    pub fn places(&self, text: LineId) -> impl Iterator<Item = Place> {
        self.blocks(text).map(|block| block.start())
    }

    /// Whether this very line of this entry is visible.
    pub fn sees(&self, place: Place) -> bool {
        let Ok(at) = self.entries.binary_search_by_key(&place.entry, |start| start.entry) else {
            return false;
        };
        let end = self.entries.get(at + 1).map_or(self.shown.len(), |next| next.shown as usize);
        let lines = &self.shown[self.entries[at].shown as usize..end];
        lines.binary_search_by_key(&place.line, |shown| shown.place.line).is_ok()
    }

    /// Entries whose whole content has this hash and is visible, oldest first.
    pub fn whole(&self, hash: LineHash) -> &[EntryIndex] {
        self.whole.get(&hash).map_or(&[], Vec::as_slice)
    }

    /// The entries that are in the prompt, in order.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = EntryIndex> {
        self.entries.iter().map(|start| start.entry)
    }

    /// What the entries say of their lines, the latest entry first.
    pub fn latest_entries(&self) -> impl Iterator<Item = EntryLines<'_>> {
        let mut end = self.shown.len();
        self.entries.iter().rev().map(move |start| {
            let shown = &self.shown[start.shown as usize..end];
            end = start.shown as usize;
            EntryLines { entry: start.entry, shown, marks: &start.marks }
        })
    }

    /// Lines visible in all.
    pub fn lines_visible(&self) -> usize {
        self.shown.len()
    }
}

/// What one entry of the prompt says of its lines.
#[derive(Debug, Clone, Copy)]
pub struct EntryLines<'a> {
    /// The entry.
    pub entry: EntryIndex,
    shown: &'a [Shown],
    marks: &'a LineMarks,
}

impl EntryLines<'_> {
    /// What is said of the line at this place in the entry.
    pub fn state(&self, line: u32) -> LineState {
        let at = self.shown.get(line as usize).filter(|shown| shown.place.line == line);
        if at.is_some() || self.shown.binary_search_by_key(&line, |shown| shown.place.line).is_ok()
        {
            return LineState::Visible;
        }
        let LineMarks { pointed, partial } = self.marks;
        let range = pointed.partition_point(|range| range.end <= line);
        if pointed.get(range).is_some_and(|range| range.start <= line) {
            return LineState::Pointed;
        }
        match partial.binary_search(&line) {
            Ok(_) => LineState::Partial,
            Err(_) => LineState::Hidden,
        }
    }
}

/// Visible lines of one entry that follow each other there.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// Its first line and all that is shown after that.
    shown: &'a [Shown],
}

impl<'a> Block<'a> {
    /// The place of its first line.
    pub fn start(&self) -> Place {
        self.shown[0].place
    }

    /// The places and texts of its lines.
    pub fn lines(self) -> impl Iterator<Item = (Place, LineId)> + use<'a> {
        let Place { entry, line } = self.start();
        let numbered = self.shown.iter().zip(line..);
        numbered
            .take_while(move |(shown, line)| shown.place == Place { entry, line: *line })
            .map(|(shown, _)| (shown.place, shown.text))
    }
}

#[cfg(test)]
mod tests;
