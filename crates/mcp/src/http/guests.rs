//! The sessions that clients have over HTTP, and which of them ends where there are too many.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_listening::Peer;

/// How long a session that has just begun may take before it asks for anything.
const BEGIN_TIME: Duration = Duration::from_secs(10);

/// Of how many sessions one may just have begun, and stays for that: many that begin at once are not
/// to end all others.
const BEGUN_SHARE: usize = 4;

/// What is known of the sessions.
#[derive(Debug)]
pub(super) struct Guests {
    max: usize,
    known: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    sessions: HashMap<Box<str>, Guest>,
    /// Sessions for which there is room and that have not begun yet.
    beginning: usize,
}

/// A session.
#[derive(Debug, Clone, Copy)]
struct Guest {
    peer: Peer,
    begun: Instant,
    used: Instant,
    /// Whether it asked for anything but to begin.
    has_asked: bool,
    /// Whether it ends for another: nothing that comes now is answered in it.
    is_going: bool,
}

/// Room for one session that is about to begin, until this is dropped.
#[derive(Debug)]
pub(super) struct Room<'a> {
    guests: &'a Guests,
}

impl Room<'_> {
    /// The session has begun.
    pub(super) fn begin(self, id: &str, peer: Peer) {
        let now = Instant::now();
        let guest = Guest { peer, begun: now, used: now, has_asked: false, is_going: false };
        self.guests.lock().sessions.insert(id.into(), guest);
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        self.guests.lock().beginning -= 1;
    }
}

/// No session can end for a new one: all are at work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AllAtWork;

impl Guests {
    pub(super) fn new(max: usize) -> Self {
        Self { max: max.max(1), known: Mutex::default() }
    }

    /// A session is used; `None` where it ends for another. What `claim` does makes it busy
    /// before anybody else can choose it to end.
    pub(super) fn touch<T>(&self, id: &str, asks: bool, claim: impl FnOnce() -> T) -> Option<T> {
        let mut known = self.lock();
        if let Some(guest) = known.sessions.get_mut(id) {
            if guest.is_going {
                return None;
            }
            guest.used = Instant::now();
            guest.has_asked |= asks;
        }
        Some(claim())
    }

    /// Makes room for one more session; with it come those of the `open` ones that end for it:
    /// never one that `is_busy`; of the peer that has the most, first those that never asked for
    /// anything, but for the last that have just begun, then those that were not used for longest.
    ///
    /// No session may be opened while this runs.
    pub(super) fn make_room(
        &self,
        open: &[Box<str>],
        is_busy: impl Fn(&str) -> bool,
        now: Instant,
    ) -> Result<(Room<'_>, Vec<Box<str>>), AllAtWork> {
        let mut known = self.lock();
        known.sessions.retain(|id, _| open.contains(id));
        let unknown = open.iter().filter(|id| !known.sessions.contains_key(*id)).cloned();
        let unknown: Vec<Box<str>> = unknown.collect();
        let is_left = |(_, guest): &(_, Guest)| !guest.is_going;
        let all = known.sessions.iter().map(|(id, guest)| (id.clone(), *guest));
        let mut left: Vec<_> = all.filter(is_left).collect();
        // One that nobody begins any more is of a client that broke off meanwhile.
        let (mut gone, beginning) = match known.beginning {
            0 => (unknown, 0),
            beginning => (Vec::new(), beginning.max(unknown.len())),
        };
        let just_begun = self.just_begun(&left, now);
        while left.len() + beginning >= self.max {
            let count = |peer| left.iter().filter(|(_, guest)| guest.peer == peer).count();
            let idle = left.iter().enumerate().filter(|(_, (id, _))| !is_busy(id));
            let next = idle.min_by_key(|(_, (id, guest))| {
                let counts = guest.has_asked || just_begun.contains(id);
                (usize::MAX - count(guest.peer), counts, guest.used)
            });
            let Some((at, _)) = next else { return Err(AllAtWork) };
            gone.push(left.swap_remove(at).0);
        }
        for id in &gone {
            known.sessions.entry(id.clone()).and_modify(|guest| guest.is_going = true);
        }
        known.beginning += 1;
        Ok((Room { guests: self }, gone))
    }

    /// The last sessions that have just begun, as many as may stay for that.
    fn just_begun(&self, all: &[(Box<str>, Guest)], now: Instant) -> Vec<Box<str>> {
        let is_new = |(_, guest): &&(Box<str>, Guest)| {
            !guest.has_asked && now.duration_since(guest.begun) < BEGIN_TIME
        };
        let mut new: Vec<_> = all.iter().filter(is_new).collect();
        new.sort_by_key(|(_, guest)| Reverse(guest.begun));
        new.into_iter().take((self.max / BEGUN_SHARE).max(1)).map(|(id, _)| id.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
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

    /// `max` sessions, one of one peer and the others of another.
    fn full(max: usize) -> (Guests, Vec<Box<str>>) {
        let guests = Guests::new(max);
        let all: Vec<Box<str>> =
            ["a", "b", "c", "d"][..max].iter().map(|id| (*id).into()).collect();
        for (number, id) in all.iter().enumerate() {
            let address = if **id == *"a" { "10.0.0.2:1" } else { "10.0.0.1:1" };
            let (room, gone) =
                guests.make_room(&all[..number], |_| false, Instant::now()).expect("room");
            assert_eq!(gone, ids(&[]));
            room.begin(id, peer(address));
        }
        (guests, all)
    }

    /// Which sessions would end for a new one, which does not begin.
    fn in_the_way(busy: &[&str], used: &[&str]) -> Result<Vec<Box<str>>, AllAtWork> {
        let (guests, all) = full(4);
        for id in used {
            guests.touch(id, true, || ()).expect("it is there");
        }
        guests.make_room(&all, |id| busy.contains(&id), Instant::now()).map(|(_, gone)| gone)
    }

    #[test]
    fn who_works_stays_and_who_has_many_goes_first() {
        assert_eq!(in_the_way(&[], &[]), Ok(ids(&["b"])));
        assert_eq!(in_the_way(&[], &["b"]), Ok(ids(&["c"])));
        assert_eq!(in_the_way(&["b"], &["b", "c", "d"]), Ok(ids(&["c"])));
        assert_eq!(in_the_way(&["b", "c", "d"], &["b", "c", "d"]), Ok(ids(&["a"])));
        assert_eq!(in_the_way(&["a", "b", "c", "d"], &[]), Err(AllAtWork));
        let (guests, _) = full(4);
        let few = guests
            .make_room(&ids(&["a", "b", "c"]), |_| true, Instant::now())
            .map(|(_, gone)| gone);
        assert_eq!(few, Ok(ids(&[])));
    }

    /// Sessions that clients left without a word are many where each task opens one.
    #[test]
    fn who_has_just_begun_stays_for_those_that_are_idle() {
        let guests = Guests::new(4);
        let mut all = Vec::new();
        let mut begin = |id: &str, asks: bool, now: Instant| {
            let (room, gone) = guests.make_room(&all, |_| false, now).expect("room");
            room.begin(id, peer("10.0.0.1:1"));
            all.retain(|id| !gone.contains(id));
            all.push(id.into());
            if asks {
                guests.touch(id, true, || ()).expect("it is there");
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
        guests.touch("g", true, || ()).expect("it is there");
        // A while later one goes first that never asked.
        assert_eq!(begin("h", false, Instant::now() + BEGIN_TIME), ids(&["f"]));
    }

    #[test]
    fn a_request_comes_before_its_session_is_chosen_or_is_not_taken() {
        let (guests, all) = full(2);
        let busy = Mutex::new(Vec::new());
        let claim = |id: &str| guests.touch(id, true, || busy.lock().unwrap().push(id.to_owned()));
        let is_busy = |id: &str| busy.lock().unwrap().iter().any(|busy| busy == id);
        claim("a").expect("it is there");
        let (room, gone) = guests.make_room(&all, is_busy, Instant::now()).expect("room");
        assert_eq!(gone, ids(&["b"]));
        // It ends, and has not ended yet.
        assert_eq!(claim("b"), None);
        assert_eq!(guests.make_room(&all, is_busy, Instant::now()).map(drop), Err(AllAtWork));
        room.begin("e", peer("10.0.0.1:1"));
        claim("e").expect("it is there");
        assert_eq!(
            guests.make_room(&ids(&["a", "e"]), is_busy, Instant::now()).map(drop),
            Err(AllAtWork)
        );
    }

    #[test]
    fn sessions_whose_clients_broke_off_before_they_began_end() {
        let (guests, _) = full(2);
        let open = ids(&["a", "b", "e", "f"]);
        let (room, gone) = guests.make_room(&open, |_| false, Instant::now()).expect("room");
        assert_eq!(gone, ids(&["e", "f", "a"]));
        // This one may be about to begin.
        let open = ids(&["b", "g"]);
        assert_eq!(
            guests.make_room(&open, |_| false, Instant::now()).map(|(_, gone)| gone),
            Ok(ids(&["b"]))
        );
        drop(room);
        let one = guests.make_room(&ids(&["g"]), |_| false, Instant::now()).map(|(_, gone)| gone);
        assert_eq!(one, Ok(ids(&["g"])));
    }

    #[test]
    fn sessions_that_begin_at_once_are_no_more_than_there_may_be() {
        let (guests, all) = full(3);
        let rooms: Vec<_> = (0..3)
            .map(|_| guests.make_room(&all, |_| false, Instant::now()).expect("room"))
            .inspect(|(_, gone)| assert_eq!(gone.len(), 1))
            .collect();
        assert_eq!(guests.make_room(&all, |_| false, Instant::now()).map(drop), Err(AllAtWork));
        drop(rooms);
        assert!(guests.make_room(&all, |_| false, Instant::now()).is_ok());
    }
}
