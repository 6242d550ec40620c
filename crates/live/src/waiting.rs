//! Whether somebody waits for what is decided about a request's tools, and what goes if they do not.

use std::sync::{Arc, Mutex, PoisonError};

/// Whether somebody waits for what becomes of a request: that it is offered a tool, or that its
/// tools are shortened. One of the two says so first, and that holds: who decides that it is
/// decided, or who waits that they wait no longer.
#[derive(Debug)]
pub struct Waiting<T>(Arc<Mutex<State<T>>>);

#[derive(Debug)]
enum State<T> {
    Open(Option<Earlier<T>>),
    Decided,
    GivenUp,
}

/// What is known at once, of what is held in memory: what becomes of the request, or that it goes
/// as it is.
pub type Earlier<T> = Option<Box<T>>;

impl<T> Default for Waiting<T> {
    fn default() -> Self {
        Self(Arc::new(Mutex::new(State::Open(None))))
    }
}

impl<T> Clone for Waiting<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Waiting<T> {
    /// Tells what goes if nobody waits any longer.
    pub(crate) fn know(&self, earlier: Option<Earlier<T>>) {
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
    pub(crate) fn decide_as_known(&self) -> Option<Earlier<T>> {
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
    pub fn give_up(&self) -> Option<Option<Earlier<T>>> {
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

    fn lock(&self) -> std::sync::MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
