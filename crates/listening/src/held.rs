//! How many bytes all requests together hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that are held at the same time. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Held(Arc<AtomicUsize>);

/// Some of them, until this is dropped.
#[derive(Debug)]
pub struct Share {
    count: usize,
    all: Held,
}

impl Held {
    /// None yet.
    pub fn share(&self) -> Share {
        Share { count: 0, all: self.clone() }
    }
}

impl Share {
    /// Takes `count` bytes more; whether all together are no more than `max` then.
    pub fn take(&mut self, count: usize, max: usize) -> bool {
        self.count += count;
        self.all.0.fetch_add(count, Ordering::Relaxed) + count <= max
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.all.0.fetch_sub(self.count, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::Held;

    #[test]
    fn what_is_taken_is_given_back() {
        let held = Held::default();
        let (mut one, mut other) = (held.share(), held.share());
        assert!(one.take(6, 10));
        assert!(!other.take(5, 10));
        drop(other);
        assert!(held.share().take(4, 10));
        drop(one);
        assert!(held.share().take(10, 10));
    }
}
