//! The memory budget of all requests together.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The number of bytes that requests hold at the same time. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct MemoryBudget(Arc<AtomicUsize>);

/// Bytes of the budget. Dropping the reservation returns them.
#[derive(Debug)]
pub struct MemoryReservation {
    count: AtomicUsize,
    all: MemoryBudget,
}

impl MemoryBudget {
    /// Creates an empty reservation.
    pub fn start_reservation(&self) -> MemoryReservation {
        MemoryReservation { count: AtomicUsize::new(0), all: self.clone() }
    }
}

impl MemoryReservation {
    /// Adds `count` bytes to the reservation. Returns whether all reservations together hold at
    /// most `max` bytes.
    pub fn reserve(&self, count: usize, max: usize) -> bool {
        self.count.fetch_add(count, Ordering::Relaxed);
        self.all.0.fetch_add(count, Ordering::Relaxed) + count <= max
    }
}

impl Drop for MemoryReservation {
    fn drop(&mut self) {
        self.all.0.fetch_sub(*self.count.get_mut(), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryBudget;

    #[test]
    fn what_is_taken_is_given_back() {
        let held = MemoryBudget::default();
        let (one, other) = (held.start_reservation(), held.start_reservation());
        assert!(one.reserve(6, 10));
        assert!(!other.reserve(5, 10));
        drop(other);
        assert!(held.start_reservation().reserve(4, 10));
        drop(one);
        assert!(held.start_reservation().reserve(10, 10));
    }
}
