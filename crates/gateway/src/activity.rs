//! What a connection is at: whether requests of known clients are under way on it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_listening::Occupant;

/// The requests of one connection that are under way. Those that are refused do not count.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionActivity(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    requests: usize,
    /// Of how many the body is to come.
    bodies_awaited: usize,
    /// Since when it is so.
    since: Instant,
}

/// A request that is under way until this is dropped.
#[derive(Debug)]
pub(crate) struct ActiveRequest {
    connection: ConnectionActivity,
    awaits_body: bool,
}

impl Default for ConnectionActivity {
    fn default() -> Self {
        let state = State { requests: 0, bodies_awaited: 0, since: Instant::now() };
        Self(Arc::new(Mutex::new(state)))
    }
}

impl ConnectionActivity {
    /// Counts a request of a client that may ask.
    pub(crate) fn begin_request(&self) -> ActiveRequest {
        self.change(|state| state.requests += 1);
        ActiveRequest { connection: self.clone(), awaits_body: false }
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        state.since = Instant::now();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveRequest {
    /// Notes whether the body is to come.
    pub(crate) fn set_awaits_body(&mut self, awaits_body: bool) {
        if std::mem::replace(&mut self.awaits_body, awaits_body) != awaits_body {
            self.connection.change(|state| match awaits_body {
                true => state.bodies_awaited += 1,
                false => state.bodies_awaited -= 1,
            });
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.set_awaits_body(false);
        self.connection.change(|state| state.requests -= 1);
    }
}

impl Occupant for ConnectionActivity {
    fn idle_rank(&self, body_patience: Duration) -> Option<u8> {
        let state = self.lock();
        let is_slow =
            state.requests == state.bodies_awaited && state.since.elapsed() >= body_patience;
        (state.requests == 0 || is_slow).then_some(0)
    }

    fn since(&self) -> Instant {
        self.lock().since
    }

    fn awaits_body(&self) -> bool {
        let state = self.lock();
        state.requests > 0 && state.requests == state.bodies_awaited
    }
}
