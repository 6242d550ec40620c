//! The files to read, which several threads take one by one, and these threads.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use crate::file_queue::FileQueue;
use crate::folder_walk::relative_path;
use crate::store::IndexedFile;

/// The number of results that may wait to be written.
const WAITING_RESULTS_MAX: usize = 32;

/// The interval of checks for a cancellation while nothing happens.
pub(crate) const CANCEL_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// The stack size of a thread that parses: syntax can be deeply nested.
const PARSER_STACK_BYTES: usize = 16 << 20;

/// A file to read.
pub(crate) struct FileJob {
    pub(crate) path: String,
    pub(crate) known_row: Option<IndexedFile>,
}

/// The files to read, shared by the worker threads.
pub(crate) struct FileJobs<'a> {
    root: &'a Path,
    queue: &'a FileQueue,
    remaining: Mutex<RemainingJobs>,
}

struct RemainingJobs {
    jobs: HashMap<String, FileJob>,
    order: VecDeque<String>,
    /// Queued files that are no jobs here.
    others: Vec<PathBuf>,
}

impl<'a> FileJobs<'a> {
    /// Creates the jobs. Queued files come first, then the others in `order`.
    pub(crate) fn new(
        root: &'a Path,
        queue: &'a FileQueue,
        jobs: HashMap<String, FileJob>,
        order: VecDeque<String>,
    ) -> Self {
        Self {
            root,
            queue,
            remaining: Mutex::new(RemainingJobs { jobs, order, others: Vec::new() }),
        }
    }

    /// Returns the next file: a queued one, or the next in order.
    pub(crate) fn take_next_job(&self) -> Option<FileJob> {
        let mut left = self.remaining.lock().unwrap_or_else(PoisonError::into_inner);
        let RemainingJobs { jobs, order, others } = &mut *left;
        while let Some(first) = self.queue.pop() {
            let path = relative_path(self.root, &first);
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

impl Drop for FileJobs<'_> {
    /// Puts the queued files that were no jobs here back for the next user of the queue.
    fn drop(&mut self) {
        let left = self.remaining.get_mut().unwrap_or_else(PoisonError::into_inner);
        for other in std::mem::take(&mut left.others) {
            self.queue.push(&other);
        }
    }
}

/// Runs `work` on `threads` threads and `write` on this one, which receives their results. The flag
/// asks the threads to end: it is set when `write` returns, or by `write` itself.
pub(crate) fn run_workers<T: Send, R>(
    threads: usize,
    work: impl Fn(&AtomicBool, &SyncSender<T>) + Sync,
    write: impl FnOnce(&Receiver<T>, &AtomicBool) -> R,
) -> R {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING_RESULTS_MAX);
        for _ in 0..threads {
            let (sender, stop, work) = (sender.clone(), &stop, &work);
            let builder = thread::Builder::new().stack_size(PARSER_STACK_BYTES);
            // Fewer threads only take longer. Without any thread the channel closes at once.
            drop(builder.spawn_scoped(scope, move || work(stop, &sender)));
        }
        drop(sender);
        let result = write(&receiver, &stop);
        stop.store(true, Ordering::Relaxed);
        result
    })
}
