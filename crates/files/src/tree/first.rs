//! The first of many, in bounded memory.

use rayon::slice::ParallelSliceMut;

/// Items held at least before some are dropped.
const HELD_MIN: usize = 1024;

/// The `max` smallest of the items put in.
pub(super) struct First<T> {
    /// At most twice as many as asked for: dropping the rest all at once is cheap.
    items: Vec<T>,
    max: usize,
    /// Whether some were dropped; then none before the one at `max - 1` is greater than it.
    is_cut: bool,
}

impl<T: Ord + Send> First<T> {
    pub(super) fn new(max: usize) -> Self {
        Self { items: Vec::new(), max, is_cut: false }
    }

    /// Whether an item for which `is_less` says whether it comes before another may be kept.
    pub(super) fn wants(&self, is_less: impl FnOnce(&T) -> bool) -> bool {
        let last = self.max.checked_sub(1).and_then(|last| self.items.get(last));
        self.max > 0 && (!self.is_cut || last.is_none_or(is_less))
    }

    pub(super) fn put(&mut self, item: T) {
        if !self.wants(|last| item < *last) {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.max.saturating_mul(2).max(HELD_MIN) {
            self.items.select_nth_unstable(self.max - 1);
            self.items.truncate(self.max);
            self.is_cut = true;
        }
    }

    pub(super) fn into_sorted(mut self) -> Vec<T> {
        self.items.par_sort_unstable();
        self.items.truncate(self.max);
        self.items
    }

    /// The first, and perhaps some more, in no order.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::First;

    #[test]
    fn the_smallest_are_kept() {
        for max in [0, 1, 3, 600, 5000] {
            let mut first = First::new(max);
            // Each of 0..5000 once, in no order.
            for at in 0..5000u64 {
                first.put(at * 1237 % 5000);
            }
            assert!(first.into_sorted().into_iter().eq(0..max.min(5000) as u64), "{max}");
        }
    }
}
