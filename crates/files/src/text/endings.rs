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

    /// `edited` with the endings that its lines had in `text`; a new line ends as the one before
    /// it, at the top as the one after it.
    pub(super) fn put_back(&self, text: &str, edited: &str) -> String {
        let long = match self {
            Self::Lf => return edited.to_owned(),
            Self::CrLf => return edited.replace('\n', "\r\n"),
            Self::Mixed(long) => long,
        };
        let old: Vec<&str> = text.split_inclusive('\n').collect();
        let new: Vec<&str> = edited.split_inclusive('\n').collect();
        let mut endings: Vec<Option<bool>> = vec![None; new.len()];
        for (old, new) in same_lines(&old, &new) {
            for (line, from) in new.zip(old) {
                endings[line] = long.get(from).copied();
            }
        }
        let mut last = endings.iter().flatten().next().copied().unwrap_or(false);
        let mut spelled = String::with_capacity(edited.len() + new.len());
        for (line, ending) in new.iter().zip(endings) {
            last = ending.unwrap_or(last);
            match line.strip_suffix('\n') {
                Some(line) if last => spelled.extend([line, "\r\n"]),
                _ => spelled.push_str(line),
            }
        }
        spelled
    }
}

/// Which runs of lines are the same in both.
fn same_lines(old: &[&str], new: &[&str]) -> Vec<(Range<usize>, Range<usize>)> {
    let alike = |(a, b): &(&&str, &&str)| a == b;
    let head = old.iter().zip(new).take_while(alike).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(alike).count();
    let old_end = old.len() - tail;
    let new_end = new.len() - tail;
    let mut same = vec![(0..head, 0..head), (old_end..old.len(), new_end..new.len())];
    let (old_changed, new_changed) = (&old[head..old_end], &new[head..new_end]);
    if old_changed.len() + new_changed.len() <= COMPARED_LINES_MAX {
        for op in capture_diff_slices(Algorithm::Histogram, old_changed, new_changed) {
            if op.tag() == DiffTag::Equal {
                let shift = |range: Range<usize>| range.start + head..range.end + head;
                same.push((shift(op.old_range()), shift(op.new_range())));
            }
        }
    }
    same
}
