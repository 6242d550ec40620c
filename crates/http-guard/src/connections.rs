//! The connection pool of a server: it bounds the number of connections, and closes idle ones for
//! new ones.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// The remote side of a connection: an IPv4 address, or the /64 network of an IPv6 address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Peer(IpAddr);

impl Peer {
    /// Returns the peer at an address.
    pub fn from_address(address: SocketAddr) -> Self {
        match address.ip().to_canonical() {
            IpAddr::V6(ip) => {
                let [a, b, c, d, ..] = ip.segments();
                Self(Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into())
            }
            ip @ IpAddr::V4(_) => Self(ip),
        }
    }

    /// Returns the number of connections, of `all`, that one peer may hold. All local connections
    /// belong to one peer, which may hold all of them.
    fn connection_quota(self, all: usize) -> usize {
        if self.0.is_loopback() { all } else { all - all / 4 }
    }
}

/// The state of a connection, as far as the pool needs it to choose which one to close.
pub trait PooledConnection {
    /// Returns the rank for eviction: the lowest is closed first; `Full` if the connection is at
    /// work. A connection counts as idle if it has waited for a request body for longer than
    /// `body_patience`.
    fn idle_rank(&self, body_patience: Duration) -> Option<u8>;

    /// Returns the time at which the current state began.
    fn state_since(&self) -> Instant;

    /// Returns whether the body of a request has yet to arrive.
    fn awaits_body(&self) -> bool;
}

/// The decision about a new connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// The connection is accepted.
    Accepted,
    /// There may be room shortly.
    RetrySoon,
    /// All other connections are at work.
    Full,
}

/// The connections of a server.
#[derive(Debug)]
pub struct ConnectionPool<O> {
    max: usize,
    body_patience: Duration,
    held: Mutex<PoolState<O>>,
}

#[derive(Debug)]
struct PoolState<O> {
    open: Vec<PoolEntry<O>>,
    count: u64,
}

/// An open connection.
#[derive(Debug)]
struct PoolEntry<O> {
    number: u64,
    peer: Peer,
    occupant: O,
    close: CancellationToken,
}

/// The place of a connection in the pool. Dropping it frees the place.
#[derive(Debug)]
pub struct ConnectionSlot<O> {
    number: u64,
    close: CancellationToken,
    pool: Arc<ConnectionPool<O>>,
}

impl<O> ConnectionSlot<O> {
    /// Serves a connection until it ends or the pool closes it.
    pub async fn serve<T>(&self, connection: impl Future<Output = T>) {
        // If the client breaks off, only its own connection ends.
        drop(self.close.run_until_cancelled(connection).await);
    }

    /// Returns whether the pool is closing this connection for another one.
    pub fn is_closing(&self) -> bool {
        self.close.is_cancelled()
    }
}

impl<O> Drop for ConnectionSlot<O> {
    fn drop(&mut self) {
        self.pool.lock().open.retain(|open| open.number != self.number);
    }
}

impl<O> ConnectionPool<O> {
    /// Creates a pool of at most `max` connections. A connection that has waited for a request body
    /// for longer than `body_patience` gives way to others.
    pub fn new(max: usize, body_patience: Duration) -> Self {
        let held = Mutex::new(PoolState { open: Vec::new(), count: 0 });
        Self { max: max.max(1), body_patience, held }
    }

    /// Adds a connection.
    pub fn add_connection(self: &Arc<Self>, peer: Peer, occupant: O) -> ConnectionSlot<O> {
        let mut held = self.lock();
        held.count += 1;
        let (number, close) = (held.count, CancellationToken::new());
        held.open.push(PoolEntry { number, peer, occupant, close: close.clone() });
        ConnectionSlot { number, close, pool: Arc::clone(self) }
    }

    /// Returns whether no connection is open.
    pub fn is_empty(&self) -> bool {
        self.lock().open.is_empty()
    }

    /// Calls `act` for each open connection.
    pub fn for_each_connection(&self, act: impl FnMut(&O)) {
        self.lock().open.iter().map(|open| &open.occupant).for_each(act);
    }

    /// Closes the connections for which `is_late` returns true.
    pub fn close_matching(&self, is_late: impl Fn(&O) -> bool) {
        for open in self.lock().open.iter().filter(|open| is_late(&open.occupant)) {
            open.close.cancel();
        }
    }

    fn lock(&self) -> MutexGuard<'_, PoolState<O>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<O: PooledConnection> ConnectionPool<O> {
    /// Returns whether a connection of `peer` can be accepted. If the pool is full, closes an idle
    /// connection: of the peer with the most connections, the one that has been idle for longest.
    pub fn admit(&self, peer: Peer) -> Admission {
        let held = self.lock();
        let mut counts: HashMap<Peer, usize> = HashMap::new();
        for open in &held.open {
            *counts.entry(open.peer).or_default() += 1;
        }
        let count = |of: Peer| counts.get(&of).copied().unwrap_or(0);
        let has_its_share = count(peer) >= peer.connection_quota(self.max);
        if held.open.len() < self.max && !has_its_share {
            return Admission::Accepted;
        }
        let may_go = held.open.iter().filter(|open| !has_its_share || open.peer == peer);
        if may_go.clone().any(|open| open.close.is_cancelled()) {
            return Admission::RetrySoon;
        }
        let idle = may_go.clone().filter_map(|open| {
            let rank = open.occupant.idle_rank(self.body_patience)?;
            Some((rank, usize::MAX - count(open.peer), open))
        });
        if let Some((.., open)) =
            idle.min_by_key(|(rank, few, open)| (*rank, *few, open.occupant.state_since()))
        {
            open.close.cancel();
            return Admission::RetrySoon;
        }
        match may_go.clone().any(|open| open.occupant.awaits_body()) {
            true => Admission::RetrySoon,
            false => Admission::Full,
        }
    }
}
