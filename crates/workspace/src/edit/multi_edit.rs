//! Several edits of one or more texts, planned all or none.

use std::ops::Range;

use super::plan::plan_edit;
use super::planned_edit::{Edit, EditMatch, TextChange};
use super::refusal::EditRefusal;
use super::text_lines::LineCounter;
use foveal_transcript::LineSpan;

/// One edit of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedEdit {
    /// The index of the text, from 0.
    pub text: usize,
    /// The edit, which applies to the result of the edits before it.
    pub edit: Edit,
}

/// The refusal of one edit, by which no edit of the call is made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", refused_edit_message(*index, *of, why))]
pub struct RefusedEdit {
    /// The index of the refused edit, from 0.
    pub index: usize,
    /// The number of edits.
    pub of: usize,
    /// The reason.
    pub why: EditRefusal,
}

fn refused_edit_message(index: usize, of: usize, why: &EditRefusal) -> String {
    let message = format!("edit {} of {of}: {why}", index + 1);
    // A reason that ends with the lines of similar blocks says before them that nothing was changed.
    match message.ends_with('\n') {
        true => message,
        false => message + "; none of the edits was made",
    }
}

/// Two edits of which the later changes text that the earlier one wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EditOverlap {
    /// The index of the edit that wrote the text, from 0.
    pub earlier: usize,
    /// The index of the edit that changes it.
    pub later: usize,
}

/// One text after its edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedText {
    /// The text after all edits.
    pub text: String,
    /// The replaced ranges from the original to the final text, ascending.
    pub changed: Vec<TextChange>,
    /// Whether the edits gave all replaced text verbatim, but for line endings.
    pub is_verbatim: bool,
}

/// The result of several edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MultiEditPlan {
    /// The result for each text; `None` if no edit refers to it.
    pub texts: Vec<Option<PlannedText>>,
    /// For each edit, how its old text matched.
    pub how: Vec<EditMatch>,
    /// The edits that change text of earlier edits.
    pub overlaps: Vec<EditOverlap>,
}

/// Plans `edits` of `texts` in order; each applies to the result of those before it.
///
/// # Errors
/// Returns the first refusal. No edit is planned then.
pub fn plan_edits(texts: &[&str], edits: &[IndexedEdit]) -> Result<MultiEditPlan, RefusedEdit> {
    let mut states: Vec<Option<EditedText>> = texts.iter().map(|_| None).collect();
    let mut how = Vec::with_capacity(edits.len());
    let mut overlaps = Vec::new();
    for (index, IndexedEdit { text, edit }) in edits.iter().enumerate() {
        let refused = |why| RefusedEdit { index, of: edits.len(), why };
        let (Some(original), Some(state)) = (texts.get(*text), states.get_mut(*text)) else {
            return Err(refused(EditRefusal::NoSuchText { text: *text, of: texts.len() }));
        };
        let state = state.get_or_insert_with(|| EditedText::new(original));
        let planned = plan_edit(&state.text, edit).map_err(refused)?;
        let mut met = state.record_changes(&planned.changed, index);
        met.sort_unstable();
        met.dedup();
        overlaps.extend(met.into_iter().map(|earlier| EditOverlap { earlier, later: index }));
        state.text = planned.text;
        state.is_verbatim &= planned.how.is_verbatim();
        how.push(planned.how);
    }
    let finish = |(state, original): (Option<EditedText>, &&str)| {
        state.map(|state| state.into_planned_text(original))
    };
    let texts = states.into_iter().zip(texts).map(finish).collect();
    Ok(MultiEditPlan { texts, how, overlaps })
}

/// A text between edits, with the changes so far.
struct EditedText {
    text: String,
    /// The replaced ranges so far, ascending and disjoint.
    patches: Vec<TextPatch>,
    /// Whether all old texts matched verbatim.
    is_verbatim: bool,
}

/// A range of the original and the range of the current text that replaces it.
struct TextPatch {
    original: Range<usize>,
    now: Range<usize>,
    /// The indices of the edits that wrote here.
    by: Vec<usize>,
}

impl EditedText {
    fn new(original: &str) -> Self {
        Self { text: original.to_owned(), patches: Vec::new(), is_verbatim: true }
    }

    /// Records the changes of edit `by` and returns the earlier edits whose text they change.
    fn record_changes(&mut self, changes: &[TextChange], by: usize) -> Vec<usize> {
        let mut met = Vec::new();
        // From the back, so that offsets before a change stay valid.
        for change in changes.iter().rev() {
            met.extend(self.record_change(&change.bytes, change.new_bytes.len(), by));
        }
        met.retain(|earlier| *earlier != by);
        met
    }

    fn record_change(&mut self, bytes: &Range<usize>, new_len: usize, by: usize) -> Vec<usize> {
        let from = self.patches.partition_point(|patch| patch.now.end < bytes.start);
        let to = self.patches.partition_point(|patch| patch.now.start <= bytes.end);
        let (from, to) = (from, to.max(from));
        let start =
            self.patches[from..to].first().map_or(bytes.start, |p| p.now.start.min(bytes.start));
        let end = self.patches[from..to].last().map_or(bytes.end, |p| p.now.end.max(bytes.end));
        let original = self.original_offset(start, false)..self.original_offset(end, true);
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
        self.patches.insert(from, TextPatch { original, now: start..grown(end), by: writers });
        met
    }

    /// Maps an offset of the current text that is outside of all patches, or at the edge of one, to
    /// the original: to the start of the patch, or if `after` is set to its end.
    fn original_offset(&self, at: usize, after: bool) -> usize {
        let is_before = |patch: &TextPatch| {
            if after { patch.now.end <= at } else { patch.now.end <= at && patch.now.start < at }
        };
        let before = self.patches.partition_point(is_before);
        match before.checked_sub(1).and_then(|before| self.patches.get(before)) {
            Some(patch) => patch.original.end + (at - patch.now.end),
            None => at,
        }
    }

    fn into_planned_text(self, original: &str) -> PlannedText {
        let mut before = LineCounter::new(original);
        let mut after = LineCounter::new(&self.text);
        let change = |patch: TextPatch| {
            let lines: (LineSpan, LineSpan) =
                (before.line_span(&patch.original), after.line_span(&patch.now));
            TextChange {
                bytes: patch.original,
                new_bytes: patch.now,
                before: lines.0,
                after: lines.1,
            }
        };
        let changed = self.patches.into_iter().map(change).collect();
        PlannedText { text: self.text, changed, is_verbatim: self.is_verbatim }
    }
}
