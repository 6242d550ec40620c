//! Rule `excerpt`: long output keeps its head, its tail and every line that reports an error, a
//! failure or the summary of a run; notes count the omitted lines.

use std::collections::HashSet;
use std::ops::Range;

use crate::message_shape::ShapeKind;
use crate::note::{Counts, Note, NoteKind};
use foveal_tool_effects::EffectKind;
use foveal_transcript::Handle;

use super::draft::{DraftGap, ShapeDraft};
use super::file_heading::is_file_heading;
use super::line_severity::{LineSeverity, belongs_to_failure, classify_line};
use super::repeated_lines;

const RULE: &str = "excerpt";

/// The amount of long output that is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExcerptLimits {
    /// Output of up to this many bytes is kept whole.
    pub whole_max: usize,
    /// Bytes kept at the start.
    pub head: usize,
    /// Bytes kept at the end.
    pub tail: usize,
    /// Bytes of severe lines kept in between.
    pub severe_lines: usize,
}

/// Output below this many bytes is kept whole, whatever the limits say.
const WHOLE_BYTES_MIN: usize = 1_000;

/// Largest number of lines kept after a failure, as far as they belong to it.
const FAILURE_CONTEXT_LINES_MAX: usize = 10;

/// Omits the middle of a result whose kept lines exceed the limits.
pub fn shorten_output(draft: &mut ShapeDraft<'_>, limits: ExcerptLimits) {
    if draft.total_visible_len() <= limits.whole_max.max(WHOLE_BYTES_MIN) {
        return;
    }
    let handle = draft.handle();
    let keep = select_lines(draft, limits);
    omit_unselected_lines(draft, &keep, handle, RULE, ShapeKind::Excerpt);
}

/// Omits every kept line for which `keep` is false, with one note for each run.
pub fn omit_unselected_lines(
    draft: &mut ShapeDraft<'_>,
    keep: &[bool],
    handle: Handle,
    rule: &'static str,
    kind: ShapeKind,
) {
    omit_runs(draft, keep, rule, kind, |_, _, amount, _| Note { handle: Some(handle), ..amount });
}

/// Omits every run of kept lines for which `keep` is false, if its note is shorter. `note` receives
/// the run, a note with its size, and whether it would be the first omitted run.
pub(super) fn omit_runs(
    draft: &mut ShapeDraft<'_>,
    keep: &[bool],
    rule: &'static str,
    kind: ShapeKind,
    mut note: impl FnMut(&ShapeDraft<'_>, Range<usize>, Note, bool) -> Note,
) {
    let mut is_first = true;
    let mut at = 0;
    while at < draft.len() {
        if keep[at] || !draft.is_visible(at) {
            at += 1;
            continue;
        }
        let start = at;
        let mut bytes = 0;
        while at < draft.len() && !keep[at] && draft.is_visible(at) {
            bytes += draft.visible_len(at);
            at += 1;
        }
        let amount = describe_gap(draft, start..at, bytes);
        let gap = DraftGap::new(kind, note(draft, start..at, amount, is_first));
        if gap.note_len() + 1 < bytes {
            is_first = false;
            draft.omit_lines(rule, start..at, gap);
        }
    }
}

/// Returns a note with the size of a gap: the line range of a file, hits and their files, or lines
/// and bytes.
fn describe_gap(draft: &ShapeDraft<'_>, lines: Range<usize>, bytes: usize) -> Note {
    let kind = draft.facts.kind();
    let note = Note::new(NoteKind::LEFT_OUT);
    // Lines without a number separate hits of different places.
    if let Some(range) = draft.number_range(&lines) {
        return Note { lines: vec![range], ..note };
    }
    let bytes = bytes as u32;
    let hits: Vec<_> = lines.clone().filter_map(|at| draft.result_line(at).path).collect();
    if kind == EffectKind::Search && hits.len() > 1 {
        let files = hits.iter().collect::<HashSet<_>>().len() as u32;
        let hits = hits.len() as u32;
        return Note { counts: Counts { hits, files, bytes, ..Counts::default() }, ..note };
    }
    let tells = |at: &usize| {
        classify_line(draft.result_line(*at).full_text(draft.content)) == LineSeverity::Failure
    };
    let count = draft.content_line_count(&lines);
    let failures = lines.filter(|_| kind == EffectKind::Run).filter(tells).count() as u32;
    Note { counts: Counts { lines: count, bytes, failures, ..Counts::default() }, ..note }
}

fn select_lines(draft: &ShapeDraft<'_>, limits: ExcerptLimits) -> Vec<bool> {
    let mut keep = vec![false; draft.len()];
    keep_fitting_lines(draft, &mut keep, limits.head, 0..draft.len());
    keep_fitting_lines(draft, &mut keep, limits.tail, (0..draft.len()).rev());
    // Failures first, so that warnings never take their space.
    keep_severe_lines(
        draft,
        &mut keep,
        limits.severe_lines,
        &[LineSeverity::Failure, LineSeverity::Warning],
    );
    // A note on repetitions refers to the lines directly before it.
    for at in (1..draft.len()).filter(|at| draft.is_folded(*at) && draft.is_visible(at - 1)) {
        keep[at.saturating_sub(repeated_lines::PERIOD_MAX)..at].fill(true);
    }
    keep_file_headings(draft, &mut keep);
    keep
}

/// Returns for each line whether it reports a failure or the summary of a run, or belongs to one
/// that does, up to `bytes_max` bytes.
pub(super) fn select_failure_lines(draft: &ShapeDraft<'_>, bytes_max: usize) -> Vec<bool> {
    let mut keep = vec![false; draft.len()];
    keep_severe_lines(draft, &mut keep, bytes_max, &[LineSeverity::Failure]);
    keep
}

/// Keeps lines of the severities `wanted`, in this order, while they fit into `left` bytes.
fn keep_severe_lines(
    draft: &ShapeDraft<'_>,
    keep: &mut [bool],
    mut left: usize,
    wanted: &[LineSeverity],
) {
    let tells: Vec<_> = (0..draft.len())
        .map(|at| classify_line(draft.result_line(at).full_text(draft.content)))
        .collect();
    for wanted in wanted {
        for at in (0..draft.len()).filter(|at| tells[*at] == *wanted) {
            let end =
                if *wanted == LineSeverity::Failure { failure_end(draft, at) } else { at + 1 };
            let Some(rest) = keep_fitting_lines(draft, keep, left, at..end) else { break };
            left = rest;
        }
    }
}

/// Keeps the name of every file of which hits are visible or pointed at.
fn keep_file_headings(draft: &ShapeDraft<'_>, keep: &mut [bool]) {
    let mut heading = None;
    for at in 0..draft.len() {
        if is_file_heading(draft, at) {
            heading = Some(at);
        } else if draft.result_line(at).number.is_none() {
            // Unnumbered lines between groups of hits name no file.
        } else if let Some(heading) = heading.take_if(|_| keep[at] || !draft.is_visible(at)) {
            keep[heading] = true;
        }
    }
}

/// Keeps lines while they fit into `left` bytes. Returns the remaining bytes, or `None` if a line
/// did not fit.
fn keep_fitting_lines(
    draft: &ShapeDraft<'_>,
    keep: &mut [bool],
    mut left: usize,
    lines: impl Iterator<Item = usize>,
) -> Option<usize> {
    for at in lines {
        if keep[at] {
            continue;
        }
        left = left.checked_sub(draft.visible_len(at))?;
        keep[at] = true;
    }
    Some(left)
}

/// Returns the end of the lines that belong to the failure at `at`.
fn failure_end(draft: &ShapeDraft<'_>, at: usize) -> usize {
    let last = draft.len().min(at + 1 + FAILURE_CONTEXT_LINES_MAX);
    let goes = |line: &usize| belongs_to_failure(draft.result_line(*line).full_text(draft.content));
    at + 1 + (at + 1..last).take_while(goes).count()
}
