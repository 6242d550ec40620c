//! The order of call arrivals and answer deliveries: an answer may refer only to answers that were
//! delivered before its call arrived.
//!
//! Calls run concurrently. The model had not read the answer to one call when it made another
//! meanwhile, and it may never read it: the client may disconnect, or cancel the call. So each call
//! has an arrival tick and each answer a delivery tick of one logical clock.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A tick of the logical clock.
type ClockTick = u64;

/// The logical clock that all sessions of a server share.
#[derive(Debug, Default)]
pub struct LogicalClock(Mutex<LogicalClockState>);

#[derive(Debug, Default)]
struct LogicalClockState {
    now: ClockTick,
    /// Arrivals of calls that their sessions have not started yet.
    waiting_arrivals: BTreeSet<ClockTick>,
}

impl LogicalClock {
    /// Registers the arrival of a call.
    pub fn register_arrival(self: &Arc<Self>) -> CallArrival {
        let mut counted = self.lock();
        counted.now += 1;
        let moment = counted.now;
        counted.waiting_arrivals.insert(moment);
        CallArrival { moment, arrivals: Arc::clone(self) }
    }

    fn tick(&self) -> ClockTick {
        let mut counted = self.lock();
        counted.now += 1;
        counted.now
    }

    fn oldest_waiting_arrival(&self) -> Option<ClockTick> {
        self.lock().waiting_arrivals.first().copied()
    }

    fn lock(&self) -> MutexGuard<'_, LogicalClockState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A call that arrived and that its session has not started yet.
#[derive(Debug)]
pub struct CallArrival {
    moment: ClockTick,
    arrivals: Arc<LogicalClock>,
}

impl Drop for CallArrival {
    fn drop(&mut self) {
        self.arrivals.lock().waiting_arrivals.remove(&self.moment);
    }
}

/// The id of a call of a session: the tick of its arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SessionCallId(ClockTick);

/// The earlier answers that are visible to a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallVisibility {
    call: SessionCallId,
    /// Calls whose answers were delivered before this one arrived, except settled ones.
    delivered_before: Vec<SessionCallId>,
    /// Whether the call's own answer becomes visible only with a confirmed delivery.
    awaits_delivery: bool,
}

impl CallVisibility {
    /// The view of a caller that is shown nothing.
    pub(crate) const EMPTY: &'static Self =
        &Self { call: SessionCallId(0), delivered_before: Vec::new(), awaits_delivery: false };

    /// Returns the id of the call itself.
    pub fn call_id(&self) -> SessionCallId {
        self.call
    }

    /// Returns whether the answer to an unsettled call is visible to this one. The parts of the
    /// call's own answer are visible to each other.
    pub fn is_answer_visible(&self, other: SessionCallId) -> bool {
        other == self.call || self.delivered_before.contains(&other)
    }

    /// Returns whether the call's own answer becomes visible only with a confirmed delivery.
    pub(crate) fn awaits_delivery(&self) -> bool {
        self.awaits_delivery
    }
}

/// The unsettled calls of one session.
#[derive(Debug)]
pub(crate) struct Deliveries {
    arrivals: Arc<LogicalClock>,
    calls: Mutex<BTreeMap<SessionCallId, DeliveryState>>,
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeliveryState {
    Running,
    /// The answer is complete and reads no earlier answers any more.
    Answered,
    Delivered(ClockTick),
    Lost,
}

/// Calls whose visibility is the same for all later calls.
#[derive(Debug, Default)]
pub struct SettledCallIds {
    /// Calls whose answers are visible to every call from now on.
    pub delivered: Vec<SessionCallId>,
    /// Calls whose answers are visible to none.
    pub lost: Vec<SessionCallId>,
}

impl SettledCallIds {
    pub(crate) fn is_empty(&self) -> bool {
        self.delivered.is_empty() && self.lost.is_empty()
    }
}

impl Deliveries {
    pub(crate) fn new(arrivals: Arc<LogicalClock>) -> Arc<Self> {
        Arc::new(Self { arrivals, calls: Mutex::default() })
    }

    /// Registers the arrival of a call.
    pub(crate) fn register_arrival(&self) -> CallArrival {
        self.arrivals.register_arrival()
    }

    /// Starts a call; returns its delivery and the answers that are visible to it. An arrival of
    /// another clock is registered anew.
    pub(crate) fn begin_call(
        self: &Arc<Self>,
        arrival: CallArrival,
        awaits_delivery: bool,
    ) -> (PendingDelivery, CallVisibility) {
        let arrival = match Arc::ptr_eq(&arrival.arrivals, &self.arrivals) {
            true => arrival,
            false => self.register_arrival(),
        };
        let call = SessionCallId(arrival.moment);
        let mut calls = self.lock();
        let is_before =
            |state: &DeliveryState| matches!(state, DeliveryState::Delivered(at) if *at < call.0);
        let before = calls.iter().filter(|(_, state)| is_before(state)).map(|(call, _)| *call);
        let before = before.collect();
        calls.insert(call, DeliveryState::Running);
        // The session knows the call now.
        drop(arrival);
        let delivery = PendingDelivery { call, deliveries: Arc::clone(self), is_delivered: false };
        (delivery, CallVisibility { call, delivered_before: before, awaits_delivery })
    }

    /// Removes and returns the calls whose answers are visible to all running calls or to none.
    pub(crate) fn take_settled_ids(&self) -> SettledCallIds {
        let mut calls = self.lock();
        let running = calls.iter().find(|(_, state)| **state == DeliveryState::Running);
        let running = running.map(|(call, _)| call.0);
        let oldest = running.into_iter().chain(self.arrivals.oldest_waiting_arrival()).min();
        let is_settled = |at: ClockTick| oldest.is_none_or(|oldest| at < oldest);
        let mut settled = SettledCallIds::default();
        calls.retain(|call, state| match state {
            DeliveryState::Delivered(at) if is_settled(*at) => {
                settled.delivered.push(*call);
                false
            }
            DeliveryState::Lost => {
                settled.lost.push(*call);
                false
            }
            DeliveryState::Delivered(_) | DeliveryState::Running | DeliveryState::Answered => true,
        });
        settled
    }

    fn set_state(&self, call: SessionCallId, state: DeliveryState) {
        if let Some(known) = self.lock().get_mut(&call) {
            *known = state;
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<SessionCallId, DeliveryState>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The delivery of an answer. Dropped without [`confirm`](Self::confirm), the answer counts as
/// lost, and no later answer points at it.
#[must_use = "an answer that nobody says was delivered does not count as shown"]
pub struct PendingDelivery {
    call: SessionCallId,
    deliveries: Arc<Deliveries>,
    is_delivered: bool,
}

impl PendingDelivery {
    /// Records that the client has the answer. Does not block.
    pub fn confirm(mut self) {
        self.is_delivered = true;
        let now = self.deliveries.arrivals.tick();
        self.deliveries.set_state(self.call, DeliveryState::Delivered(now));
    }

    /// Records that the answer is complete.
    pub(crate) fn mark_answered(&self) {
        self.deliveries.set_state(self.call, DeliveryState::Answered);
    }
}

impl Drop for PendingDelivery {
    fn drop(&mut self) {
        if !self.is_delivered {
            self.deliveries.set_state(self.call, DeliveryState::Lost);
        }
    }
}

impl fmt::Debug for PendingDelivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingDelivery").field("call", &self.call).finish_non_exhaustive()
    }
}
