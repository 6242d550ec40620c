//! How lines end, kept apart from the lines.

use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

/// Lines on both sides of a change that are compared one by one to see which are the same;
/// beyond, those of a change count as new.
const COMPARED_LINES_MAX: usize = 20_000;

/// How the lines of a file end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineEnding {
    /// `\n`, also where there is no line ending at all.
    Lf,
    /// `\r\n`.
    CrLf,
    /// Some so and some so.
    Mixed,
}

/// The ending of every line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Endings {
    Lf,
    CrLf,
    /// For every line that has an ending, whether it is `\r\n`.
    Mixed(Vec<bool>),
}

impl Endings {
    /// `text` with `\n` for every ending, and what they were.
    pub(super) fn take(text: &str) -> (String, Self) {
        if !text.contains("\r\n") {
            return (text.to_owned(), Self::Lf);
        }
        let ended = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
        let long: Vec<bool> = ended.map(|line| line.ends_with("\r\n")).collect();
        let endings = if long.iter().all(|long| *long) { Self::CrLf } else { Self::Mixed(long) };
        (text.replace("\r\n", "\n"), endings)
    }

    pub(super) fn kind(&self) -> LineEnding {
        match self {
            Self::Lf => LineEnding::Lf,
            Self::CrLf => LineEnding::CrLf,
            Self::Mixed(_) => LineEnding::Mixed,
        }
    }

    /// `edited` with the endings that its lines had in `text`. Outside of the `places`, what was
    /// replaced and what stands there now, every byte stays. A line that a place changes keeps
    /// its ending; a new line ends as the one before it, at the top as the one after it.
    pub(super) fn put_back(&self, text: &str, edited: &str, places: &[Place]) -> String {
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
            let kept = line + count(&text[before..old.start]);
            endings.extend(long[line..kept].iter().copied().map(Some));
            line = kept + count(&text[old.clone()]);
            // The last line of a place may end behind it.
            let own = &long[kept..long.len().min(line + 1)];
            endings.extend(inside(&text[old.clone()], &edited[new.clone()], own));
            (before, after) = (old.end, new.end);
        }
        debug_assert_eq!(text.get(before..), edited.get(after..), "places tell all that changed");
        endings.extend(long[line..].iter().copied().map(Some));
        spell(edited, &endings)
    }
}

/// Bytes of a text, and those that stand there after an edit.
pub(super) type Place = (Range<usize>, Range<usize>);

fn count(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

/// The endings in `new`, which took the place of `old` with its endings `long`.
fn inside(old: &str, new: &str, long: &[bool]) -> Vec<Option<bool>> {
    let old: Vec<&str> = old.split_inclusive('\n').collect();
    let new_lines: Vec<&str> = new.split_inclusive('\n').collect();
    let mut endings = vec![None; new_lines.len()];
    let same = same_lines(&old, &new_lines);
    let (mut old_at, mut new_at) = (0, 0);
    let end = (old.len()..old.len(), new_lines.len()..new_lines.len());
    for (old, new) in same.into_iter().chain([end]) {
        // Lines that changed follow those that they took the place of, as far as there are any.
        for (line, from) in (new_at..new.start).zip(old_at..old.start) {
            endings[line] = long.get(from).copied();
        }
        for (line, from) in new.clone().zip(old.clone()) {
            endings[line] = long.get(from).copied();
        }
        (old_at, new_at) = (old.end, new.end);
    }
    endings.truncate(count(new));
    endings
}

/// `text` with these endings; one that is not told is as the one before it, or after it.
fn spell(text: &str, endings: &[Option<bool>]) -> String {
    let mut last = endings.iter().flatten().next().copied().unwrap_or(false);
    let mut spelled = String::with_capacity(text.len() + endings.len());
    for (at, line) in text.split_inclusive('\n').enumerate() {
        last = endings.get(at).copied().flatten().unwrap_or(last);
        match line.strip_suffix('\n') {
            // With a short ending, its own carriage return would be read as part of that.
            Some(line) if last || line.ends_with('\r') => spelled.extend([line, "\r\n"]),
            _ => spelled.push_str(line),
        }
    }
    spelled
}

/// Which runs of lines are the same in both, in their order.
fn same_lines(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
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
