//! The open connections of a server, and the deliveries of their answers.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_http_guard::{Admission, ConnectionPool, ConnectionSlot, Peer, PooledConnection};

use super::settings::HttpTimeouts;
use super::tracked_connection::{ConnectionStage, TrackedConnection};

/// Closed connections whose deliveries are not confirmed yet.
const CLOSED_CONNECTIONS_MAX: usize = 512;

impl PooledConnection for TrackedConnection {
    fn idle_rank(&self, body_patience: Duration) -> Option<u8> {
        let (stage, since) = self.stage();
        match stage {
            ConnectionStage::Idle => Some(0),
            ConnectionStage::Body if since.elapsed() >= body_patience => Some(0),
            ConnectionStage::Listening => Some(1),
            ConnectionStage::Body | ConnectionStage::Working => None,
        }
    }

    fn state_since(&self) -> Instant {
        self.stage().1
    }

    fn awaits_body(&self) -> bool {
        self.stage().0 == ConnectionStage::Body
    }
}

/// The open connections of a server, and closed ones with unconfirmed deliveries.
#[derive(Debug)]
pub(super) struct HttpConnections {
    pool: Arc<ConnectionPool<TrackedConnection>>,
    timeouts: HttpTimeouts,
    closed: Mutex<Vec<TrackedConnection>>,
}

/// Holds the place of an open connection until it is dropped.
#[derive(Debug)]
pub(super) struct OpenConnectionGuard {
    slot: ConnectionSlot<TrackedConnection>,
    connection: TrackedConnection,
    connections: Arc<HttpConnections>,
}

impl OpenConnectionGuard {
    /// Serves a connection until it ends or must close. Frees its place afterwards, also after a
    /// panic.
    pub(super) async fn serve<T>(self, connection: impl Future<Output = T>) {
        self.slot.serve(connection).await;
    }

    #[cfg(test)]
    fn is_to_close(&self) -> bool {
        self.slot.is_closing()
    }
}

impl Drop for OpenConnectionGuard {
    fn drop(&mut self) {
        if self.connection.has_unconfirmed_deliveries() {
            let mut ended = self.connections.lock_closed();
            if ended.len() >= CLOSED_CONNECTIONS_MAX {
                ended.remove(0);
            }
            ended.push(self.connection.clone());
        }
    }
}

impl HttpConnections {
    pub(super) fn new(max: usize, timeouts: HttpTimeouts) -> Self {
        let pool = Arc::new(ConnectionPool::new(max, timeouts.body_crowded));
        Self { pool, timeouts, closed: Mutex::default() }
    }

    /// Adds a connection.
    pub(super) fn add(
        self: &Arc<Self>,
        peer: Peer,
        line: &TrackedConnection,
    ) -> OpenConnectionGuard {
        let place = self.pool.add_connection(peer, line.clone());
        OpenConnectionGuard { slot: place, connection: line.clone(), connections: Arc::clone(self) }
    }

    /// Confirms the answers that were delivered by now.
    pub(super) fn confirm_deliveries(&self) {
        self.pool.for_each_connection(TrackedConnection::confirm_deliveries);
        let ended = std::mem::take(&mut *self.lock_closed());
        ended.iter().for_each(TrackedConnection::confirm_deliveries);
    }

    /// Decides whether a connection of `peer` can be accepted, and closes an idle one if needed.
    pub(super) fn admit(&self, peer: Peer) -> Admission {
        self.pool.admit(peer)
    }

    /// Closes connections whose clients exceed the time-outs.
    pub(super) fn close_slow(&self) {
        let HttpTimeouts { body, write_stall: stuck, .. } = self.timeouts;
        self.pool.close_matching(|line| {
            let is_late = line.awaits_body() && line.state_since().elapsed() >= body;
            is_late || line.write_stall() >= stuck
        });
    }

    fn lock_closed(&self) -> MutexGuard<'_, Vec<TrackedConnection>> {
        self.closed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
