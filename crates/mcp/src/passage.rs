//! What the transport of a request and the call that it makes tell each other: when it arrived,
//! and that its answer was delivered.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foveal_tools::session::{Arrival, Arrivals, Delivery};
use hyper::http::request::Parts;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::claims::Claim;

/// One request on its way through the server. It goes along with the request, not with its id:
/// ids are chosen by clients, and may be equal.
#[derive(Debug, Clone)]
pub(crate) struct Passage(Arc<Mutex<Passing>>);

#[derive(Debug)]
struct Passing {
    arrival: Option<Arrival>,
    delivery: Option<Delivery>,
    /// Held as long as anybody may still answer.
    claim: Option<Claim>,
}

impl Passage {
    /// A request arrives now.
    pub(crate) fn arriving(arrivals: &Arc<Arrivals>) -> Self {
        let arrival = Some(arrivals.arrive());
        Self(Arc::new(Mutex::new(Passing { arrival, delivery: None, claim: None })))
    }

    /// Has the request hold its id, so that no other gets it.
    pub(crate) fn hold(&self, claim: Claim) {
        self.lock().claim = Some(claim);
    }

    /// That of a request which a handler is given.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        let own = context.extensions.get::<Self>();
        let of_http = || context.extensions.get::<Parts>()?.extensions.get::<Self>();
        own.or_else(of_http).cloned()
    }

    /// When it arrived; told once.
    pub(crate) fn take_arrival(&self) -> Option<Arrival> {
        self.lock().arrival.take()
    }

    /// Its answer is made, and on its way.
    pub(crate) fn send(&self, delivery: Delivery) {
        self.lock().delivery = Some(delivery);
    }

    /// The answer, if it is on its way and nobody took it before.
    pub(crate) fn take_delivery(&self) -> Option<Delivery> {
        self.lock().delivery.take()
    }

    fn lock(&self) -> MutexGuard<'_, Passing> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
