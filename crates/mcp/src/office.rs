//! What a client over streams has asked and was not given yet, within bounds.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::passage::Passage;

/// Requests under way at once. Those that are carried out are fewer; the others wait for them.
const REQUESTS_MAX: usize = 64;

/// Bytes of the requests under way from which on no other is begun.
const REQUEST_BYTES_MAX: usize = 32 << 20;

/// Bytes that wait to be written from which on no request is begun.
const OUTPUT_BYTES_MAX: usize = 8 << 20;

/// Bytes that wait to be written from which on nothing more is read: who does not take what it
/// asked for is not heard.
const OUTPUT_BYTES_LAST: usize = 2 * OUTPUT_BYTES_MAX;

/// What is under way. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Office(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    under_way: Mutex<UnderWay>,
    /// Told when there may be room again.
    changed: Notify,
}

#[derive(Debug, Default)]
struct UnderWay {
    requests: HashMap<RequestId, (Passage, usize)>,
    request_bytes: usize,
    output_bytes: usize,
}

impl Office {
    /// Notes that a request of so many bytes is begun.
    pub(crate) fn open(&self, id: RequestId, passage: Passage, bytes: usize) {
        let mut under_way = self.lock();
        under_way.request_bytes += bytes;
        under_way.requests.insert(id, (passage, bytes));
    }

    /// Whether a request with this id is under way.
    pub(crate) fn is_open(&self, id: &RequestId) -> bool {
        self.lock().requests.contains_key(id)
    }

    /// A request is answered, or is to have no answer.
    pub(crate) fn close(&self, id: &RequestId) -> Option<Passage> {
        let mut under_way = self.lock();
        let (passage, bytes) = under_way.requests.remove(id)?;
        under_way.request_bytes -= bytes;
        drop(under_way);
        self.0.changed.notify_one();
        Some(passage)
    }

    /// So many bytes wait to be written, until what is returned is dropped.
    pub(crate) fn write(&self, bytes: usize) -> Writing {
        self.lock().output_bytes += bytes;
        Writing { bytes, office: self.clone() }
    }

    /// Whether another request may be begun.
    pub(crate) fn has_room(&self) -> bool {
        let under_way = self.lock();
        under_way.requests.len() < REQUESTS_MAX
            && under_way.request_bytes < REQUEST_BYTES_MAX
            && under_way.output_bytes < OUTPUT_BYTES_MAX
    }

    /// Whether the client takes what it is sent.
    pub(crate) fn is_read(&self) -> bool {
        self.lock().output_bytes < OUTPUT_BYTES_MAX
    }

    /// Whether it takes so little that nothing more is to be read of it.
    pub(crate) fn is_stuck(&self) -> bool {
        self.lock().output_bytes >= OUTPUT_BYTES_LAST
    }

    /// Waits until there may be more room.
    pub(crate) fn changed(&self) -> Notified<'_> {
        self.0.changed.notified()
    }

    fn lock(&self) -> MutexGuard<'_, UnderWay> {
        self.0.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Bytes that wait to be written.
#[derive(Debug)]
pub(crate) struct Writing {
    bytes: usize,
    office: Office,
}

impl Drop for Writing {
    fn drop(&mut self) {
        self.office.lock().output_bytes -= self.bytes;
        self.office.0.changed.notify_one();
    }
}
