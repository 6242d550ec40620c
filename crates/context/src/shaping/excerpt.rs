//! Rule `excerpt`: long output keeps its head, its tail and every line that tells of an
//! error, a failure or the sum of a run; what is left out is counted in place.

use crate::handle::Handle;
use crate::shape::ShapeKind;

use super::draft::{Draft, Gap};

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

/// Leaves out the middle of a result whose kept lines exceed the limits.
pub fn cap(draft: &mut Draft<'_>, limits: ExcerptLimits) {
    if draft.shown_total() <= limits.whole_max {
        return;
    }
    let handle = Handle::of(draft.content.as_bytes());
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
        let note = gap_note(draft, start, at, bytes, handle);
        if note.len() + 1 < bytes {
            let gap = Gap { note, refers_to: None, kind };
            draft.leave_out(rule, start..at, gap);
        }
    }
}

fn gap_note(draft: &Draft<'_>, start: usize, end: usize, bytes: usize, handle: Handle) -> String {
    let numbers = (draft.line(start).number, draft.line(end - 1).number);
    match numbers {
        (Some(first), Some(last)) if last.0 >= first.0 => {
            format!("[{}-{} left out; expand {handle}]", first.0, last.0)
        }
        _ => format!("[{} lines, {bytes} bytes left out; expand {handle}]", end - start),
    }
}

fn lines_to_keep(draft: &Draft<'_>, limits: ExcerptLimits) -> Vec<bool> {
    let mut keep = vec![false; draft.len()];
    let mut left = limits.head;
    for (at, kept) in keep.iter_mut().enumerate() {
        let bytes = draft.shown_len(at);
        if bytes > left {
            break;
        }
        left -= bytes;
        *kept = true;
    }
    let mut left = limits.tail;
    for at in (0..draft.len()).rev() {
        let bytes = draft.shown_len(at);
        if bytes > left {
            break;
        }
        left -= bytes;
        keep[at] = true;
    }
    let mut left = limits.telling;
    for (at, kept) in keep.iter_mut().enumerate() {
        if *kept || !is_telling(draft.line(at).whole_in(draft.content)) {
            continue;
        }
        let bytes = draft.shown_len(at);
        if bytes > left {
            break;
        }
        left -= bytes;
        *kept = true;
    }
    keep
}

/// Words by which test runners, compilers and shells mark what went wrong or how it ended.
const TELLING: [&str; 22] = [
    "error",
    "Error",
    "ERROR",
    "FAIL",
    "fail",
    "Fail",
    "panic",
    "PANIC",
    "Traceback",
    "exception",
    "Exception",
    "warning:",
    "assert",
    "test result",
    "passed",
    "Segmentation",
    "undefined",
    "cannot",
    "not found",
    "denied",
    "fatal",
    "exit code",
];

/// Whether a line of output is one a reader looks for.
pub fn is_telling(line: &str) -> bool {
    TELLING.iter().any(|word| line.contains(word))
}
