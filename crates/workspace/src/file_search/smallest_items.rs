//! The smallest of many items, in bounded memory.

use rayon::slice::ParallelSliceMut;

/// Items that are held before the first removal.
const HELD_MIN: usize = 1024;

/// The `max` smallest of the inserted items.
pub(super) struct SmallestItems<T> {
    /// At most twice `max` items, so that removals are rare.
    items: Vec<T>,
    max: usize,
    /// Whether items were removed. The item at index `max - 1` is then the greatest of the first
    /// `max`.
    is_cut: bool,
}

impl<T: Ord + Send> SmallestItems<T> {
    pub(super) fn new(max: usize) -> Self {
        Self { items: Vec::new(), max, is_cut: false }
    }

    /// Returns whether an item may be kept, given a comparison of that item with a held one.
    pub(super) fn is_candidate(&self, is_less: impl FnOnce(&T) -> bool) -> bool {
        let last = self.max.checked_sub(1).and_then(|last| self.items.get(last));
        self.max > 0 && (!self.is_cut || last.is_none_or(is_less))
    }

    pub(super) fn insert(&mut self, item: T) {
        if !self.is_candidate(|last| item < *last) {
            return;
        }
        self.items.push(item);
        if self.items.len() >= self.max.saturating_mul(2).max(HELD_MIN) {
            self.items.select_nth_unstable(self.max - 1);
            self.items.truncate(self.max);
            self.is_cut = true;
        }
    }

    pub(super) fn into_sorted_items(mut self) -> Vec<T> {
        self.items.par_sort_unstable();
        self.items.truncate(self.max);
        self.items
    }

    /// Returns the smallest items, and possibly some more, in no particular order.
    pub(super) fn into_items(self) -> Vec<T> {
        self.items
    }
}

#[cfg(test)]
mod tests {
    use super::SmallestItems;

    #[test]
    fn the_smallest_are_kept() {
        for max in [0, 1, 3, 600, 5000] {
            let mut first = SmallestItems::new(max);
            // Each of 0..5000 once, in no order.
            for at in 0..5000u64 {
                first.insert(at * 1237 % 5000);
            }
            assert!(first.into_sorted_items().into_iter().eq(0..max.min(5000) as u64), "{max}");
        }
    }
}
