//! Several edits at once, of one text or more: all or none.

use std::ops::Range;

use super::change::{Change, Edit, How};
use super::plan::plan_edit;
use super::refusal::EditRefusal;
use super::text::LineCounter;
use foveal_transcript::LineSpan;

/// One edit of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOf {
    /// Which of the texts, from 0.
    pub text: usize,
    /// The edit; it sees what the edits before it did.
    pub edit: Edit,
}

/// Why none of several edits is carried out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("edit {} of {of}: {why}; none of the edits was made", index + 1)]
pub struct RefusedEdit {
    /// The edit that is refused, from 0.
    pub index: usize,
    /// How many edits there are.
    pub of: usize,
    /// Why.
    pub why: EditRefusal,
}

/// A later edit changes text that an earlier one wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overlap {
    /// The edits, from 0.
    pub earlier: usize,
    /// The edit that changes what `earlier` wrote.
    pub later: usize,
}

/// A text after those of several edits that are about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedText {
    /// The text after.
    pub text: String,
    /// The replaced places, from the text before all edits to that after all, in order.
    pub changed: Vec<Change>,
    /// Whether all that is gone was spelled out as it was, but for line endings.
    pub is_spelled: bool,
}

/// Several texts after several edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTexts {
    /// For each text, what became of it; `None` where no edit is about it.
    pub texts: Vec<Option<PlannedText>>,
    /// For each edit, how its old text was found.
    pub how: Vec<How>,
    /// The edits that change what others wrote.
    pub overlaps: Vec<Overlap>,
}

/// Plans `edits` of `texts` in their order; each sees what those before it did.
///
/// # Errors
/// The first edit that is refused. Nothing is planned then.
pub fn plan_edits(texts: &[&str], edits: &[EditOf]) -> Result<PlannedTexts, RefusedEdit> {
    let mut states: Vec<Option<State>> = texts.iter().map(|_| None).collect();
    let mut how = Vec::with_capacity(edits.len());
    let mut overlaps = Vec::new();
    for (index, EditOf { text, edit }) in edits.iter().enumerate() {
        let refused = |why| RefusedEdit { index, of: edits.len(), why };
        let (Some(original), Some(state)) = (texts.get(*text), states.get_mut(*text)) else {
            return Err(refused(EditRefusal::NoSuchText { text: *text, of: texts.len() }));
        };
        let state = state.get_or_insert_with(|| State::of(original));
        let planned = plan_edit(&state.text, edit).map_err(refused)?;
        let mut met = state.take(&planned.changed, index);
        met.sort_unstable();
        met.dedup();
        overlaps.extend(met.into_iter().map(|earlier| Overlap { earlier, later: index }));
        state.text = planned.text;
        state.is_spelled &= planned.how.is_spelled();
        how.push(planned.how);
    }
    let finish =
        |(state, original): (Option<State>, &&str)| state.map(|state| state.finish(original));
    let texts = states.into_iter().zip(texts).map(finish).collect();
    Ok(PlannedTexts { texts, how, overlaps })
}

/// A text between edits.
struct State {
    text: String,
    /// What was replaced so far, ascending and apart.
    patches: Vec<Patch>,
    /// Whether all old texts stood there as they were spelled.
    is_spelled: bool,
}

/// Bytes of the original, and those of the text that stand there now.
struct Patch {
    original: Range<usize>,
    now: Range<usize>,
    /// The edits that wrote here.
    by: Vec<usize>,
}

impl State {
    fn of(original: &str) -> Self {
        Self { text: original.to_owned(), patches: Vec::new(), is_spelled: true }
    }

    /// Takes in the changes of edit `by`; gives the edits whose text they change.
    fn take(&mut self, changes: &[Change], by: usize) -> Vec<usize> {
        let mut met = Vec::new();
        // From the back, so that what is before a change keeps its place.
        for change in changes.iter().rev() {
            met.extend(self.take_one(&change.bytes, change.new_bytes.len(), by));
        }
        met.retain(|earlier| *earlier != by);
        met
    }

    fn take_one(&mut self, bytes: &Range<usize>, new_len: usize, by: usize) -> Vec<usize> {
        let from = self.patches.partition_point(|patch| patch.now.end < bytes.start);
        let to = self.patches.partition_point(|patch| patch.now.start <= bytes.end);
        let (from, to) = (from, to.max(from));
        let start =
            self.patches[from..to].first().map_or(bytes.start, |p| p.now.start.min(bytes.start));
        let end = self.patches[from..to].last().map_or(bytes.end, |p| p.now.end.max(bytes.end));
        let original = self.original_place(start, false)..self.original_place(end, true);
        let mut writers = Vec::new();
        let mut met = Vec::new();
        for patch in self.patches.drain(from..to) {
            if patch.now.start < bytes.end && bytes.start < patch.now.end {
                met.extend_from_slice(&patch.by);
            }
            writers.extend(patch.by);
        }
        writers.push(by);
        let grown = |place: usize| place - bytes.len() + new_len;
        for patch in &mut self.patches[from..] {
            patch.now = grown(patch.now.start)..grown(patch.now.end);
        }
        self.patches.insert(from, Patch { original, now: start..grown(end), by: writers });
        met
    }

    /// The place in the original of a place in the text that is in no patch, or at an edge of
    /// one: at its start, or if `after` is set at its end.
    fn original_place(&self, at: usize, after: bool) -> usize {
        let is_before = |patch: &Patch| {
            if after { patch.now.end <= at } else { patch.now.end <= at && patch.now.start < at }
        };
        let before = self.patches.partition_point(is_before);
        match before.checked_sub(1).and_then(|before| self.patches.get(before)) {
            Some(patch) => patch.original.end + (at - patch.now.end),
            None => at,
        }
    }

    fn finish(self, original: &str) -> PlannedText {
        let mut before = LineCounter::new(original);
        let mut after = LineCounter::new(&self.text);
        let change = |patch: Patch| {
            let lines: (LineSpan, LineSpan) =
                (before.span(&patch.original), after.span(&patch.now));
            Change { bytes: patch.original, new_bytes: patch.now, before: lines.0, after: lines.1 }
        };
        let changed = self.patches.into_iter().map(change).collect();
        PlannedText { text: self.text, changed, is_spelled: self.is_spelled }
    }
}
