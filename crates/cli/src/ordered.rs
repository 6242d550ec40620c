//! Output of parallel work, written in the order of the work's numbers.
//!
//! The work at the front writes straight through; others are held back up to a bound and
//! then wait. Work has to be started in the order of its numbers, so that the front always
//! moves.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Most bytes held back for one piece of work.
const HELD_BYTES_MAX: usize = 8 << 20;

/// A writer shared by parallel work.
pub(crate) struct Ordered<'w> {
    state: Mutex<State<'w>>,
    moved: Condvar,
}

struct State<'w> {
    out: Box<dyn Write + Send + 'w>,
    front: usize,
    held: BTreeMap<usize, Held>,
}

#[derive(Default)]
struct Held {
    bytes: Vec<u8>,
    finished: bool,
}

impl<'w> Ordered<'w> {
    /// Work 0 is at the front.
    pub(crate) fn new(out: Box<dyn Write + Send + 'w>) -> Self {
        let state = State { out, front: 0, held: BTreeMap::new() };
        Self { state: Mutex::new(state), moved: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State<'w>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes for piece `number`; may wait until it is at the front.
    pub(crate) fn write(&self, number: usize, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            if state.front == number {
                return state.out.write_all(bytes);
            }
            let held = state.held.entry(number).or_default();
            if held.bytes.len() < HELD_BYTES_MAX {
                held.bytes.extend_from_slice(bytes);
                return Ok(());
            }
            state = self.moved.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Says that piece `number` writes nothing more. Has to be called for each.
    pub(crate) fn finish(&self, number: usize) -> io::Result<()> {
        let mut state = self.lock();
        state.held.entry(number).or_default().finished = true;
        let mut result = Ok(());
        loop {
            let front = state.front;
            let Some(held) = state.held.get_mut(&front) else { break };
            let finished = held.finished;
            let bytes = std::mem::take(&mut held.bytes);
            result = result.and(state.out.write_all(&bytes));
            if !finished {
                break;
            }
            state.held.remove(&front);
            state.front += 1;
        }
        self.moved.notify_all();
        result.and_then(|()| state.out.flush())
    }
}

#[cfg(test)]
mod tests;
