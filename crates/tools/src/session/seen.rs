//! Which lines of a file the model has seen, through changes of the file.

use similar::{Algorithm, DiffOp, capture_diff_slices};

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

    /// The same lines where they stand in `new`, and all lines that are new there.
    pub fn moved(&self, old: &str, new: &str) -> Self {
        let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
        let mut moved = Self::default();
        for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
            match operation {
                DiffOp::Equal { old_index, new_index, len } => {
                    let (from, to) = (number(old_index), number(old_index + len) - 1);
                    let inside =
                        self.0.iter().map(|(first, last)| (*first.max(&from), *last.min(&to)));
                    let shift = |line: u32| line - from + number(new_index);
                    let inside = inside.filter(|(first, last)| first <= last);
                    moved.0.extend(inside.map(|(first, last)| (shift(first), shift(last))));
                }
                DiffOp::Insert { new_index, new_len, .. }
                | DiffOp::Replace { new_index, new_len, .. } => {
                    moved.0.push((number(new_index), number(new_index + new_len) - 1));
                }
                DiffOp::Delete { .. } => {}
            }
        }
        moved.add([]);
        moved
    }
}

/// The number of the line at a place.
fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX - 1) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_joined() {
        assert_eq!(Seen::of([(7, 9), (1, 2), (3, 4), (8, 12), (6, 5)]).ranges(), [(1, 4), (7, 12)]);
        assert!(Seen::of([(1, 3), (4, 6)]).covers(6));
        assert!(!Seen::of([(1, 3), (5, 6)]).covers(6));
        let mut left = Seen::of([(1, 9), (12, 14)]);
        left.remove(&Seen::of([(3, 4), (9, 12), (20, 22)]));
        assert_eq!(left.ranges(), [(1, 2), (5, 8), (13, 14)]);
        assert!(Seen::all(0).covers(0) && Seen::all(0).is_empty());
    }

    #[test]
    fn lines_move_with_the_text_and_new_ones_join_them() {
        let old = "a\nb\nc\nd\ne\nf\n";
        for (seen, new, expected) in [
            (vec![(2, 3)], "a\nb\nc\nd\ne\nf\n", vec![(2, 3)]),
            (vec![(2, 3)], "x\na\nb\nc\nd\ne\nf\n", vec![(1, 1), (3, 4)]),
            (vec![(2, 5)], "a\nb\nd\ne\nf\n", vec![(2, 4)]),
            (vec![(1, 2)], "a\nb\nc\nd\nE\nf\n", vec![(1, 2), (5, 5)]),
            (vec![(1, 6)], "", vec![]),
        ] {
            assert_eq!(Seen::of(seen).moved(old, new).ranges(), expected, "{new:?}");
        }
    }
}
