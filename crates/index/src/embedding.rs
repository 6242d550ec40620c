//! Vectors for files that have none yet: read again, embedded many together, and written as
//! they come, so that a stop or a server that goes away costs what was on its way alone.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread;

use foveal_cancel::Cancel;
use foveal_code::embed::{EmbedError, Embedder, Pace, QuantizedVector};
use foveal_files::bounded::HeldFolder;

use crate::analysis::{Divided, divide_known, embedded};
use crate::error::IndexError;
use crate::jobs::{Job, Jobs, LOOK_UP_TIME, STACK_BYTES, WAITING_MAX};
use crate::model::ProbedEmbedder;
use crate::pending::Pending;
use crate::progress::{Progress, Stage};
use crate::queue::Queue;
use crate::store::{Change, FileVectors, RowId, Store};
use crate::vectors;
use crate::walk::relative;

/// Calls to a model behind a server at the same time.
const CALLS_MAX: usize = 4;

/// Calls' worth of texts that a thread collects, so that few calls have less than their fill.
const CALLS_COLLECTED: usize = 4;

/// Bytes of texts in a call: few enough for one request with the text by which the model is
/// known, since another request may come to another model. No text has more than a third.
const CALL_BYTES_MAX: usize = 48 << 10;

/// What vectors are made with.
pub(crate) struct Task<'a> {
    pub(crate) root: &'a HeldFolder,
    pub(crate) queue: &'a Queue,
    pub(crate) embedder: ProbedEmbedder<'a>,
    /// Files whose vectors are made at most.
    pub(crate) files_max: usize,
    pub(crate) cancel: &'a Cancel<'a>,
}

/// What came of it.
#[derive(Debug, Default)]
pub(crate) struct Embedded {
    /// Files that have vectors now.
    pub(crate) files: u64,
    pub(crate) stopped: bool,
    /// Why the rest has none.
    pub(crate) problem: Option<EmbedError>,
}

/// What a thread sends.
enum Message {
    Done(RowId, Vec<u8>),
    /// The file has changed since it was indexed: the next update sees to it.
    Stale,
    /// The row says something else of the same file: it is made anew.
    Wrong(RowId),
    Failed(EmbedError),
}

/// A file whose parts wait for the next call.
struct Collected {
    row: RowId,
    texts: Vec<String>,
}

/// Makes vectors for files that wait for them.
pub(crate) fn embed_waiting(
    store: &mut Store,
    task: &Task<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Embedded, IndexError> {
    let mut waiting = store.waiting(task.embedder.model.number)?;
    let queued = task.queue.paths();
    let queued: HashSet<String> =
        queued.iter().filter_map(|file| relative(task.root.path(), file)).collect();
    let place = |path: &String| (!queued.contains(path), path.clone());
    waiting.sort_by_cached_key(|(path, _)| place(path));
    waiting.truncate(task.files_max);
    let total = waiting.len();
    if total == 0 {
        return Ok(Embedded::default());
    }
    let order: VecDeque<String> = waiting.iter().map(|(path, _)| path.clone()).collect();
    let job = |(path, known): (String, _)| (path.clone(), Job { path, known_row: Some(known) });
    let jobs =
        Jobs::new(task.root.path(), task.queue, waiting.into_iter().map(job).collect(), order);
    let threads = match task.embedder.embedder.pace() {
        Pace::Instant => thread::available_parallelism().map_or(1, usize::from),
        Pace::Batches { .. } => CALLS_MAX,
    };
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let (sender, receiver) = sync_channel(WAITING_MAX);
        for _ in 0..threads.min(total) {
            let (sender, stop, jobs) = (sender.clone(), &stop, &jobs);
            let builder = thread::Builder::new().stack_size(STACK_BYTES);
            let spawned = builder.spawn_scoped(scope, move || embed_all(jobs, task, stop, &sender));
            // With fewer threads it takes longer; with none the channel closes at once.
            drop(spawned);
        }
        drop(sender);
        let result = receive(&receiver, total as u64, task, store, &stop, progress);
        stop.store(true, Ordering::Relaxed);
        result
    })
}

fn embed_all(jobs: &Jobs<'_>, task: &Task<'_>, stop: &AtomicBool, sender: &SyncSender<Message>) {
    let stopped = || stop.load(Ordering::Relaxed) || task.cancel.is_cancelled();
    let cancel = Cancel::when(&stopped);
    let call_texts = match task.embedder.embedder.pace() {
        Pace::Instant => usize::MAX,
        Pace::Batches { texts } => texts.max(1),
    };
    let wanted = if call_texts == usize::MAX { 1 } else { call_texts * CALLS_COLLECTED };
    loop {
        let mut collected: Vec<Collected> = Vec::new();
        let mut count = 0;
        while count < wanted && !cancel.is_cancelled() {
            let Some(job) = jobs.take() else { break };
            match collect(task, &job, &cancel) {
                Ok(one) => {
                    count += one.texts.len();
                    collected.push(one);
                }
                Err(message) => {
                    if sender.send(message).is_err() {
                        return;
                    }
                }
            }
        }
        if collected.is_empty() || cancel.is_cancelled() {
            return;
        }
        let texts = collected.iter().flat_map(|one| one.texts.iter().map(|text| embedded(text)));
        let texts: Vec<&str> = texts.collect();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts.as_slice();
        while !rest.is_empty() && !cancel.is_cancelled() {
            let (call, later) = rest.split_at(fitting(rest, call_texts));
            rest = later;
            match task.embedder.embed(call) {
                Ok(given) => vectors.extend(given),
                Err(error) => {
                    send_whole(&collected, vectors, sender);
                    // Whoever receives has gone if this fails.
                    drop(sender.send(Message::Failed(error)));
                    return;
                }
            }
        }
        if !send_whole(&collected, vectors, sender) {
            return;
        }
    }
}

/// How many of the first `texts` go into one call; at least one.
fn fitting(texts: &[&str], call_texts: usize) -> usize {
    let mut bytes = 0;
    let fits = texts.iter().take(call_texts).take_while(|text| {
        bytes += text.len();
        bytes <= CALL_BYTES_MAX
    });
    fits.count().max(1)
}

/// The texts of a file as it was indexed.
fn collect(task: &Task<'_>, job: &Job, cancel: &Cancel<'_>) -> Result<Collected, Message> {
    let Some(known) = job.known_row else { return Err(Message::Stale) };
    match divide_known(task.root, &job.path, known.hash, cancel) {
        Some(Divided { texts, .. }) if texts.len() == known.chunks as usize => {
            Ok(Collected { row: known.row, texts })
        }
        Some(_) if !cancel.is_cancelled() => Err(Message::Wrong(known.row)),
        _ => Err(Message::Stale),
    }
}

/// Sends the files all of whose parts have vectors; says whether anybody is there.
fn send_whole(
    collected: &[Collected],
    vectors: Vec<QuantizedVector>,
    sender: &SyncSender<Message>,
) -> bool {
    let mut vectors = vectors.into_iter();
    for one in collected {
        if vectors.len() < one.texts.len() {
            return true;
        }
        let bytes = vectors::encode(vectors.by_ref().take(one.texts.len()));
        if sender.send(Message::Done(one.row, bytes)).is_err() {
            return false;
        }
    }
    true
}

fn receive(
    receiver: &Receiver<Message>,
    total: u64,
    task: &Task<'_>,
    store: &mut Store,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress),
) -> Result<Embedded, IndexError> {
    let mut outcome = Embedded::default();
    let mut pending = Pending::default();
    let mut done = 0;
    let stage = Stage::Vectors;
    progress(Progress { stage, done, total });
    loop {
        match receiver.recv_timeout(LOOK_UP_TIME) {
            Ok(Message::Failed(error)) => {
                stop.store(true, Ordering::Relaxed);
                outcome.problem.get_or_insert(error);
            }
            Ok(message) => {
                done += 1;
                match message {
                    Message::Done(row, bytes) => {
                        outcome.files += 1;
                        let vectors = FileVectors { model: task.embedder.model.number, bytes };
                        pending.push(Change::Vectors { row, vectors });
                    }
                    Message::Wrong(row) => pending.push(Change::Forget { row }),
                    Message::Stale | Message::Failed(_) => {}
                }
                progress(Progress { stage, done, total });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        pending.flush_if_due(store, task.cancel)?;
    }
    pending.flush(store, task.cancel)?;
    outcome.stopped = task.cancel.is_cancelled() && done < total;
    if outcome.stopped {
        // What a stopped call says is no news.
        outcome.problem = None;
    }
    Ok(outcome)
}

/// Whether `embedder` is asked while files are read.
pub(crate) fn is_instant(embedder: &dyn Embedder) -> bool {
    embedder.pace() == Pace::Instant
}
