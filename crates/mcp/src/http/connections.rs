//! The connections of a server, and what of their answers is known to be delivered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_listening::{ConnectionPool, ConnectionSlot, Occupant, Peer, Vacancy};

use super::line::{Line, Stage};
use super::settings::Patience;

/// Connections that have ended, of which it is still to be told what was delivered.
const ENDED_MAX: usize = 512;

impl Occupant for Line {
    fn idle_rank(&self, body_patience: Duration) -> Option<u8> {
        let (stage, since) = self.stage();
        match stage {
            Stage::Idle => Some(0),
            Stage::Body if since.elapsed() >= body_patience => Some(0),
            Stage::Listening => Some(1),
            Stage::Body | Stage::Working => None,
        }
    }

    fn since(&self) -> Instant {
        self.stage().1
    }

    fn awaits_body(&self) -> bool {
        self.stage().0 == Stage::Body
    }
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    pool: Arc<ConnectionPool<Line>>,
    patience: Patience,
    ended: Mutex<Vec<Line>>,
}

/// The place of a connection among those that are open, until this is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    place: ConnectionSlot<Line>,
    line: Line,
    connections: Arc<Connections>,
}

impl Slot {
    /// Serves a connection until it ends or has to. The place is free then, also if serving it
    /// panics.
    pub(super) async fn serve<T>(self, connection: impl Future<Output = T>) {
        self.place.serve(connection).await;
    }

    #[cfg(test)]
    fn is_to_close(&self) -> bool {
        self.place.is_to_close()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.line.has_untold() {
            let mut ended = self.connections.ended();
            if ended.len() >= ENDED_MAX {
                ended.remove(0);
            }
            ended.push(self.line.clone());
        }
    }
}

impl Connections {
    pub(super) fn new(max: usize, patience: Patience) -> Self {
        let pool = Arc::new(ConnectionPool::new(max, patience.body_crowded));
        Self { pool, patience, ended: Mutex::default() }
    }

    /// Takes a connection in.
    pub(super) fn enter(self: &Arc<Self>, peer: Peer, line: &Line) -> Slot {
        let place = self.pool.enter(peer, line.clone());
        Slot { place, line: line.clone(), connections: Arc::clone(self) }
    }

    /// Tells of the answers that were delivered by now.
    pub(super) fn tell_delivered(&self) {
        self.pool.for_each(Line::tell_delivered);
        let ended = std::mem::take(&mut *self.ended());
        ended.iter().for_each(Line::tell_delivered);
    }

    /// Returns whether there is room for a connection of `peer`.
    pub(super) fn make_room(&self, peer: Peer) -> Vacancy {
        self.pool.make_room(peer)
    }

    /// Closes connections whose clients take too long.
    pub(super) fn sweep(&self) {
        let Patience { body, stuck, .. } = self.patience;
        self.pool.close_where(|line| {
            let is_late = line.awaits_body() && line.since().elapsed() >= body;
            is_late || line.stuck_for() >= stuck
        });
    }

    fn ended(&self) -> MutexGuard<'_, Vec<Line>> {
        self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
