//! The HTTP sessions of clients, and the eviction of sessions beyond the maximum.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_http_guard::Peer;

/// How long a new session is protected before its first request.
const NEW_SESSION_GRACE: Duration = Duration::from_secs(10);

/// One session in so many may be protected as new, so that a burst of new sessions cannot evict all
/// others.
const PROTECTED_SESSIONS_DIVISOR: usize = 4;

/// The HTTP sessions of a server, up to a maximum.
#[derive(Debug)]
pub(super) struct HttpSessionTable {
    max: usize,
    state: Mutex<HttpSessionTableState>,
}

#[derive(Debug, Default)]
struct HttpSessionTableState {
    sessions: HashMap<Box<str>, HttpSessionUsage>,
    /// Places reserved for sessions that have not started yet.
    reserved: usize,
}

/// Usage of a session.
#[derive(Debug, Clone, Copy)]
struct HttpSessionUsage {
    peer: Peer,
    started_at: Instant,
    last_used: Instant,
    /// Whether it made a request after `initialize`.
    has_made_request: bool,
    /// Whether it is being evicted: requests in it are refused from now on.
    is_evicted: bool,
}

/// A place reserved for a new session, until this is dropped.
#[derive(Debug)]
pub(super) struct SessionReservation<'a> {
    table: &'a HttpSessionTable,
}

impl SessionReservation<'_> {
    /// Adds the session that has started.
    pub(super) fn start_session(self, id: &str, peer: Peer) {
        let now = Instant::now();
        let guest = HttpSessionUsage {
            peer,
            started_at: now,
            last_used: now,
            has_made_request: false,
            is_evicted: false,
        };
        self.table.lock().sessions.insert(id.into(), guest);
    }
}

impl Drop for SessionReservation<'_> {
    fn drop(&mut self) {
        self.table.lock().reserved -= 1;
    }
}

/// No session can be evicted: all are busy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AllSessionsBusy;

impl HttpSessionTable {
    pub(super) fn new(max: usize) -> Self {
        Self { max: max.max(1), state: Mutex::default() }
    }

    /// Marks a session as used; `None` if it is being evicted. `claim` runs under the lock and
    /// makes the session busy before it could be chosen for eviction.
    pub(super) fn mark_used<T>(
        &self,
        id: &str,
        asks: bool,
        claim: impl FnOnce() -> T,
    ) -> Option<T> {
        let mut known = self.lock();
        if let Some(guest) = known.sessions.get_mut(id) {
            if guest.is_evicted {
                return None;
            }
            guest.last_used = Instant::now();
            guest.has_made_request |= asks;
        }
        Some(claim())
    }

    /// Reserves a place for a new session. Returns it with the `open` sessions to evict for it,
    /// none of which `is_busy`: of the peer with the most sessions, first those without a request,
    /// except for the newest ones within the grace period, then the least recently used.
    ///
    /// No session may be opened while this runs.
    pub(super) fn reserve(
        &self,
        open: &[Box<str>],
        is_busy: impl Fn(&str) -> bool,
        now: Instant,
    ) -> Result<(SessionReservation<'_>, Vec<Box<str>>), AllSessionsBusy> {
        let mut known = self.lock();
        known.sessions.retain(|id, _| open.contains(id));
        let unknown = open.iter().filter(|id| !known.sessions.contains_key(*id)).cloned();
        let unknown: Vec<Box<str>> = unknown.collect();
        let is_left = |(_, guest): &(_, HttpSessionUsage)| !guest.is_evicted;
        let all = known.sessions.iter().map(|(id, guest)| (id.clone(), *guest));
        let mut left: Vec<_> = all.filter(is_left).collect();
        // An unknown session without a reservation belongs to a client that broke off while it was
        // opened.
        let (mut gone, beginning) = match known.reserved {
            0 => (unknown, 0),
            beginning => (Vec::new(), beginning.max(unknown.len())),
        };
        let just_begun = self.protected_new_sessions(&left, now);
        while left.len() + beginning >= self.max {
            let count = |peer| left.iter().filter(|(_, guest)| guest.peer == peer).count();
            let idle = left.iter().enumerate().filter(|(_, (id, _))| !is_busy(id));
            let next = idle.min_by_key(|(_, (id, guest))| {
                let counts = guest.has_made_request || just_begun.contains(id);
                (usize::MAX - count(guest.peer), counts, guest.last_used)
            });
            let Some((at, _)) = next else { return Err(AllSessionsBusy) };
            gone.push(left.swap_remove(at).0);
        }
        for id in &gone {
            known.sessions.entry(id.clone()).and_modify(|guest| guest.is_evicted = true);
        }
        known.reserved += 1;
        Ok((SessionReservation { table: self }, gone))
    }

    /// Returns the newest sessions within the grace period, as many as are protected.
    fn protected_new_sessions(
        &self,
        all: &[(Box<str>, HttpSessionUsage)],
        now: Instant,
    ) -> Vec<Box<str>> {
        let is_new = |(_, guest): &&(Box<str>, HttpSessionUsage)| {
            !guest.has_made_request && now.duration_since(guest.started_at) < NEW_SESSION_GRACE
        };
        let mut new: Vec<_> = all.iter().filter(is_new).collect();
        new.sort_by_key(|(_, guest)| Reverse(guest.started_at));
        new.into_iter()
            .take((self.max / PROTECTED_SESSIONS_DIVISOR).max(1))
            .map(|(id, _)| id.clone())
            .collect()
    }

    fn lock(&self) -> MutexGuard<'_, HttpSessionTableState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(address: &str) -> Peer {
        Peer::from_address(address.parse().expect("an address"))
    }

    fn ids(names: &[&str]) -> Vec<Box<str>> {
        names.iter().map(|name| Box::from(*name)).collect()
    }

    /// Returns `max` sessions, one of one peer and the others of another.
    fn full(max: usize) -> (HttpSessionTable, Vec<Box<str>>) {
        let guests = HttpSessionTable::new(max);
        let all: Vec<Box<str>> =
            ["a", "b", "c", "d"][..max].iter().map(|id| (*id).into()).collect();
        for (number, id) in all.iter().enumerate() {
            let address = if **id == *"a" { "10.0.0.2:1" } else { "10.0.0.1:1" };
            let (room, gone) =
                guests.reserve(&all[..number], |_| false, Instant::now()).expect("room");
            assert_eq!(gone, ids(&[]));
            room.start_session(id, peer(address));
        }
        (guests, all)
    }

    /// Returns the sessions that are evicted for a new one, which does not start.
    fn in_the_way(busy: &[&str], used: &[&str]) -> Result<Vec<Box<str>>, AllSessionsBusy> {
        let (guests, all) = full(4);
        for id in used {
            guests.mark_used(id, true, || ()).expect("it is there");
        }
        guests.reserve(&all, |id| busy.contains(&id), Instant::now()).map(|(_, gone)| gone)
    }

    #[test]
    fn who_works_stays_and_who_has_many_goes_first() {
        assert_eq!(in_the_way(&[], &[]), Ok(ids(&["b"])));
        assert_eq!(in_the_way(&[], &["b"]), Ok(ids(&["c"])));
        assert_eq!(in_the_way(&["b"], &["b", "c", "d"]), Ok(ids(&["c"])));
        assert_eq!(in_the_way(&["b", "c", "d"], &["b", "c", "d"]), Ok(ids(&["a"])));
        assert_eq!(in_the_way(&["a", "b", "c", "d"], &[]), Err(AllSessionsBusy));
        let (guests, _) = full(4);
        let few =
            guests.reserve(&ids(&["a", "b", "c"]), |_| true, Instant::now()).map(|(_, gone)| gone);
        assert_eq!(few, Ok(ids(&[])));
    }

    /// Sessions that clients abandon accumulate if each task opens one.
    #[test]
    fn who_has_just_begun_stays_for_those_that_are_idle() {
        let guests = HttpSessionTable::new(4);
        let mut all = Vec::new();
        let mut begin = |id: &str, asks: bool, now: Instant| {
            let (room, gone) = guests.reserve(&all, |_| false, now).expect("room");
            room.start_session(id, peer("10.0.0.1:1"));
            all.retain(|id| !gone.contains(id));
            all.push(id.into());
            if asks {
                guests.mark_used(id, true, || ()).expect("it is there");
            }
            gone
        };
        for id in ["a", "b", "c", "d"] {
            assert_eq!(begin(id, true, Instant::now()), ids(&[]));
        }
        assert_eq!(begin("e", false, Instant::now()), ids(&["a"]));
        // `e` has had no time to ask; the idle one goes that was not used for longest.
        assert_eq!(begin("f", false, Instant::now()), ids(&["b"]));
        // Of several only the last stays for that.
        assert_eq!(begin("g", false, Instant::now()), ids(&["e"]));
        // Who has asked stays as any other.
        guests.mark_used("g", true, || ()).expect("it is there");
        // A while later one goes first that never asked.
        assert_eq!(begin("h", false, Instant::now() + NEW_SESSION_GRACE), ids(&["f"]));
    }

    #[test]
    fn a_request_comes_before_its_session_is_chosen_or_is_not_taken() {
        let (guests, all) = full(2);
        let busy = Mutex::new(Vec::new());
        let claim =
            |id: &str| guests.mark_used(id, true, || busy.lock().unwrap().push(id.to_owned()));
        let is_busy = |id: &str| busy.lock().unwrap().iter().any(|busy| busy == id);
        claim("a").expect("it is there");
        let (room, gone) = guests.reserve(&all, is_busy, Instant::now()).expect("room");
        assert_eq!(gone, ids(&["b"]));
        // It ends, and has not ended yet.
        assert_eq!(claim("b"), None);
        assert_eq!(guests.reserve(&all, is_busy, Instant::now()).map(drop), Err(AllSessionsBusy));
        room.start_session("e", peer("10.0.0.1:1"));
        claim("e").expect("it is there");
        assert_eq!(
            guests.reserve(&ids(&["a", "e"]), is_busy, Instant::now()).map(drop),
            Err(AllSessionsBusy)
        );
    }

    #[test]
    fn sessions_whose_clients_broke_off_before_they_began_end() {
        let (guests, _) = full(2);
        let open = ids(&["a", "b", "e", "f"]);
        let (room, gone) = guests.reserve(&open, |_| false, Instant::now()).expect("room");
        assert_eq!(gone, ids(&["e", "f", "a"]));
        // This one may be about to begin.
        let open = ids(&["b", "g"]);
        assert_eq!(
            guests.reserve(&open, |_| false, Instant::now()).map(|(_, gone)| gone),
            Ok(ids(&["b"]))
        );
        drop(room);
        let one = guests.reserve(&ids(&["g"]), |_| false, Instant::now()).map(|(_, gone)| gone);
        assert_eq!(one, Ok(ids(&["g"])));
    }

    #[test]
    fn sessions_that_begin_at_once_are_no_more_than_there_may_be() {
        let (guests, all) = full(3);
        let rooms: Vec<_> = (0..3)
            .map(|_| guests.reserve(&all, |_| false, Instant::now()).expect("room"))
            .inspect(|(_, gone)| assert_eq!(gone.len(), 1))
            .collect();
        assert_eq!(guests.reserve(&all, |_| false, Instant::now()).map(drop), Err(AllSessionsBusy));
        drop(rooms);
        assert!(guests.reserve(&all, |_| false, Instant::now()).is_ok());
    }
}
