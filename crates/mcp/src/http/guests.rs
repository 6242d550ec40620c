//! The sessions that clients have over HTTP, and which of them ends where there are too many.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::connections::Peer;

/// What is known of the sessions.
#[derive(Debug)]
pub(super) struct Guests {
    max: usize,
    known: Mutex<HashMap<Box<str>, Guest>>,
}

/// A session.
#[derive(Debug, Clone, Copy)]
struct Guest {
    peer: Peer,
    used: Instant,
    /// Whether it asked for anything but to begin.
    has_asked: bool,
}

/// No session can end for a new one: all are at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AllAtWork;

impl Guests {
    pub(super) fn new(max: usize) -> Self {
        Self { max: max.max(1), known: Mutex::default() }
    }

    /// A session has begun.
    pub(super) fn begin(&self, id: &str, peer: Peer) {
        let guest = Guest { peer, used: Instant::now(), has_asked: false };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(id.into(), guest);
    }

    /// A session is used.
    pub(super) fn touch(&self, id: &str, asks: bool) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(guest) = known.get_mut(id) {
            guest.used = Instant::now();
            guest.has_asked |= asks;
        }
    }

    /// The sessions of those that are `open` that end so that there is room for one more: never
    /// one that `is_busy`; of the peer that has the most, first those that never asked for
    /// anything, then those that were not used for longest.
    pub(super) fn in_the_way(
        &self,
        open: &[Box<str>],
        is_busy: impl Fn(&str) -> bool,
    ) -> Result<Vec<Box<str>>, AllAtWork> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|id, _| open.contains(id));
        let mut left: Vec<_> = known.iter().map(|(id, guest)| (id.clone(), *guest)).collect();
        let mut gone = Vec::new();
        while open.len() - gone.len() >= self.max {
            let count = |peer| left.iter().filter(|(_, guest)| guest.peer == peer).count();
            let idle = left.iter().enumerate().filter(|(_, (id, _))| !is_busy(id));
            let next = idle.min_by_key(|(_, (_, guest))| {
                (usize::MAX - count(guest.peer), guest.has_asked, guest.used)
            });
            let Some((at, _)) = next else { return Err(AllAtWork) };
            gone.push(left.swap_remove(at).0);
        }
        Ok(gone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peer(address: &str) -> Peer {
        Peer::of(address.parse().expect("an address"))
    }

    fn ids(names: &[&str]) -> Vec<Box<str>> {
        names.iter().map(|name| Box::from(*name)).collect()
    }

    #[test]
    fn who_works_stays_and_who_has_many_goes_first() {
        let guests = Guests::new(4);
        let (many, one) = (peer("10.0.0.1:1"), peer("10.0.0.2:1"));
        for (name, peer) in [("a", one), ("b", many), ("c", many), ("d", many)] {
            guests.begin(name, peer);
        }
        let all = ids(&["a", "b", "c", "d"]);
        assert_eq!(guests.in_the_way(&all, |_| false), Ok(ids(&["b"])));
        guests.touch("b", true);
        assert_eq!(guests.in_the_way(&all, |_| false), Ok(ids(&["c"])));
        guests.touch("c", true);
        guests.touch("d", true);
        assert_eq!(guests.in_the_way(&all, |id| id == "b"), Ok(ids(&["c"])));
        assert_eq!(guests.in_the_way(&all, |id| id != "a"), Ok(ids(&["a"])));
        assert_eq!(guests.in_the_way(&all, |_| true), Err(AllAtWork));
        assert_eq!(guests.in_the_way(&ids(&["a", "b", "c"]), |_| true), Ok(ids(&[])));
    }
}
