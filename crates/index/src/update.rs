//! Bringing the store up to date: many threads read, one writes.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Instant;

use foveal_cancel::Cancel;
use foveal_files::bounded::HeldFolder;

use crate::analysis::{Outcome, analyse};
use crate::error::IndexError;
use crate::jobs::{Job, Jobs, LOOK_UP_TIME, STACK_BYTES, WAITING_MAX};
use crate::model::ProbedEmbedder;
use crate::pending::Pending;
use crate::progress::{Progress, Stage, Summary};
use crate::queue::Queue;
use crate::store::{Change, Known, Store};
use crate::walk::{Stamp, WalkedFiles, relative};

/// What an update works with.
pub(crate) struct Work<'a> {
    pub(crate) root: &'a HeldFolder,
    pub(crate) queue: &'a Queue,
    /// A model that is asked while files are read.
    pub(crate) model: Option<ProbedEmbedder<'a>>,
    pub(crate) cancel: &'a Cancel<'a>,
}

type Message = (Job, Outcome);

/// Makes the store hold what `found` says: all files of the root, or of those in `only`.
pub(crate) fn update(
    store: &mut Store,
    work: &Work<'_>,
    found: &WalkedFiles,
    only: Option<&[PathBuf]>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Summary, IndexError> {
    let known = match only {
        None => store.known(work.cancel)?,
        Some(files) => {
            let mut known = HashMap::new();
            for path in files.iter().filter_map(|file| relative(work.root.path(), file)) {
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
    let jobs = Jobs::new(work.root.path(), work.queue, jobs, order);
    let mut writer = Writer { store, pending: Pending { changes, since: Instant::now() }, summary };
    run(&jobs, total, work, &mut writer, progress)?;
    writer.pending.flush(writer.store, work.cancel)?;
    writer.summary.stopped |= found.stopped;
    Ok(writer.summary)
}

/// The files that have to be read, by path; those that are gone too.
pub(crate) fn changed(found: &WalkedFiles, known: &HashMap<String, Known>) -> Vec<String> {
    let gone = known.keys().filter(|path| !found.files.contains_key(*path)).cloned();
    let mut changed: Vec<String> = jobs(found, known).into_keys().chain(gone).collect();
    changed.sort_unstable();
    changed
}

/// The files that have to be read.
fn jobs(found: &WalkedFiles, known: &HashMap<String, Known>) -> HashMap<String, Job> {
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
) -> Result<(), IndexError> {
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
        let known = job.known_row.map(|known| known.hash);
        let outcome = analyse(work.root, &job.path, known, work.model, &cancel);
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
) -> Result<(), IndexError> {
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
        writer.pending.flush_if_due(writer.store, work.cancel)?;
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
