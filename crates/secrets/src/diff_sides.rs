//! Differences: the text before, and the text after.

use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use crate::pattern::compile;
use crate::reading::{Reading, lines};

/// Marks of lines that only one of the two texts has; those of `diff` have a blank behind them.
const SIDES: [[u8; 2]; 2] = [*b"-<", *b"+>"];

static OWN_LINE: LazyLock<Regex> = LazyLock::new(|| compile(r"(?m)^(?:[+-]|[<>][ \r\n])"));

/// Both texts, as far as a difference shows lines that only one of them has.
pub(crate) fn readings(text: &[u8]) -> Vec<Reading> {
    if !OWN_LINE.is_match(text) {
        return Vec::new();
    }
    let lines = lines(text);
    SIDES.into_iter().filter_map(|marks| side(text, &lines, marks)).collect()
}

/// The text whose own lines have one of `marks`, if there are any.
fn side(text: &[u8], lines: &[Range<usize>], marks: [u8; 2]) -> Option<Reading> {
    let mark = |line: &Range<usize>| mark(&text[line.clone()]);
    let is_own = |line: &Range<usize>| mark(line).is_some_and(|(sign, _)| marks.contains(&sign));
    let mut reading = Reading::default();
    let mut above: Option<&Range<usize>> = None;
    for run in lines.chunk_by(|one, other| mark(one).is_some() && mark(other).is_some()) {
        let before = std::mem::replace(&mut above, run.last());
        if !run.iter().any(is_own) {
            continue;
        }
        // An empty line keeps parts apart.
        before.into_iter().for_each(|line| reading.push(text, line.end - 1..line.end));
        for line in run {
            if let Some((sign, skip)) = mark(line)
                && (sign == b' ' || marks.contains(&sign))
            {
                // Of edits, a blank stands behind each mark.
                let blank = usize::from(skip > 0 && text.get(line.start + skip) == Some(&b' '));
                reading.push(text, line.start + skip + blank..line.end);
            }
        }
    }
    (!reading.text.is_empty()).then_some(reading)
}

/// The mark of a line of a difference and its bytes: a blank where both texts have the line.
fn mark(line: &[u8]) -> Option<(u8, usize)> {
    match line {
        [sign @ (b' ' | b'+' | b'-' | b'\\'), ..] => Some((*sign, 1)),
        [sign @ (b'<' | b'>'), b' ' | b'\r' | b'\n', ..] => Some((*sign, 1)),
        [b'\n'] | [b'\r', b'\n'] => Some((b' ', 0)),
        _ => None,
    }
}
