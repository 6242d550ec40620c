//! Rule `excerpt`: long output keeps its head, its tail and every line that tells of an
//! error, a failure or the sum of a run; what is left out is counted in place.

use std::collections::HashSet;
use std::ops::Range;

use crate::note::{Counts, Note, NoteKind};
use crate::shape::ShapeKind;
use foveal_effects::EffectKind;
use foveal_transcript::Handle;

use super::draft::{Draft, Gap};
use super::fold;
use super::heading::is_heading;
use super::telling::{Telling, goes_with_failure, telling};

const RULE: &str = "excerpt";

/// How much of long output is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExcerptLimits {
    /// Output up to this many bytes is kept whole.
    pub whole_max: usize,
    /// Bytes kept at the start.
    pub head: usize,
    /// Bytes kept at the end.
    pub tail: usize,
    /// Bytes of telling lines kept in between.
    pub telling: usize,
}

/// Output below this many bytes is kept whole, whatever the limits say.
const WHOLE_BYTES_MIN: usize = 1_000;

/// Lines kept after one that tells of a failure, as far as they go with it.
const LINES_WITH_FAILURE_MAX: usize = 10;

/// Leaves out the middle of a result whose kept lines exceed the limits.
pub fn cap(draft: &mut Draft<'_>, limits: ExcerptLimits) {
    if draft.shown_total() <= limits.whole_max.max(WHOLE_BYTES_MIN) {
        return;
    }
    let handle = draft.handle();
    let keep = lines_to_keep(draft, limits);
    leave_out_others(draft, &keep, handle, RULE, ShapeKind::Excerpt);
}

/// Leaves out every kept line for which `keep` is false, one counted gap a run.
pub fn leave_out_others(
    draft: &mut Draft<'_>,
    keep: &[bool],
    handle: Handle,
    rule: &'static str,
    kind: ShapeKind,
) {
    leave_out_runs(draft, keep, (rule, kind), |_, _, amount, _| Note {
        handle: Some(handle),
        ..amount
    });
}

/// Leaves out every run of kept lines for which `keep` is false, where that is shorter. `note`
/// is given the run, a note on how much it holds, and whether it would be the first one left out.
pub(super) fn leave_out_runs(
    draft: &mut Draft<'_>,
    keep: &[bool],
    (rule, kind): (&'static str, ShapeKind),
    mut note: impl FnMut(&Draft<'_>, Range<usize>, Note, bool) -> Note,
) {
    let mut is_first = true;
    let mut at = 0;
    while at < draft.len() {
        if keep[at] || !draft.keeps(at) {
            at += 1;
            continue;
        }
        let start = at;
        let mut bytes = 0;
        while at < draft.len() && !keep[at] && draft.keeps(at) {
            bytes += draft.shown_len(at);
            at += 1;
        }
        let amount = amount(draft, start..at, bytes);
        let gap = Gap::new(kind, note(draft, start..at, amount, is_first));
        if gap.note_len() + 1 < bytes {
            is_first = false;
            draft.leave_out(rule, start..at, gap);
        }
    }
}

/// What a gap holds: the range of a file's lines, hits and their files, or lines and bytes.
fn amount(draft: &Draft<'_>, lines: Range<usize>, bytes: usize) -> Note {
    let kind = draft.facts.kind();
    let note = Note::new(NoteKind::LEFT_OUT);
    // Between hits of different places stand lines without a number.
    if let Some(range) = draft.numbers_of(&lines) {
        return Note { lines: vec![range], ..note };
    }
    let bytes = bytes as u32;
    let hits: Vec<_> = lines.clone().filter_map(|at| draft.line(at).path).collect();
    if kind == EffectKind::Search && hits.len() > 1 {
        let files = hits.iter().collect::<HashSet<_>>().len() as u32;
        let hits = hits.len() as u32;
        return Note { counts: Counts { hits, files, bytes, ..Counts::default() }, ..note };
    }
    let tells = |at: &usize| telling(draft.line(*at).whole_in(draft.content)) == Telling::Failure;
    let count = lines.len() as u32;
    let failures = lines.filter(|_| kind == EffectKind::Run).filter(tells).count() as u32;
    Note { counts: Counts { lines: count, bytes, failures, ..Counts::default() }, ..note }
}

fn lines_to_keep(draft: &Draft<'_>, limits: ExcerptLimits) -> Vec<bool> {
    let mut keep = vec![false; draft.len()];
    keep_while(draft, &mut keep, limits.head, 0..draft.len());
    keep_while(draft, &mut keep, limits.tail, (0..draft.len()).rev());
    // Failures first, so that warnings never take their room.
    keep_telling(draft, &mut keep, limits.telling, &[Telling::Failure, Telling::Hint]);
    // A note about repeats speaks of the lines right before it.
    for at in (1..draft.len()).filter(|at| draft.is_folded(*at) && draft.keeps(at - 1)) {
        keep[at.saturating_sub(fold::PERIOD_MAX)..at].fill(true);
    }
    keep_headings(draft, &mut keep);
    keep
}

/// For each line whether it tells of a failure or the sum of a run, or goes with one that does, as
/// far as `bytes_max` bytes reach.
pub(super) fn telling_lines(draft: &Draft<'_>, bytes_max: usize) -> Vec<bool> {
    let mut keep = vec![false; draft.len()];
    keep_telling(draft, &mut keep, bytes_max, &[Telling::Failure]);
    keep
}

/// Keeps lines that tell as much as one of `wanted`, these in order, while they fit into `left`
/// bytes.
fn keep_telling(draft: &Draft<'_>, keep: &mut [bool], mut left: usize, wanted: &[Telling]) {
    let tells: Vec<_> =
        (0..draft.len()).map(|at| telling(draft.line(at).whole_in(draft.content))).collect();
    for wanted in wanted {
        for at in (0..draft.len()).filter(|at| tells[*at] == *wanted) {
            let end = if *wanted == Telling::Failure { end_of_failure(draft, at) } else { at + 1 };
            let Some(rest) = keep_while(draft, keep, left, at..end) else { break };
            left = rest;
        }
    }
}

/// Keeps the name of every file of which hits are shown or pointed at.
fn keep_headings(draft: &Draft<'_>, keep: &mut [bool]) {
    let mut heading = None;
    for at in 0..draft.len() {
        if is_heading(draft, at) {
            heading = Some(at);
        } else if draft.line(at).number.is_none() {
            // Between groups of hits stands no new name.
        } else if let Some(heading) = heading.take_if(|_| keep[at] || !draft.keeps(at)) {
            keep[heading] = true;
        }
    }
}

/// Keeps lines while they fit into `left` bytes; what is left then, `None` if one did not fit.
fn keep_while(
    draft: &Draft<'_>,
    keep: &mut [bool],
    mut left: usize,
    lines: impl Iterator<Item = usize>,
) -> Option<usize> {
    for at in lines {
        if keep[at] {
            continue;
        }
        left = left.checked_sub(draft.shown_len(at))?;
        keep[at] = true;
    }
    Some(left)
}

/// The end of the lines that go with the failure told at `at`.
fn end_of_failure(draft: &Draft<'_>, at: usize) -> usize {
    let last = draft.len().min(at + 1 + LINES_WITH_FAILURE_MAX);
    let goes = |line: &usize| goes_with_failure(draft.line(*line).whole_in(draft.content));
    at + 1 + (at + 1..last).take_while(goes).count()
}
