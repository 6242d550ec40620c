//! Which lines of a file the model has seen, through changes of the file.

use foveal_files::edit::Run;

/// Lines of one version of a file, as ranges with both ends, from 1; ascending and apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen(Vec<(u32, u32)>);

impl Seen {
    /// All of `count` lines.
    pub fn all(count: u32) -> Self {
        if count == 0 { Self::default() } else { Self(vec![(1, count)]) }
    }

    /// These lines, in any order.
    pub fn of(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut seen = Self::default();
        seen.add(ranges);
        seen
    }

    /// These lines too.
    pub fn add(&mut self, ranges: impl IntoIterator<Item = (u32, u32)>) {
        self.0.extend(ranges.into_iter().filter(|(first, last)| first <= last));
        self.0.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (first, last) in self.0.drain(..) {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        self.0 = joined;
    }

    /// Without these lines.
    pub fn remove(&mut self, others: &Self) {
        for (from, to) in &others.0 {
            let before = std::mem::take(&mut self.0);
            let parts = before.into_iter().flat_map(|(first, last)| {
                [(first, last.min(from.saturating_sub(1))), (first.max(to.saturating_add(1)), last)]
            });
            self.add(parts);
        }
    }

    /// The ranges.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Whether these are all of `count` lines.
    pub fn covers(&self, count: u32) -> bool {
        count == 0 || matches!(self.0.as_slice(), [(1, last)] if *last >= count)
    }

    /// Whether the line is one of them.
    pub fn holds(&self, line: u32) -> bool {
        self.holds_all(line, line)
    }

    /// Whether the lines from the first to the last are.
    pub fn holds_all(&self, first: u32, last: u32) -> bool {
        let at = self.0.partition_point(|(_, end)| *end < first);
        self.0.get(at).is_some_and(|(start, end)| *start <= first && last <= *end)
    }

    /// The same lines where they stand after `runs` of lines were changed; what was changed is
    /// none of them any more.
    pub fn moved(&self, runs: &[Run]) -> Self {
        let mut moved = Self::default();
        let (mut same_from, mut now_from) = (1, 1);
        let mut take = |same: (u32, u32), now_from: u32| {
            let inside = self.0.iter().map(|range| (range.0.max(same.0), range.1.min(same.1)));
            let inside = inside.filter(|(first, last)| first <= last);
            let shift = |line: u32| (line - same.0).saturating_add(now_from);
            moved.0.extend(inside.map(|(first, last)| (shift(first), shift(last))));
        };
        for Run { before, after } in runs {
            take((same_from, before.first.0 - 1), now_from);
            same_from = before.first.0.saturating_add(before.lines);
            now_from = after.first.0.saturating_add(after.lines);
        }
        take((same_from, u32::MAX), now_from);
        moved.add([]);
        moved
    }
}

/// What is shown of a line that is not shown as a whole.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LinePart {
    /// The line.
    pub(crate) line: u32,
    /// Bytes before the part.
    pub(crate) from: u64,
    /// Where the part ends; `None`: with the line.
    pub(crate) to: Option<u64>,
}

#[cfg(test)]
mod tests;
