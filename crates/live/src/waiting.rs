//! Whether somebody waits for a request to be given the tool, and what goes if they do not.

use std::sync::{Arc, Mutex, PoisonError};

use crate::offered::Offered;

/// Whether somebody waits for what a request is offered. One of the two says so first, and that
/// holds: who decides that it is decided, or who waits that they wait no longer.
#[derive(Debug, Clone, Default)]
pub struct Waiting(Arc<Mutex<State>>);

#[derive(Debug)]
enum State {
    Open(Option<Earlier>),
    Decided,
    GivenUp,
}

/// What is known at once, of what is held in memory: the request with the tool, or that it goes
/// without.
pub type Earlier = Option<Box<Offered>>;

impl Default for State {
    fn default() -> Self {
        Self::Open(None)
    }
}

impl Waiting {
    /// Tells what goes if nobody waits any longer.
    pub(crate) fn know(&self, earlier: Option<Earlier>) {
        let mut state = self.lock();
        if let State::Open(known) = &mut *state {
            *known = earlier;
        }
    }

    /// Whether it is known what goes if nobody waits any longer.
    pub fn is_known(&self) -> bool {
        matches!(&*self.lock(), State::Open(Some(_)))
    }

    /// It is decided; false if nobody waits any longer.
    pub(crate) fn decide(&self) -> bool {
        let mut state = self.lock();
        if matches!(*state, State::Open(_)) {
            *state = State::Decided;
        }
        matches!(*state, State::Decided)
    }

    /// What was known at once is what is decided; `None` where nothing was, or nobody waits.
    pub(crate) fn decide_as_known(&self) -> Option<Earlier> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::Decided) {
            State::Open(known) => known,
            other => {
                *state = other;
                None
            }
        }
    }

    /// Waits no longer; `None` if it is decided, and there in a moment. Inside: what goes, where
    /// that is known.
    pub fn give_up(&self) -> Option<Option<Earlier>> {
        let mut state = self.lock();
        match std::mem::replace(&mut *state, State::GivenUp) {
            State::Open(known) => Some(known),
            State::GivenUp => Some(None),
            State::Decided => {
                *state = State::Decided;
                None
            }
        }
    }

    /// Whether nobody waits any longer.
    pub(crate) fn is_given_up(&self) -> bool {
        matches!(*self.lock(), State::GivenUp)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
