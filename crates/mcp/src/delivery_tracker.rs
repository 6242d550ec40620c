//! Tracks a request between transport and tool call: when it arrived, and whether its answer was
//! delivered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_tools::session::{CallArrival, LogicalClock, PendingDelivery};
use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::request_ids::RequestIdClaim;

/// Tracks one request. It travels with the request, not under its id: clients choose ids, and two
/// may be equal.
#[derive(Debug, Clone)]
pub(crate) struct DeliveryTracker(Arc<Mutex<DeliveryTrackerState>>);

#[derive(Debug)]
struct DeliveryTrackerState {
    arrival: Option<CallArrival>,
    delivery: Option<PendingDelivery>,
    /// Held until the request can no longer be answered.
    claim: Option<RequestIdClaim>,
}

impl DeliveryTracker {
    /// Registers a request that arrives now.
    pub(crate) fn new(arrivals: &Arc<LogicalClock>) -> Self {
        let arrival = Some(arrivals.register_arrival());
        Self(Arc::new(Mutex::new(DeliveryTrackerState { arrival, delivery: None, claim: None })))
    }

    /// Reserves the request's id until it can no longer be answered.
    pub(crate) fn hold_request_id(&self, claim: RequestIdClaim) {
        self.lock().claim = Some(claim);
    }

    /// Returns the tracker of the request that a handler received.
    pub(crate) fn from_context(context: &RequestContext<RoleServer>) -> Option<Self> {
        let own = context.extensions.get::<Self>();
        let of_http = || context.extensions.get::<Parts>()?.extensions.get::<Self>();
        own.or_else(of_http).cloned()
    }

    /// Takes the request's arrival; `None` if it was taken before.
    pub(crate) fn take_call_arrival(&self) -> Option<CallArrival> {
        self.lock().arrival.take()
    }

    /// Stores the delivery of the answer that is about to be sent.
    pub(crate) fn set_delivery(&self, delivery: PendingDelivery) {
        self.lock().delivery = Some(delivery);
    }

    /// Takes the delivery of the answer, if there is one.
    pub(crate) fn take_delivery(&self) -> Option<PendingDelivery> {
        self.lock().delivery.take()
    }

    fn lock(&self) -> MutexGuard<'_, DeliveryTrackerState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
