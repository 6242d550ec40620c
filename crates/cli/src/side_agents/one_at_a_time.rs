//! Work of which nothing more begins until it has ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether it is under way.
#[derive(Debug, Default)]
pub(super) struct OneAtATime(AtomicBool);

/// It is under way until this is dropped, however it ends.
#[derive(Debug)]
pub(super) struct UnderWay(Arc<OneAtATime>);

impl OneAtATime {
    /// Begins it; `None` while it is under way.
    pub(super) fn begin(self: &Arc<Self>) -> Option<UnderWay> {
        let was = self.0.swap(true, Ordering::SeqCst);
        (!was).then(|| UnderWay(Arc::clone(self)))
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.0.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_begins_again_after_its_end_and_after_a_panic() {
        let work = Arc::new(OneAtATime::default());
        let first = work.begin().expect("nothing is under way");
        assert!(work.begin().is_none());
        drop(first);
        let second = work.begin().expect("it has ended");
        let panicked = std::thread::spawn(move || {
            let _second = second;
            panic!("as a defect would");
        });
        assert!(panicked.join().is_err());
        assert!(work.begin().is_some());
    }
}
