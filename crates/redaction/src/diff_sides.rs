//! The two texts of a diff: the old and the new one.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::bytes_regex::compile;
use crate::mapped_text::{MappedText, line_ranges};

/// Marks of the lines that only one of the texts has. Those of `diff` are followed by a blank.
const DIFF_SIDE_MARKS: [[u8; 2]; 2] = [*b"-<", *b"+>"];

static OWN_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?m)^(?:[+-]|[<>][ \r\n])"));

/// Returns both texts, as far as the diff shows lines that only one of them has.
pub(crate) fn split_diff(text: &[u8]) -> Vec<MappedText> {
    if !OWN_LINE.is_match(text) {
        return Vec::new();
    }
    let lines = line_ranges(text);
    DIFF_SIDE_MARKS.into_iter().filter_map(|marks| side_text(text, &lines, marks)).collect()
}

/// Returns the text whose own lines have one of `marks`, if there are any.
fn side_text(text: &[u8], lines: &[Range<usize>], marks: [u8; 2]) -> Option<MappedText> {
    let mark = |line: &Range<usize>| line_mark(&text[line.clone()]);
    let is_own = |line: &Range<usize>| mark(line).is_some_and(|(sign, _)| marks.contains(&sign));
    let mut reading = MappedText::default();
    let mut above: Option<&Range<usize>> = None;
    for run in lines.chunk_by(|one, other| mark(one).is_some() && mark(other).is_some()) {
        let before = std::mem::replace(&mut above, run.last());
        if !run.iter().any(is_own) {
            continue;
        }
        // An empty line separates the parts.
        before.into_iter().for_each(|line| reading.push(text, line.end - 1..line.end));
        for line in run {
            if let Some((sign, skip)) = mark(line)
                && (sign == b' ' || marks.contains(&sign))
            {
                // In the diffs of edit tools, a blank follows each mark.
                let blank = usize::from(skip > 0 && text.get(line.start + skip) == Some(&b' '));
                reading.push(text, line.start + skip + blank..line.end);
            }
        }
    }
    (!reading.text.is_empty()).then_some(reading)
}

/// Returns the mark of a diff line and its length; a blank if both texts have the line.
fn line_mark(line: &[u8]) -> Option<(u8, usize)> {
    match line {
        [sign @ (b' ' | b'+' | b'-' | b'\\'), ..] => Some((*sign, 1)),
        [sign @ (b'<' | b'>'), b' ' | b'\r' | b'\n', ..] => Some((*sign, 1)),
        [b'\n'] | [b'\r', b'\n'] => Some((b' ', 0)),
        _ => None,
    }
}
