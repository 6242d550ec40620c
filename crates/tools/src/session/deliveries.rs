//! When calls arrived and when their answers were delivered: an answer may rest only on answers
//! that were delivered before its call arrived.
//!
//! Calls run beside each other. What is given to one of them has not been read by whoever made
//! another meanwhile, and may never be: its client breaks off, or cancels it. So every call has
//! the moment of its arrival, every answer that of its delivery, and both are compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A moment, told by the count of what happened until then.
type Moment = u64;

/// The one count of moments for all sessions of a server.
#[derive(Debug, Default)]
pub struct Arrivals(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    now: Moment,
    /// Calls that arrived and are not yet known to their sessions.
    waiting: BTreeSet<Moment>,
}

impl Arrivals {
    /// A call arrives now.
    pub fn arrive(self: &Arc<Self>) -> Arrival {
        let mut counted = self.lock();
        counted.now += 1;
        let moment = counted.now;
        counted.waiting.insert(moment);
        Arrival { moment, arrivals: Arc::clone(self) }
    }

    fn next(&self) -> Moment {
        let mut counted = self.lock();
        counted.now += 1;
        counted.now
    }

    fn oldest_waiting(&self) -> Option<Moment> {
        self.lock().waiting.first().copied()
    }

    fn lock(&self) -> MutexGuard<'_, Counted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// That a call arrived, until its session begins to answer it.
#[derive(Debug)]
pub struct Arrival {
    moment: Moment,
    arrivals: Arc<Arrivals>,
}

impl Drop for Arrival {
    fn drop(&mut self) {
        self.arrivals.lock().waiting.remove(&self.moment);
    }
}

/// A call of a session, called by the moment of its arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CallNumber(Moment);

/// Whose answers a call may rest on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallView {
    call: CallNumber,
    /// Calls whose answers were delivered before it arrived, as far as that is still asked.
    before: Vec<CallNumber>,
    /// Whether its own answer counts only once its delivery is told.
    awaits_delivery: bool,
}

impl CallView {
    /// Of somebody who only asks, and is shown nothing.
    pub(crate) const NOBODY: &'static Self =
        &Self { call: CallNumber(0), before: Vec::new(), awaits_delivery: false };

    /// The call.
    pub fn call(&self) -> CallNumber {
        self.call
    }

    /// Whether what was answered to another call, not long ago, counts for this one. The parts
    /// of one call's own answer stand above each other.
    pub fn counts(&self, other: CallNumber) -> bool {
        other == self.call || self.before.contains(&other)
    }

    /// Whether the call's own answer counts only once its delivery is told.
    pub(crate) fn awaits_delivery(&self) -> bool {
        self.awaits_delivery
    }
}

/// The calls of one session of which it matters when they came and went.
#[derive(Debug)]
pub(crate) struct Deliveries {
    arrivals: Arc<Arrivals>,
    calls: Mutex<BTreeMap<CallNumber, State>>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Running,
    /// It has an answer, which looks at nothing any more.
    Answered,
    Delivered(Moment),
    Lost,
}

/// Calls of which nobody has to ask any more whether their answers count.
#[derive(Debug, Default)]
pub struct Settled {
    /// Their answers count for every call from now on.
    pub delivered: Vec<CallNumber>,
    /// They count for none.
    pub lost: Vec<CallNumber>,
}

impl Settled {
    pub(crate) fn is_empty(&self) -> bool {
        self.delivered.is_empty() && self.lost.is_empty()
    }
}

impl Deliveries {
    pub(crate) fn new(arrivals: Arc<Arrivals>) -> Arc<Self> {
        Arc::new(Self { arrivals, calls: Mutex::default() })
    }

    /// A call arrives now.
    pub(crate) fn arrive(&self) -> Arrival {
        self.arrivals.arrive()
    }

    /// Takes a call up, with what it may rest on. Of another count of moments, it arrives now.
    pub(crate) fn begin(
        self: &Arc<Self>,
        arrival: Arrival,
        awaits_delivery: bool,
    ) -> (Delivery, CallView) {
        let arrival = match Arc::ptr_eq(&arrival.arrivals, &self.arrivals) {
            true => arrival,
            false => self.arrive(),
        };
        let call = CallNumber(arrival.moment);
        let mut calls = self.lock();
        let is_before = |state: &State| matches!(state, State::Delivered(at) if *at < call.0);
        let before = calls.iter().filter(|(_, state)| is_before(state)).map(|(call, _)| *call);
        let before = before.collect();
        calls.insert(call, State::Running);
        // Now the session knows it.
        drop(arrival);
        let delivery = Delivery { call, deliveries: Arc::clone(self), is_delivered: false };
        (delivery, CallView { call, before, awaits_delivery })
    }

    /// Takes out the calls whose answers count for all that run or for none.
    pub(crate) fn settle(&self) -> Settled {
        let mut calls = self.lock();
        let running = calls.iter().find(|(_, state)| **state == State::Running);
        let running = running.map(|(call, _)| call.0);
        let oldest = running.into_iter().chain(self.arrivals.oldest_waiting()).min();
        let is_settled = |at: Moment| oldest.is_none_or(|oldest| at < oldest);
        let mut settled = Settled::default();
        calls.retain(|call, state| match state {
            State::Delivered(at) if is_settled(*at) => {
                settled.delivered.push(*call);
                false
            }
            State::Lost => {
                settled.lost.push(*call);
                false
            }
            State::Delivered(_) | State::Running | State::Answered => true,
        });
        settled
    }

    fn set(&self, call: CallNumber, state: State) {
        if let Some(known) = self.lock().get_mut(&call) {
            *known = state;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<CallNumber, State>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An answer on its way. Dropped before it is delivered, it was never given: nothing is pointed
/// at that stood in it.
#[must_use = "an answer that nobody says was delivered does not count as shown"]
pub struct Delivery {
    call: CallNumber,
    deliveries: Arc<Deliveries>,
    is_delivered: bool,
}

impl Delivery {
    /// The client has the answer. Does not block.
    pub fn delivered(mut self) {
        self.is_delivered = true;
        let now = self.deliveries.arrivals.next();
        self.deliveries.set(self.call, State::Delivered(now));
    }

    /// The answer is made.
    pub(crate) fn answered(&self) {
        self.deliveries.set(self.call, State::Answered);
    }
}

impl Drop for Delivery {
    fn drop(&mut self) {
        if !self.is_delivered {
            self.deliveries.set(self.call, State::Lost);
        }
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Delivery").field("call", &self.call).finish_non_exhaustive()
    }
}
