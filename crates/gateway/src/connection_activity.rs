//! The activity of a connection: its admitted requests that are under way.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use foveal_http_guard::PooledConnection;

/// The admitted requests of one connection that are under way. Refused ones do not count.
#[derive(Debug, Clone)]
pub(crate) struct ConnectionActivity(Arc<Mutex<ActivityState>>);

#[derive(Debug)]
struct ActivityState {
    requests: usize,
    /// The number of requests whose body has not arrived yet.
    bodies_awaited: usize,
    /// The time of the last change.
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
        let state = ActivityState { requests: 0, bodies_awaited: 0, since: Instant::now() };
        Self(Arc::new(Mutex::new(state)))
    }
}

impl ConnectionActivity {
    /// Counts an admitted request.
    pub(crate) fn begin_request(&self) -> ActiveRequest {
        self.update(|state| state.requests += 1);
        ActiveRequest { connection: self.clone(), awaits_body: false }
    }

    fn update(&self, change: impl FnOnce(&mut ActivityState)) {
        let mut state = self.lock();
        change(&mut state);
        state.since = Instant::now();
    }

    fn lock(&self) -> MutexGuard<'_, ActivityState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ActiveRequest {
    /// Sets whether the body has yet to arrive.
    pub(crate) fn set_awaits_body(&mut self, awaits_body: bool) {
        if std::mem::replace(&mut self.awaits_body, awaits_body) != awaits_body {
            self.connection.update(|state| match awaits_body {
                true => state.bodies_awaited += 1,
                false => state.bodies_awaited -= 1,
            });
        }
    }
}

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        self.set_awaits_body(false);
        self.connection.update(|state| state.requests -= 1);
    }
}

impl PooledConnection for ConnectionActivity {
    fn idle_rank(&self, body_patience: Duration) -> Option<u8> {
        let state = self.lock();
        let is_slow =
            state.requests == state.bodies_awaited && state.since.elapsed() >= body_patience;
        (state.requests == 0 || is_slow).then_some(0)
    }

    fn state_since(&self) -> Instant {
        self.lock().since
    }

    fn awaits_body(&self) -> bool {
        let state = self.lock();
        state.requests > 0 && state.requests == state.bodies_awaited
    }
}
