//! Line endings, kept apart from the lines.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Changed lines, of both sides together, that are compared one by one; beyond this, all lines of a
/// change count as new.
const COMPARED_LINES_MAX: usize = 20_000;

/// The style of a file's line endings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewlineStyle {
    /// `\n`, also if there is no line ending at all.
    Lf,
    /// `\r\n`.
    CrLf,
    /// Both styles.
    Mixed,
}

/// The ending of every line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LineEndings {
    Lf,
    CrLf,
    /// For every line that has an ending, whether it is `\r\n`.
    Mixed(Vec<bool>),
}

impl LineEndings {
    /// Returns `text` with `\n` for every ending, and the original endings.
    pub(super) fn normalize(text: &str) -> (String, Self) {
        if !text.contains("\r\n") {
            return (text.to_owned(), Self::Lf);
        }
        let ended = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let long: Vec<bool> = ended.map(|line| line.ends_with("\r\n")).collect();
        let endings = if long.iter().all(|long| *long) { Self::CrLf } else { Self::Mixed(long) };
        (text.replace("\r\n", "\n"), endings)
    }

    pub(super) fn style(&self) -> NewlineStyle {
        match self {
            Self::Lf => NewlineStyle::Lf,
            Self::CrLf => NewlineStyle::CrLf,
            Self::Mixed(_) => NewlineStyle::Mixed,
        }
    }

    /// Returns `edited` with the endings that its lines had in `text`. Every byte outside of
    /// `places`, the pairs of replaced and replacing ranges, is unchanged. A changed line keeps its
    /// ending; a new line takes that of the line before it, or at the top that of the line after
    /// it.
    pub(super) fn restore(&self, text: &str, edited: &str, places: &[RangeReplacement]) -> String {
        let long = match self {
            Self::Lf => return edited.to_owned(),
            Self::CrLf => return edited.replace('\n', "\r\n"),
            Self::Mixed(long) => long,
        };
        let mut endings: Vec<Option<bool>> = Vec::new();
        // The first line of the text that has no place behind it.
        let mut line = 0;
        let (mut before, mut after) = (0, 0);
        for (old, new) in places {
            let kept = line + count_newlines(&text[before..old.start]);
            endings.extend(long[line..kept].iter().copied().map(Some));
            line = kept + count_newlines(&text[old.clone()]);
            // The last line of a place may end behind it.
            let own = &long[kept..long.len().min(line + 1)];
            endings.extend(infer_endings(&text[old.clone()], &edited[new.clone()], own));
            (before, after) = (old.end, new.end);
        }
        debug_assert_eq!(text.get(before..), edited.get(after..), "places tell all that changed");
        endings.extend(long[line..].iter().copied().map(Some));
        apply_endings(edited, &endings)
    }
}

/// A range of bytes of a text, and the range of the edited text that replaces it.
pub(super) type RangeReplacement = (Range<usize>, Range<usize>);

fn count_newlines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// Returns the endings of the lines of `new`, which replaced `old` with the endings `long`.
fn infer_endings(old: &str, new: &str, long: &[bool]) -> Vec<Option<bool>> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut endings = vec![None; new_lines.len()];
    let same = equal_line_runs(&old, &new_lines);
    let (mut old_at, mut new_at) = (0, 0);
    let end = (old.len()..old.len(), new_lines.len()..new_lines.len());
    for (old, new) in same.into_iter().chain([end]) {
        // Changed lines take the endings of the lines they replaced, as far as there are any.
        for (line, from) in (new_at..new.start).zip(old_at..old.start) {
            endings[line] = long.get(from).copied();
        }
        for (line, from) in new.clone().zip(old.clone()) {
            endings[line] = long.get(from).copied();
        }
        (old_at, new_at) = (old.end, new.end);
    }
    endings.truncate(count_newlines(new));
    endings
}

/// Returns `text` with these endings; an unknown ending is that of the line before or after it.
fn apply_endings(text: &str, endings: &[Option<bool>]) -> String {
    let mut last = endings.iter().flatten().next().copied().unwrap_or(false);
    let mut spelled = String::with_capacity(text.len() + endings.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        last = endings.get(at).copied().flatten().unwrap_or(last);
        match line.strip_suffix('\n') {
            // A short ending after a carriage return would be read as `\r\n`.
            Some(line) if last || line.ends_with('\r') => spelled.extend([line, "\r\n"]),
            _ => spelled.push_str(line),
        }
    }
    spelled
}

/// Returns the runs of equal lines, in order.
fn equal_line_runs(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let alike = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(alike).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(alike).count();
    let old_end = old.len() - tail;
    let new_end = new.len() - tail;
    let mut same = vec![(0..head, 0..head)];
    let (old_changed, new_changed) = (&old[head..old_end], &new[head..new_end]);
    if old_changed.len() + new_changed.len() <= COMPARED_LINES_MAX {
        for op in capture_diff_slices(Algorithm::Histogram, old_changed, new_changed) {
            if op.tag() == DiffTag::Equal {
                let shift = |range: Range<usize>| range.start + head..range.end + head;
                same.push((shift(op.old_range()), shift(op.new_range())));
            }
        }
    }
    same.push((old_end..old.len(), new_end..new.len()));
    same
}
