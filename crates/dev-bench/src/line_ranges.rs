//! Ranges of lines.

/// Lines of a file: first and last line of each range, from 1, both included,
/// ascending, no two overlapping.
pub(crate) type LineRanges = Vec<(u32, u32)>;

/// Returns the lines of a text with their line breaks. Only `\n` ends a line, as in git.
pub(crate) fn lines_of(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
}

/// Returns the number of lines of a text.
pub(crate) fn line_count(text: &str) -> u32 {
    u32::try_from(lines_of(text).count()).unwrap_or(u32::MAX)
}

/// Returns the ranges of the marked lines.
pub(crate) fn marked_ranges(marks: &[bool]) -> LineRanges {
    let mut kept = LineRanges::new();
    for (number, _) in (1u32..).zip(marks).filter(|(_, mark)| **mark) {
        match kept.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => kept.push((number, number)),
        }
    }
    kept
}

/// Marks the lines in `kept` of a file of `lines` lines. Also returns whether the ranges are valid:
/// ascending, disjoint, inside the file.
pub(crate) fn mark_ranges(kept: &[(u32, u32)], lines: u32) -> (Vec<bool>, bool) {
    let mut marks = vec![false; lines as usize];
    let (mut sound, mut before) = (true, 0);
    for (first, last) in kept.iter().copied() {
        sound &= first > before && first <= last && last <= lines;
        before = before.max(last);
        let (first, last) = (first.max(1), last.min(lines));
        if first <= last {
            marks[first as usize - 1..last as usize].fill(true);
        }
    }
    (marks, sound)
}

#[cfg(test)]
mod tests;
