//! Differences: the text that was, and the one that is.

use std::ops::Range;

use crate::view::{View, any_line, lines};

/// Marks of lines that only one of the two texts has; those of `diff` have a blank behind them.
const SIDES: [[u8; 2]; 2] = [*b"-<", *b"+>"];

/// Both texts, as far as a difference shows lines that only one of them has.
pub(crate) fn views(text: &[u8]) -> Vec<View> {
    // Most texts are none, which is told faster.
    let is_own = |line: &[u8]| mark(line).is_some_and(|(sign, _)| is_own(sign));
    if !any_line(text, is_own) {
        return Vec::new();
    }
    let lines = lines(text);
    SIDES.into_iter().filter_map(|marks| side(text, &lines, marks)).collect()
}

/// The text whose own lines have one of `marks`, if there are any.
fn side(text: &[u8], lines: &[Range<usize>], marks: [u8; 2]) -> Option<View> {
    let mark = |line: &Range<usize>| mark(&text[line.clone()]);
    let mut view = View::default();
    let mut above: Option<&Range<usize>> = None;
    for run in lines.chunk_by(|one, other| mark(one).is_some() && mark(other).is_some()) {
        let before = std::mem::replace(&mut above, run.last());
        if !run.iter().any(|line| mark(line).is_some_and(|(sign, _)| marks.contains(&sign))) {
            continue;
        }
        // An empty line keeps parts apart.
        before.into_iter().for_each(|line| view.push(text, line.clone(), line.len() - 1));
        // Of edits, a blank stands behind each mark.
        let has_blank = |line: &Range<usize>| {
            let behind = mark(line).and_then(|(_, skip)| text.get(line.start + skip));
            behind.is_none_or(|byte| matches!(byte, b' ' | b'\r' | b'\n'))
        };
        let blank = usize::from(run.iter().all(has_blank));
        for line in run {
            if let Some((sign, skip)) = mark(line)
                && (sign == b' ' || marks.contains(&sign))
            {
                view.push(text, line.clone(), if skip > 0 { skip + blank } else { 0 });
            }
        }
    }
    (!view.is_empty()).then_some(view)
}

/// Whether a mark is one of lines that only one of the texts has.
fn is_own(sign: u8) -> bool {
    SIDES.iter().any(|marks| marks.contains(&sign))
}

/// The mark of a line of a difference and its bytes: a blank where both texts have the line.
fn mark(line: &[u8]) -> Option<(u8, usize)> {
    match line {
        [sign @ (b' ' | b'+' | b'-' | b'\\'), ..] => Some((*sign, 1)),
        [sign @ (b'<' | b'>'), b' ' | b'\r' | b'\n', ..] => Some((*sign, 2)),
        [b'\n'] | [b'\r', b'\n'] => Some((b' ', 0)),
        _ => None,
    }
}
