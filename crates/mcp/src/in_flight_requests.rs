//! The unanswered requests of a client over streams, and the limits on them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::delivery_tracker::DeliveryTracker;

/// Requests in flight at once. Fewer run at the same time; the others wait for a thread.
const REQUESTS_MAX: usize = 64;

/// Bytes of requests in flight above which no further one starts.
const REQUEST_BYTES_MAX: usize = 32 << 20;

/// Bytes of unwritten output above which no request starts.
const OUTPUT_BYTES_MAX: usize = 8 << 20;

/// Bytes of unwritten output above which no input is read: the client does not read its responses.
const OUTPUT_BYTES_READ_LIMIT: usize = 2 * OUTPUT_BYTES_MAX;

/// The requests in flight and the unwritten output. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct InFlightRequests(Arc<InFlightState>);

#[derive(Debug, Default)]
struct InFlightState {
    totals: Mutex<InFlightTotals>,
    /// Notified when capacity may have become free.
    changed: Notify,
}

#[derive(Debug, Default)]
struct InFlightTotals {
    requests: HashMap<RequestId, (DeliveryTracker, usize)>,
    request_bytes: usize,
    output_bytes: usize,
}

impl InFlightRequests {
    /// Adds a request of `bytes` bytes.
    pub(crate) fn add_request(&self, id: RequestId, passage: DeliveryTracker, bytes: usize) {
        let mut under_way = self.lock();
        under_way.request_bytes += bytes;
        under_way.requests.insert(id, (passage, bytes));
    }

    /// Returns whether a request with this id is in flight.
    pub(crate) fn contains(&self, id: &RequestId) -> bool {
        self.lock().requests.contains_key(id)
    }

    /// Removes a request that is answered or cancelled.
    pub(crate) fn remove_request(&self, id: &RequestId) -> Option<DeliveryTracker> {
        let mut under_way = self.lock();
        let (passage, bytes) = under_way.requests.remove(id)?;
        under_way.request_bytes -= bytes;
        drop(under_way);
        self.0.changed.notify_one();
        Some(passage)
    }

    /// Counts `bytes` of output as unwritten until the returned guard is dropped.
    pub(crate) fn add_pending_output(&self, bytes: usize) -> PendingOutput {
        self.lock().output_bytes += bytes;
        PendingOutput { bytes, office: self.clone() }
    }

    /// Returns whether another request may start.
    pub(crate) fn has_capacity(&self) -> bool {
        let under_way = self.lock();
        under_way.requests.len() < REQUESTS_MAX
            && under_way.request_bytes < REQUEST_BYTES_MAX
            && under_way.output_bytes < OUTPUT_BYTES_MAX
    }

    /// Returns whether the client reads its responses.
    pub(crate) fn is_client_reading(&self) -> bool {
        self.lock().output_bytes < OUTPUT_BYTES_MAX
    }

    /// Returns whether so much output is unwritten that no more input should be read.
    pub(crate) fn is_client_stalled(&self) -> bool {
        self.lock().output_bytes >= OUTPUT_BYTES_READ_LIMIT
    }

    /// Waits until capacity may have become free.
    pub(crate) fn capacity_changed(&self) -> Notified<'_> {
        self.0.changed.notified()
    }

    fn lock(&self) -> MutexGuard<'_, InFlightTotals> {
        self.0.totals.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Output that is not written yet.
#[derive(Debug)]
pub(crate) struct PendingOutput {
    bytes: usize,
    office: InFlightRequests,
}

impl Drop for PendingOutput {
    fn drop(&mut self) {
        self.office.lock().output_bytes -= self.bytes;
        self.office.0.changed.notify_one();
    }
}
