//! The connections of a server: no more than a number, and none that only waits keeps others out.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// The other side of a connection: an address, or of the newer kind all that one customer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Peer(IpAddr);

impl Peer {
    /// The peer at an address.
    pub fn from_address(address: SocketAddr) -> Self {
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

/// What a connection is at, as far as it matters to others that wait for its place.
pub trait Occupant {
    /// How readily it is closed for another: the least goes first; `None`: it is at work. A body
    /// that has been expected for longer than `body_patience` is not waited for.
    fn idle_rank(&self, body_patience: Duration) -> Option<u8>;

    /// Since when it is at that.
    fn since(&self) -> Instant;

    /// Whether the body of a request is to come.
    fn awaits_body(&self) -> bool;
}

/// What is to be done with a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Vacancy {
    /// It is let in.
    Free,
    /// Shortly there may be room.
    Soon,
    /// All others are at work.
    None,
}

/// The connections of a server.
#[derive(Debug)]
pub struct ConnectionPool<O> {
    max: usize,
    body_patience: Duration,
    held: Mutex<Held<O>>,
}

#[derive(Debug)]
struct Held<O> {
    open: Vec<Open<O>>,
    count: u64,
}

/// A connection that is open.
#[derive(Debug)]
struct Open<O> {
    number: u64,
    peer: Peer,
    occupant: O,
    close: CancellationToken,
}

/// The place of a connection among those that are open, until this is dropped.
#[derive(Debug)]
pub struct ConnectionSlot<O> {
    number: u64,
    close: CancellationToken,
    pool: Arc<ConnectionPool<O>>,
}

impl<O> ConnectionSlot<O> {
    /// Serves a connection until it ends or has to.
    pub async fn serve<T>(&self, connection: impl Future<Output = T>) {
        // A client that breaks off has ended its connection, and nothing else.
        drop(self.close.run_until_cancelled(connection).await);
    }

    /// Whether it is to end for another one.
    pub fn is_to_close(&self) -> bool {
        self.close.is_cancelled()
    }
}

impl<O> Drop for ConnectionSlot<O> {
    fn drop(&mut self) {
        self.pool.lock().open.retain(|open| open.number != self.number);
    }
}

impl<O> ConnectionPool<O> {
    /// A pool of at most `max` connections. One whose client lets the body of a request be waited
    /// for longer than `body_patience` gives way to others.
    pub fn new(max: usize, body_patience: Duration) -> Self {
        let held = Mutex::new(Held { open: Vec::new(), count: 0 });
        Self { max: max.max(1), body_patience, held }
    }

    /// Takes a connection in.
    pub fn enter(self: &Arc<Self>, peer: Peer, occupant: O) -> ConnectionSlot<O> {
        let mut held = self.lock();
        held.count += 1;
        let (number, close) = (held.count, CancellationToken::new());
        held.open.push(Open { number, peer, occupant, close: close.clone() });
        ConnectionSlot { number, close, pool: Arc::clone(self) }
    }

    /// Whether no connection is open.
    pub fn is_empty(&self) -> bool {
        self.lock().open.is_empty()
    }

    /// Does something with each that is open.
    pub fn for_each(&self, act: impl FnMut(&O)) {
        self.lock().open.iter().map(|open| &open.occupant).for_each(act);
    }

    /// Closes those that `is_late` says of.
    pub fn close_where(&self, is_late: impl Fn(&O) -> bool) {
        for open in self.lock().open.iter().filter(|open| is_late(&open.occupant)) {
            open.close.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held<O>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O: Occupant> ConnectionPool<O> {
    /// Returns whether there is room for a connection of `peer`. Closes another for it that only
    /// waits: of the peer that has the most, the one that has waited longest.
    pub fn make_room(&self, peer: Peer) -> Vacancy {
        let held = self.lock();
        let mut counts: HashMap<Peer, usize> = HashMap::new();
        for open in &held.open {
            *counts.entry(open.peer).or_default() += 1;
        }
        let count = |of: Peer| counts.get(&of).copied().unwrap_or(0);
        let has_its_share = count(peer) >= peer.share(self.max);
        if held.open.len() < self.max && !has_its_share {
            return Vacancy::Free;
        }
        let may_go = held.open.iter().filter(|open| !has_its_share || open.peer == peer);
        if may_go.clone().any(|open| open.close.is_cancelled()) {
            return Vacancy::Soon;
        }
        let idle = may_go.clone().filter_map(|open| {
            let rank = open.occupant.idle_rank(self.body_patience)?;
            Some((rank, usize::MAX - count(open.peer), open))
        });
        if let Some((.., open)) =
            idle.min_by_key(|(rank, few, open)| (*rank, *few, open.occupant.since()))
        {
            open.close.cancel();
            return Vacancy::Soon;
        }
        match may_go.clone().any(|open| open.occupant.awaits_body()) {
            true => Vacancy::Soon,
            false => Vacancy::None,
        }
    }
}
