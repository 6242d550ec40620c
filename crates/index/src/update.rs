//! Bringing the store up to date: many threads read, one writes.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;

use crate::analysis::{Outcome, analyse};
use crate::error::IndexerError;
use crate::model::Asked;
use crate::queue::Queue;
use crate::store::{Change, Known, Store};
use crate::walk::{Found, Stamp, relative};

/// Files whose results wait to be written, at most.
pub(crate) const WAITING_MAX: usize = 32;

/// Changes that are written together, at most.
const BATCH_CHANGES_MAX: usize = 64;

/// How long a change waits for others to be written together.
const BATCH_TIME_MAX: Duration = Duration::from_millis(250);

/// How often an interruption is looked for while nothing happens.
pub(crate) const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Of a thread that reads: syntax can be nested deep.
pub(crate) const STACK_BYTES: usize = 16 << 20;

/// What an update is about to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Files that have changed are read; what they consist of can be found by its words.
    Files,
    /// Files get vectors that had none.
    Vectors,
}

/// How far an update is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Of what.
    pub stage: Stage,
    /// Files done so far.
    pub done: u64,
    /// Files to be done in this stage.
    pub total: u64,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Summary {
    /// Files that were read and are kept as they are now.
    pub indexed: u64,
    /// Files that are as they were.
    pub unchanged: u64,
    /// Files that are in the index no more.
    pub removed: u64,
    /// Files that could not be read.
    pub unreadable: u64,
    /// Files that are passed by: too large or secret.
    pub passed_by: u64,
    /// Files that were as they were and got vectors.
    pub embedded: u64,
    /// Files that still have no vectors of the index's model; they are found by their words.
    pub waiting: u64,
    /// The update was stopped before it was done; what it did is kept.
    pub stopped: bool,
    /// The store was damaged or of another version, and was built anew.
    pub rebuilt: bool,
}

/// What an update works with.
pub(crate) struct Work<'a> {
    pub(crate) root: &'a Path,
    pub(crate) queue: &'a Queue,
    /// A model that is asked while files are read.
    pub(crate) model: Option<Asked<'a>>,
    pub(crate) cancel: &'a Cancel<'a>,
}

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

type Message = (Job, Outcome);

/// Makes the store hold what `found` says: all files of the root, or of those in `only`.
pub(crate) fn update(
    store: &mut Store,
    work: &Work<'_>,
    found: &Found,
    only: Option<&[PathBuf]>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, IndexerError> {
    let known = match only {
        None => store.known()?,
        Some(files) => {
            let mut known = HashMap::new();
            for path in files.iter().filter_map(|file| relative(work.root, file)) {
                if let Some(file) = store.known_file(&path)? {
                    known.insert(path, file);
                }
            }
            known
        }
    };
    let mut summary = Summary { passed_by: found.passed_by, ..Summary::default() };
    let mut changes = Vec::new();
    if !found.stopped {
        let gone = known.keys().filter(|path| !found.files.contains_key(*path));
        changes.extend(gone.map(|path| Change::Remove { path: path.clone() }));
        changes.sort_by(|a, b| a.path().cmp(&b.path()));
        summary.removed = changes.len() as u64;
    }
    let jobs = jobs(found, &known);
    summary.unchanged = (found.files.len() - jobs.len()) as u64;
    let mut order: VecDeque<String> = jobs.keys().cloned().collect();
    order.make_contiguous().sort_unstable();
    let total = jobs.len();
    let jobs = Jobs::new(work.root, work.queue, jobs, order);
    let mut writer = Writer { store, pending: Pending { changes, since: Instant::now() }, summary };
    run(&jobs, total, work, &mut writer, progress)?;
    writer.pending.flush(writer.store)?;
    writer.summary.stopped |= found.stopped;
    Ok(writer.summary)
}

/// The files that have to be read.
fn jobs(found: &Found, known: &HashMap<String, Known>) -> HashMap<String, Job> {
    let mut jobs = HashMap::new();
    for (path, stamp) in &found.files {
        let before = known.get(path);
        if before.is_some_and(|before| !stamp.is_new_to(before.stamp)) {
            continue;
        }
        let job = Job { path: path.clone(), known_row: before.copied() };
        jobs.insert(path.clone(), job);
    }
    jobs
}

/// Has all files read, and writes what comes of them.
fn run(
    jobs: &Jobs<'_>,
    total: usize,
    work: &Work<'_>,
    writer: &mut Writer<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), IndexerError> {
    let stop = AtomicBool::new(false);
    let threads = thread::available_parallelism().map_or(1, usize::from).min(total.max(1));
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING_MAX);
        for _ in 0..threads {
            let (sender, stop) = (sender.clone(), &stop);
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            let spawned = builder.spawn_scoped(scope, move || read_all(jobs, work, stop, &sender));
            // With fewer threads it takes longer; with none the channel closes at once.
            drop(spawned);
        }
        drop(sender);
        let result = receive(&receiver, total, work, writer, progress);
        stop.store(true, Ordering::Relaxed);
        result
    })
}

fn read_all(jobs: &Jobs<'_>, work: &Work<'_>, stop: &AtomicBool, sender: &SyncSender<Message>) {
    let stopped = || stop.load(Ordering::Relaxed) || work.cancel.is_cancelled();
    let cancel = Cancel::when(&stopped);
    while !cancel.is_cancelled() {
        let Some(job) = jobs.take() else { return };
        let place = work.root.join(&job.path);
        let known = job.known_row.map(|known| known.hash);
        let outcome = analyse(&place, &job.path, known, work.model, &cancel);
        // Whoever receives has gone if this fails.
        if sender.send((job, outcome)).is_err() {
            return;
        }
    }
}

fn receive(
    receiver: &Receiver<Message>,
    total: usize,
    work: &Work<'_>,
    writer: &mut Writer<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<(), IndexerError> {
    let mut done = 0;
    let (stage, total) = (Stage::Files, total as u64);
    progress(Progress { stage, done, total });
    loop {
        match receiver.recv_timeout(LOOK_UP_TIME) {
            Ok((job, outcome)) => {
                writer.take(job, outcome);
                done += 1;
                progress(Progress { stage, done, total });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        writer.pending.flush_if_due(writer.store)?;
        if work.cancel.is_cancelled() {
            break;
        }
    }
    writer.summary.stopped |= done < total;
    Ok(())
}

/// Writes what comes of files that were read.
struct Writer<'a> {
    store: &'a mut Store,
    pending: Pending,
    summary: Summary,
}

impl Writer<'_> {
    fn take(&mut self, job: Job, outcome: Outcome) {
        let restamp = |known: Known, stamp: Stamp| Change::Stamp { row: known.row, stamp };
        match outcome {
            Outcome::Analysed(analysed) => {
                self.summary.indexed += 1;
                self.pending.push(Change::Put { path: job.path, analysed });
            }
            Outcome::Same(stamp) => {
                self.summary.unchanged += 1;
                let known = job.known_row.filter(|known| known.stamp != stamp);
                if let Some(known) = known {
                    self.pending.push(restamp(known, stamp));
                }
            }
            Outcome::Unreadable => {
                self.summary.unreadable += 1;
                self.pending.push(Change::Remove { path: job.path });
            }
            Outcome::Cancelled => self.summary.stopped = true,
        }
    }
}

/// Changes that are to be written together.
pub(crate) struct Pending {
    changes: Vec<Change>,
    /// When the first of the changes came, or earlier.
    since: Instant,
}

impl Default for Pending {
    fn default() -> Self {
        Self { changes: Vec::new(), since: Instant::now() }
    }
}

impl Pending {
    pub(crate) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(crate) fn flush_if_due(&mut self, store: &mut Store) -> Result<(), IndexerError> {
        let is_due = self.since.elapsed() >= BATCH_TIME_MAX;
        if self.changes.len() >= BATCH_CHANGES_MAX || (is_due && !self.changes.is_empty()) {
            self.flush(store)?;
        }
        Ok(())
    }

    pub(crate) fn flush(&mut self, store: &mut Store) -> Result<(), IndexerError> {
        if !self.changes.is_empty() {
            store.write(&self.changes)?;
            self.changes.clear();
        }
        self.since = Instant::now();
        Ok(())
    }
}
