//! A bounded queue of spans that wait for export. The oldest ones are dropped first.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::span::TraceSpan;

/// The largest number of waiting spans.
pub(super) const QUEUED_SPANS_MAX: usize = 2_048;

/// The largest number of spans in one request.
pub(super) const BATCH_SPANS_MAX: usize = 512;

/// The waiting spans, and the number of dropped ones.
#[derive(Debug, Default)]
pub(super) struct SpanQueue {
    waiting: Mutex<VecDeque<TraceSpan>>,
    span_added: Notify,
    dropped: AtomicU64,
}

impl SpanQueue {
    /// Adds a span.
    pub(super) fn push(&self, span: TraceSpan) {
        let mut waiting = self.lock();
        waiting.push_back(span);
        self.drop_oldest(&mut waiting);
        drop(waiting);
        self.span_added.notify_one();
    }

    /// Removes the oldest spans, at most one batch.
    pub(super) fn take_batch(&self) -> Vec<TraceSpan> {
        let mut waiting = self.lock();
        let count = waiting.len().min(BATCH_SPANS_MAX);
        waiting.drain(..count).collect()
    }

    /// Returns a batch to the front of the queue.
    pub(super) fn requeue(&self, batch: Vec<TraceSpan>) {
        let mut waiting = self.lock();
        batch.into_iter().rev().for_each(|span| waiting.push_front(span));
        self.drop_oldest(&mut waiting);
    }

    /// Waits for a full batch, or until `delay` after the first span of one.
    pub(super) async fn wait_for_batch(&self, delay: Duration) {
        while self.lock().is_empty() {
            self.span_added.notified().await;
        }
        let full = async {
            while self.lock().len() < BATCH_SPANS_MAX {
                self.span_added.notified().await;
            }
        };
        drop(tokio::time::timeout(delay, full).await);
    }

    /// Counts spans that will not be sent.
    pub(super) fn count_dropped(&self, count: u64) {
        self.dropped.fetch_add(count, Ordering::Relaxed);
    }

    /// Drops all waiting spans.
    pub(super) fn drop_all(&self) {
        let count = std::mem::take(&mut *self.lock()).len();
        self.count_dropped(count as u64);
    }

    pub(super) fn dropped_count(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    fn drop_oldest(&self, waiting: &mut VecDeque<TraceSpan>) {
        let over = waiting.len().saturating_sub(QUEUED_SPANS_MAX);
        waiting.drain(..over);
        self.count_dropped(over as u64);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<TraceSpan>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{BATCH_SPANS_MAX, QUEUED_SPANS_MAX, SpanQueue};
    use crate::trace_parent::{SpanId, TraceId};
    use crate::traces::span::TraceSpan;

    fn span(number: u64) -> TraceSpan {
        TraceSpan {
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
        let queue = SpanQueue::default();
        let more = 100;
        (0..(QUEUED_SPANS_MAX + more) as u64).for_each(|number| queue.push(span(number)));
        assert_eq!(queue.dropped_count(), more as u64);
        let batch = queue.take_batch();
        assert_eq!((batch.len(), &*batch[0].name), (BATCH_SPANS_MAX, "100"));
        // A requeued batch is dropped first too.
        (0..more as u64).for_each(|number| queue.push(span(number)));
        queue.requeue(batch);
        assert_eq!(queue.dropped_count(), 2 * more as u64);
        assert_eq!(queue.take_batch()[0].name, "200");
        queue.drop_all();
        assert_eq!(queue.dropped_count(), (2 * more + QUEUED_SPANS_MAX - BATCH_SPANS_MAX) as u64);
        assert!(queue.take_batch().is_empty());
    }

    #[tokio::test]
    async fn a_batch_is_waited_for_no_longer_than_the_delay() {
        let queue = SpanQueue::default();
        let delay = Duration::from_millis(30);
        let nothing = tokio::time::timeout(2 * delay, queue.wait_for_batch(delay)).await;
        assert!(nothing.is_err());
        queue.push(span(1));
        let began = tokio::time::Instant::now();
        queue.wait_for_batch(delay).await;
        assert!(began.elapsed() >= delay);
        (0..BATCH_SPANS_MAX as u64).for_each(|number| queue.push(span(number)));
        // A full one is not kept waiting.
        queue.wait_for_batch(Duration::from_secs(1_000)).await;
    }
}
