//! The files to be read, taken by many threads.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::queue::Queue;
use crate::store::Known;
use crate::walk::relative;

/// Files whose results wait to be written, at most.
pub(crate) const WAITING_MAX: usize = 32;

/// How often an interruption is looked for while nothing happens.
pub(crate) const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Of a thread that reads: syntax can be nested deep.
pub(crate) const STACK_BYTES: usize = 16 << 20;

/// A file that has to be read.
pub(crate) struct Job {
    pub(crate) path: String,
    pub(crate) known_row: Option<Known>,
}

/// The files to be read, by whoever takes the next.
pub(crate) struct Jobs<'a> {
    root: &'a Path,
    queue: &'a Queue,
    left: Mutex<Left>,
}

struct Left {
    jobs: HashMap<String, Job>,
    order: VecDeque<String>,
    /// From the queue, but nothing that is to be done here.
    others: Vec<PathBuf>,
}

impl<'a> Jobs<'a> {
    /// `jobs` by path, in this order but for those in the queue.
    pub(crate) fn new(
        root: &'a Path,
        queue: &'a Queue,
        jobs: HashMap<String, Job>,
        order: VecDeque<String>,
    ) -> Self {
        Self { root, queue, left: Mutex::new(Left { jobs, order, others: Vec::new() }) }
    }

    /// The next file: one that somebody has just read, or the next in order.
    pub(crate) fn take(&self) -> Option<Job> {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        let Left { jobs, order, others } = &mut *left;
        while let Some(first) = self.queue.pop() {
            let path = relative(self.root, &first);
            if let Some(job) = path.and_then(|path| jobs.remove(&path)) {
                return Some(job);
            }
            others.push(first);
        }
        while let Some(path) = order.pop_front() {
            if let Some(job) = jobs.remove(&path) {
                return Some(job);
            }
        }
        None
    }
}

impl Drop for Jobs<'_> {
    /// What was no job here may be one for what comes next.
    fn drop(&mut self) {
        let left = self.left.get_mut().unwrap_or_else(PoisonError::into_inner);
        for other in std::mem::take(&mut left.others) {
            self.queue.push(&other);
        }
    }
}
