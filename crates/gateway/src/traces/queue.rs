//! Spans that wait to be sent: at most so many, the oldest give way.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::span::Span;

/// Spans that wait, at most.
pub(super) const WAITING_MAX: usize = 2_048;

/// Spans that are sent at once, at most.
pub(super) const BATCH_MAX: usize = 512;

/// What waits, and how many were dropped.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: Mutex<VecDeque<Span>>,
    came: Notify,
    dropped: AtomicU64,
}

impl Queue {
    /// Adds a span.
    pub(super) fn push(&self, span: Span) {
        let mut waiting = self.lock();
        waiting.push_back(span);
        self.keep_newest(&mut waiting);
        drop(waiting);
        self.came.notify_one();
    }

    /// The oldest ones.
    pub(super) fn take(&self) -> Vec<Span> {
        let mut waiting = self.lock();
        let count = waiting.len().min(BATCH_MAX);
        waiting.drain(..count).collect()
    }

    /// Puts back what was taken, to be sent later.
    pub(super) fn put_back(&self, batch: Vec<Span>) {
        let mut waiting = self.lock();
        batch.into_iter().rev().for_each(|span| waiting.push_front(span));
        self.keep_newest(&mut waiting);
    }

    /// Waits for a batch, or for `delay` after the first span of one.
    pub(super) async fn filled(&self, delay: Duration) {
        while self.lock().is_empty() {
            self.came.notified().await;
        }
        let full = async {
            while self.lock().len() < BATCH_MAX {
                self.came.notified().await;
            }
        };
        drop(tokio::time::timeout(delay, full).await);
    }

    /// So many will not be sent.
    pub(super) fn drop_also(&self, count: u64) {
        self.dropped.fetch_add(count, Ordering::Relaxed);
    }

    /// Drops all that waits.
    pub(super) fn clear(&self) {
        let count = std::mem::take(&mut *self.lock()).len();
        self.drop_also(count as u64);
    }

    pub(super) fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn keep_newest(&self, waiting: &mut VecDeque<Span>) {
        let over = waiting.len().saturating_sub(WAITING_MAX);
        waiting.drain(..over);
        self.drop_also(over as u64);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Span>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BATCH_MAX, Queue, WAITING_MAX};
    use crate::trace_parent::{SpanId, TraceId};
    use crate::traces::span::Span;

    fn span(number: u64) -> Span {
        Span {
            trace: TraceId([1; 16]),
            id: SpanId([1; 8]),
            parent: None,
            name: number.to_string(),
            start_ns: 0,
            end_ns: 0,
            attributes: Vec::new(),
            has_failed: false,
        }
    }

    #[test]
    fn the_oldest_give_way_and_are_counted() {
        let queue = Queue::default();
        let more = 100;
        (0..(WAITING_MAX + more) as u64).for_each(|number| queue.push(span(number)));
        assert_eq!(queue.dropped(), more as u64);
        let batch = queue.take();
        assert_eq!((batch.len(), &*batch[0].name), (BATCH_MAX, "100"));
        // What could not be sent gives way first too.
        (0..more as u64).for_each(|number| queue.push(span(number)));
        queue.put_back(batch);
        assert_eq!(queue.dropped(), 2 * more as u64);
        assert_eq!(queue.take()[0].name, "200");
        queue.clear();
        assert_eq!(queue.dropped(), (2 * more + WAITING_MAX - BATCH_MAX) as u64);
        assert!(queue.take().is_empty());
    }

    #[tokio::test]
    async fn a_batch_is_waited_for_no_longer_than_the_delay() {
        let queue = Queue::default();
        let delay = Duration::from_millis(30);
        let nothing = tokio::time::timeout(2 * delay, queue.filled(delay)).await;
        assert!(nothing.is_err());
        queue.push(span(1));
        let began = tokio::time::Instant::now();
        queue.filled(delay).await;
        assert!(began.elapsed() >= delay);
        (0..BATCH_MAX as u64).for_each(|number| queue.push(span(number)));
        // A full one is not kept waiting.
        queue.filled(Duration::from_secs(1_000)).await;
    }
}
