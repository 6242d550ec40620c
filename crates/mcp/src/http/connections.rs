//! The connections of a server: no more than a number, and none keeps others out that only waits.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;

use super::line::{Line, Stage};
use super::settings::Patience;

/// Connections that have ended, of which it is still to be told what was delivered.
const ENDED_MAX: usize = 512;

/// Who a connection comes from: an address, or of the newer kind all that one customer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Peer(IpAddr);

impl Peer {
    pub(super) fn of(address: SocketAddr) -> Self {
        match address.ip().to_canonical() {
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                Self(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into())
            }
            ip @ IpAddr::V4(_) => Self(ip),
        }
    }

    /// Of so many that all have, those that one may have: on this machine there is one peer.
    fn share(self, all: usize) -> usize {
        if self.0.is_loopback() { all } else { all - all / 4 }
    }
}

/// What is to be done with a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Room {
    /// It is let in.
    Free,
    /// Shortly there may be room.
    Soon,
    /// All others are at work.
    None,
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    max: usize,
    patience: Patience,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    open: Vec<Open>,
    ended: Vec<Line>,
    count: u64,
}

/// The place of a connection among those that are open, until this is dropped.
#[derive(Debug)]
pub(super) struct Slot {
    number: u64,
    close: CancellationToken,
    connections: Arc<Connections>,
}

impl Slot {
    /// Serves a connection until it ends or has to. The place is free then, also if serving it
    /// panics.
    pub(super) async fn serve<T>(self, connection: impl Future<Output = T>) {
        tokio::select! {
            // A client that breaks off has ended its connection, and nothing else.
            ended = connection => drop(ended),
            () = self.close.cancelled() => {}
        }
    }

    #[cfg(test)]
    fn is_to_close(&self) -> bool {
        self.close.is_cancelled()
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.leave(self.number);
    }
}

/// A connection that is open.
#[derive(Debug)]
struct Open {
    number: u64,
    peer: Peer,
    line: Line,
    close: CancellationToken,
}

impl Open {
    /// How readily it is closed for another, if at all: the least goes first.
    fn rank(&self, patience: Patience) -> Option<u8> {
        let (stage, since) = self.line.stage();
        match stage {
            _ if self.close.is_cancelled() => None,
            Stage::Idle => Some(0),
            Stage::Body if since.elapsed() >= patience.body_crowded => Some(0),
            Stage::Listening => Some(1),
            Stage::Body | Stage::Working => None,
        }
    }
}

impl Connections {
    pub(super) fn new(max: usize, patience: Patience) -> Self {
        Self { max: max.max(1), patience, held: Mutex::default() }
    }

    /// Takes a connection in.
    pub(super) fn enter(self: &Arc<Self>, peer: Peer, line: &Line) -> Slot {
        let mut held = self.lock();
        held.count += 1;
        let (number, close) = (held.count, CancellationToken::new());
        held.open.push(Open { number, peer, line: line.clone(), close: close.clone() });
        Slot { number, close, connections: Arc::clone(self) }
    }

    /// A connection has ended.
    fn leave(&self, number: u64) {
        let mut held = self.lock();
        let Some(at) = held.open.iter().position(|open| open.number == number) else { return };
        let gone = held.open.swap_remove(at);
        if gone.line.has_untold() {
            if held.ended.len() >= ENDED_MAX {
                held.ended.remove(0);
            }
            held.ended.push(gone.line);
        }
    }

    /// Tells of the answers that were delivered by now.
    pub(super) fn tell_delivered(&self) {
        let mut held = self.lock();
        held.open.iter().for_each(|open| open.line.tell_delivered());
        held.ended.drain(..).for_each(|line| line.tell_delivered());
    }

    /// Whether there is room for a connection of `peer`. Closes another for it that only waits:
    /// of the peer that has the most, the one that has waited longest.
    pub(super) fn make_room(&self, peer: Peer) -> Room {
        let held = self.lock();
        let count = |of: Peer| held.open.iter().filter(|open| open.peer == of).count();
        let has_its_share = count(peer) >= peer.share(self.max);
        if held.open.len() < self.max && !has_its_share {
            return Room::Free;
        }
        let may_go = held.open.iter().filter(|open| !has_its_share || open.peer == peer);
        let is_going = may_go.clone().any(|open| open.close.is_cancelled());
        let mut by_rank: Vec<_> = may_go
            .clone()
            .filter_map(|open| {
                Some((open.rank(self.patience)?, usize::MAX - count(open.peer), open))
            })
            .collect();
        by_rank.sort_by_key(|(rank, few, open)| (*rank, *few, open.line.stage().1));
        if let Some((.., open)) = by_rank.first().filter(|_| !is_going) {
            open.close.cancel();
            return Room::Soon;
        }
        let is_body = |open: &Open| open.line.stage().0 == Stage::Body;
        if is_going || may_go.clone().any(is_body) { Room::Soon } else { Room::None }
    }

    /// Closes connections whose clients take too long.
    pub(super) fn sweep(&self) {
        for open in &self.lock().open {
            let (stage, since) = open.line.stage();
            let is_late = stage == Stage::Body && since.elapsed() >= self.patience.body;
            if is_late || open.line.stuck_for() >= self.patience.stuck {
                open.close.cancel();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
