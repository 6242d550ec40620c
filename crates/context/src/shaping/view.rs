//! Rule `view`: of a read the lines are kept that were chosen; what is left out is named by
//! range, by names in it and, once, with the handle.

use std::ops::Range;

use crate::lines::PrintedLine;
use crate::shape::ShapeKind;
use crate::transcript::LineNumber;
use crate::views::{Chosen, View, Wanted};

use super::draft::{Draft, Gap};
use super::excerpt;

/// Names told of one gap.
const NAMES_MAX: usize = 6;
/// Bytes of a name.
const NAME_BYTES_MAX: usize = 60;
/// Bytes of a remark.
const REMARK_BYTES_MAX: usize = 240;

/// Leaves out the numbered lines that were not chosen, and puts the remarks in.
pub fn show(draft: &mut Draft<'_>, chosen: &Chosen) {
    let rule = match chosen.wanted {
        Wanted::Curated(_) => "curated",
        Wanted::Summary(_) => "summary",
    };
    let keep = lines_kept(draft, &chosen.view);
    leave_out_ranges(draft, &keep, Some(&chosen.view), (rule, chosen.wanted.kind()));
    for remark in &chosen.view.remarks {
        let place = (0..draft.len()).find(|at| draft.line(*at).number == Some(remark.line));
        let is_fit = is_fit(&remark.text, REMARK_BYTES_MAX);
        if let Some(at) = place.filter(|at| is_fit && draft.keeps(*at)) {
            draft.head(rule, at..at + 1, format!("[{}]", remark.text));
        }
    }
}

/// Leaves out every kept line for which `keep` is false. Gaps are told by their range where
/// their lines count up, and by the names that `view` gives; the handle is named once.
pub fn leave_out_ranges(
    draft: &mut Draft<'_>,
    keep: &[bool],
    view: Option<&View>,
    (rule, kind): (&'static str, ShapeKind),
) {
    let mut handle = Some(draft.handle());
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
        let is_range = draft.numbers_of(&(start..at)).is_some();
        let names = view.map_or_else(String::new, |view| names_in(draft, view, start..at));
        let amount = excerpt::amount(draft, start..at, bytes);
        let note = match handle {
            None if is_range => format!("[{amount} left out{names}]"),
            _ => format!("[{amount} left out{names}; expand {}]", draft.handle()),
        };
        if note.len() + 1 < bytes {
            handle = None;
            draft.leave_out(rule, start..at, Gap { note, refers_to: None, kind });
        }
    }
}

/// For each line of a draft, whether a view keeps it. Lines that are not of the file are kept.
pub fn lines_kept(draft: &Draft<'_>, view: &View) -> Vec<bool> {
    let mut ranges = view.lines.clone();
    ranges.sort_unstable();
    let mut ranges = ranges.into_iter().peekable();
    let mut last = LineNumber(0);
    let mut keeps = |number: LineNumber| {
        while let Some((_, end)) = ranges.next_if(|(first, _)| *first <= number) {
            last = last.max(end);
        }
        number <= last
    };
    let lines = (0..draft.len()).map(|at| draft.line(at).number);
    lines.map(|number| number.is_none_or(&mut keeps)).collect()
}

/// The names that stand in some lines, as words to follow their range.
fn names_in(draft: &Draft<'_>, view: &View, lines: Range<usize>) -> String {
    let of = |line: LineNumber| -> Option<&PrintedLine> {
        let mut lines = lines.clone().map(|at| draft.line(at));
        lines.find(|printed| printed.number == Some(line))
    };
    let mut names: Vec<&str> = Vec::new();
    for name in view.names.iter().filter(|name| is_fit(&name.text, NAME_BYTES_MAX)) {
        let stands =
            of(name.line).is_some_and(|line| line.text_in(draft.content).contains(&*name.text));
        if stands && !names.contains(&&*name.text) {
            names.push(&name.text);
        }
    }
    let more = names.len().saturating_sub(NAMES_MAX);
    names.truncate(NAMES_MAX);
    match (names.is_empty(), more) {
        (true, _) => String::new(),
        (false, 0) => format!(": {}", names.join(", ")),
        (false, more) => format!(": {} and {more} more", names.join(", ")),
    }
}

/// Whether a text from outside can stand in a note: what it says must not look like a part
/// of one.
fn is_fit(text: &str, bytes_max: usize) -> bool {
    !text.is_empty()
        && text.len() <= bytes_max
        && !text.contains(|c: char| c.is_control() || c == '[' || c == ']')
        && !text.contains("expand ")
}
