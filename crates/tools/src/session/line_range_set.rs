//! A set of line numbers, kept through changes of the file.

use foveal_workspace::edit::DiffHunk;

/// Lines of one version of a file, as inclusive ranges from 1; ascending, and with gaps between
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LineRangeSet(Vec<(u32, u32)>);

impl LineRangeSet {
    /// Returns all of `count` lines.
    pub fn all(count: u32) -> Self {
        if count == 0 { Self::default() } else { Self(vec![(1, count)]) }
    }

    /// Creates a set of inclusive ranges in any order.
    pub fn from_ranges(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut seen = Self::default();
        seen.add_ranges(ranges);
        seen
    }

    /// Adds inclusive ranges; empty ones are ignored.
    pub fn add_ranges(&mut self, ranges: impl IntoIterator<Item = (u32, u32)>) {
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

    /// Removes the lines of another set.
    pub fn remove_lines(&mut self, others: &Self) {
        for (from, to) in &others.0 {
            let before = std::mem::take(&mut self.0);
            let parts = before.into_iter().flat_map(|(first, last)| {
                [(first, last.min(from.saturating_sub(1))), (first.max(to.saturating_add(1)), last)]
            });
            self.add_ranges(parts);
        }
    }

    /// Returns the inclusive ranges, ascending.
    pub fn ranges(&self) -> &[(u32, u32)] {
        &self.0
    }

    /// Returns whether the set has no line.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of lines.
    pub fn count(&self) -> u32 {
        self.0.iter().map(|(first, last)| last - first + 1).sum()
    }

    /// Returns whether the set has all of `count` lines.
    pub fn covers_all(&self, count: u32) -> bool {
        count == 0 || matches!(self.0.as_slice(), [(1, last)] if *last >= count)
    }

    /// Returns whether the set has a line.
    pub fn contains(&self, line: u32) -> bool {
        self.contains_range(line, line)
    }

    /// Returns whether the set has all lines of an inclusive range.
    pub fn contains_range(&self, first: u32, last: u32) -> bool {
        let at = self.0.partition_point(|(_, end)| *end < first);
        self.0.get(at).is_some_and(|(start, end)| *start <= first && last <= *end)
    }

    /// Returns the lines at their places after `runs` of lines were changed, without the changed
    /// lines.
    pub fn shifted_by(&self, runs: &[DiffHunk]) -> Self {
        let mut moved = Self::default();
        let (mut same_from, mut now_from) = (1, 1);
        let mut take = |same: (u32, u32), now_from: u32| {
            let inside = self.0.iter().map(|range| (range.0.max(same.0), range.1.min(same.1)));
            let inside = inside.filter(|(first, last)| first <= last);
            let shift = |line: u32| (line - same.0).saturating_add(now_from);
            moved.0.extend(inside.map(|(first, last)| (shift(first), shift(last))));
        };
        for DiffHunk { before, after } in runs {
            take((same_from, before.first.0 - 1), now_from);
            same_from = before.first.0.saturating_add(before.lines);
            now_from = after.first.0.saturating_add(after.lines);
        }
        take((same_from, u32::MAX), now_from);
        moved.add_ranges([]);
        moved
    }
}

#[cfg(test)]
mod tests;
