//! Output of parallel jobs, written in the order of their numbers.
//!
//! The job at the front writes straight through; the others are buffered up to a limit and then
//! wait. Jobs must be started in the order of their numbers, so that the front always advances.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Limit of buffered bytes of one job.
const BUFFERED_BYTES_MAX: usize = 8 << 20;

/// A writer that parallel jobs share.
pub(crate) struct OrderedWriter<'w> {
    state: Mutex<OrderedWriterState<'w>>,
    front_changed: Condvar,
}

struct OrderedWriterState<'w> {
    out: Box<dyn Write + Send + 'w>,
    front: usize,
    buffers: BTreeMap<usize, JobBuffer>,
}

#[derive(Default)]
struct JobBuffer {
    bytes: Vec<u8>,
    finished: bool,
}

impl<'w> OrderedWriter<'w> {
    /// Creates a writer with job 0 at the front.
    pub(crate) fn new(out: Box<dyn Write + Send + 'w>) -> Self {
        let state = OrderedWriterState { out, front: 0, buffers: BTreeMap::new() };
        Self { state: Mutex::new(state), front_changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, OrderedWriterState<'w>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes output of job `number`; may block until the job is at the front.
    pub(crate) fn write(&self, number: usize, bytes: &[u8]) -> io::Result<()> {
        let mut state = self.lock();
        loop {
            if state.front == number {
                return state.out.write_all(bytes);
            }
            let held = state.buffers.entry(number).or_default();
            if held.bytes.len() < BUFFERED_BYTES_MAX {
                held.bytes.extend_from_slice(bytes);
                return Ok(());
            }
            state = self.front_changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Marks job `number` as finished. Must be called for each job.
    pub(crate) fn finish(&self, number: usize) -> io::Result<()> {
        let mut state = self.lock();
        state.buffers.entry(number).or_default().finished = true;
        let mut result = Ok(());
        loop {
            let front = state.front;
            let Some(held) = state.buffers.get_mut(&front) else { break };
            let finished = held.finished;
            let bytes = std::mem::take(&mut held.bytes);
            result = result.and(state.out.write_all(&bytes));
            if !finished {
                break;
            }
            state.buffers.remove(&front);
            state.front += 1;
        }
        self.front_changed.notify_all();
        result.and_then(|()| state.out.flush())
    }
}

#[cfg(test)]
mod tests;
