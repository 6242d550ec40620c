//! Calls that wait for their results.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use super::call::CallFacts;

/// A result that comes after so many later calls is one of an unknown call.
pub const OPEN_CALLS_MAX: usize = 1024;

/// A call that waits for its result.
#[derive(Debug, Clone)]
pub(super) struct OpenCall {
    /// Its number among all calls.
    number: u64,
    pub(super) facts: Arc<CallFacts>,
    /// The response that made it and its place there; `None` where another call has its id.
    pub(super) place: Option<(usize, u16)>,
}

/// The calls without a result, by id; the oldest are forgotten.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    open: HashMap<String, OpenCall>,
    /// Ids of the last calls, answered or not.
    last: VecDeque<String>,
    calls: u64,
}

impl OpenCalls {
    /// Takes out the call that a result answers.
    pub(super) fn remove(&mut self, id: &str) -> Option<OpenCall> {
        self.open.remove(id)
    }

    /// Remembers a call until its result comes, and forgets the oldest.
    pub(super) fn insert(&mut self, id: &str, facts: Arc<CallFacts>, place: Option<(usize, u16)>) {
        let place = place.filter(|_| !self.open.contains_key(id));
        self.open.insert(id.to_owned(), OpenCall { number: self.calls, facts, place });
        self.last.push_back(id.to_owned());
        self.calls += 1;
        if self.last.len() > OPEN_CALLS_MAX
            && let Some(oldest) = self.last.pop_front()
        {
            let number = self.calls - 1 - OPEN_CALLS_MAX as u64;
            // A later call may have the same id.
            if self.open.get(&oldest).is_some_and(|open| open.number == number) {
                self.open.remove(&oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests;
