//! Embedding of files without vectors. Files are read again, embedded in batches and written as
//! results arrive, so that a cancellation or a failing server loses only the running calls.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread;

use foveal_relevance::embedding::{BatchPreference, Embedder, EmbeddingError, QuantizedVector};
use foveal_transcript::CancelToken;
use foveal_workspace::regular_file::OpenFolder;

use crate::analysis::{ChunkedFile, chunk_unchanged_file, embedding_input};
use crate::error::IndexError;
use crate::file_jobs::{CANCEL_CHECK_INTERVAL, FileJob, FileJobs, run_workers};
use crate::file_queue::FileQueue;
use crate::folder_walk::relative_path;
use crate::model_probe::ProbedEmbedder;
use crate::pending_changes::PendingChanges;
use crate::progress::{UpdateProgress, UpdateStage};
use crate::store::{FileVectors, IndexChange, IndexStore, RowId};
use crate::vector_codec;

/// The number of concurrent calls to a model behind a server.
const CALLS_MAX: usize = 4;

/// The number of calls for which a thread collects texts, so that few calls are only partly filled.
const COLLECTED_CALLS: usize = 4;

/// The size limit of a call's texts in bytes. Together with the probe text they must fit into one
/// request, since another request may reach another model. No text is longer than a third of it.
const CALL_BYTES_MAX: usize = 48 << 10;

/// The inputs of an embedding pass.
pub(crate) struct EmbeddingTask<'a> {
    pub(crate) root: &'a OpenFolder,
    pub(crate) queue: &'a FileQueue,
    pub(crate) embedder: ProbedEmbedder<'a>,
    /// The limit of files to embed.
    pub(crate) files_max: usize,
    pub(crate) cancel: &'a CancelToken<'a>,
}

/// The outcome of an embedding pass.
#[derive(Debug, Default)]
pub(crate) struct EmbeddingOutcome {
    /// The number of files that received vectors.
    pub(crate) files: u64,
    pub(crate) cancelled: bool,
    /// The reason why the remaining files have no vectors.
    pub(crate) problem: Option<EmbeddingError>,
}

/// A result that a worker thread sends.
enum EmbeddingResult {
    Done(RowId, Vec<u8>),
    /// The file has changed since it was indexed. The next update handles it.
    Stale,
    /// The row does not match the unchanged file. It is removed and built again.
    Mismatched(RowId),
    Failed(EmbeddingError),
}

/// The chunk texts of a file that wait for the next call.
struct PendingTexts {
    row: RowId,
    texts: Vec<String>,
}

/// Embeds the files that have no vectors.
pub(crate) fn embed_files_without_vectors(
    store: &mut IndexStore,
    task: &EmbeddingTask<'_>,
    progress: &mut dyn FnMut(UpdateProgress),
) -> Result<EmbeddingOutcome, IndexError> {
    let mut waiting = store.files_without_vectors(task.embedder.model.number)?;
    let queued = task.queue.paths();
    let queued: HashSet<String> =
        queued.iter().filter_map(|file| relative_path(task.root.path(), file)).collect();
    let place = |path: &String| (!queued.contains(path), path.clone());
    waiting.sort_by_cached_key(|(path, _)| place(path));
    waiting.truncate(task.files_max);
    let total = waiting.len();
    if total == 0 {
        return Ok(EmbeddingOutcome::default());
    }
    let order: VecDeque<String> = waiting.iter().map(|(path, _)| path.clone()).collect();
    let job = |(path, known): (String, _)| (path.clone(), FileJob { path, known_row: Some(known) });
    let jobs =
        FileJobs::new(task.root.path(), task.queue, waiting.into_iter().map(job).collect(), order);
    let threads = match task.embedder.embedder.batch_preference() {
        BatchPreference::Instant => thread::available_parallelism().map_or(1, usize::from),
        BatchPreference::Batches { .. } => CALLS_MAX,
    };
    run_workers(
        threads.min(total),
        |stop, sender| run_embedding_worker(&jobs, task, stop, sender),
        |receiver, stop| write_vectors(receiver, total as u64, task, store, stop, progress),
    )
}

fn run_embedding_worker(
    jobs: &FileJobs<'_>,
    task: &EmbeddingTask<'_>,
    stop: &AtomicBool,
    sender: &SyncSender<EmbeddingResult>,
) {
    let stopped = || stop.load(Ordering::Relaxed) || task.cancel.is_cancelled();
    let cancel = CancelToken::from_fn(&stopped);
    let call_texts = match task.embedder.embedder.batch_preference() {
        BatchPreference::Instant => usize::MAX,
        BatchPreference::Batches { texts } => texts.max(1),
    };
    let wanted = if call_texts == usize::MAX { 1 } else { call_texts * COLLECTED_CALLS };
    loop {
        let mut collected: Vec<PendingTexts> = Vec::new();
        let mut count = 0;
        while count < wanted && !cancel.is_cancelled() {
            let Some(job) = jobs.take_next_job() else { break };
            match read_chunk_texts(task, &job, &cancel) {
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
        let texts =
            collected.iter().flat_map(|one| one.texts.iter().map(|text| embedding_input(text)));
        let texts: Vec<&str> = texts.collect();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts.as_slice();
        while !rest.is_empty() && !cancel.is_cancelled() {
            let (call, later) = rest.split_at(fitting_text_count(rest, call_texts));
            rest = later;
            match task.embedder.embed(call) {
                Ok(given) => vectors.extend(given),
                Err(error) => {
                    send_complete_files(&collected, vectors, sender);
                    // A failure means that the receiver has ended.
                    drop(sender.send(EmbeddingResult::Failed(error)));
                    return;
                }
            }
        }
        if !send_complete_files(&collected, vectors, sender) {
            return;
        }
    }
}

/// Returns how many of the first `texts` fit into one call, at least one.
fn fitting_text_count(texts: &[&str], call_texts: usize) -> usize {
    let mut bytes = 0;
    let fits = texts.iter().take(call_texts).take_while(|text| {
        bytes += text.len();
        bytes <= CALL_BYTES_MAX
    });
    fits.count().max(1)
}

/// Reads the chunk texts of a file as it was indexed.
fn read_chunk_texts(
    task: &EmbeddingTask<'_>,
    job: &FileJob,
    cancel: &CancelToken<'_>,
) -> Result<PendingTexts, EmbeddingResult> {
    let Some(known) = job.known_row else { return Err(EmbeddingResult::Stale) };
    match chunk_unchanged_file(task.root, &job.path, known.hash, cancel) {
        Some(ChunkedFile { texts, .. }) if texts.len() == known.chunks as usize => {
            Ok(PendingTexts { row: known.row, texts })
        }
        Some(_) if !cancel.is_cancelled() => Err(EmbeddingResult::Mismatched(known.row)),
        _ => Err(EmbeddingResult::Stale),
    }
}

/// Sends the files whose chunks all have vectors. Returns whether the receiver is still there.
fn send_complete_files(
    collected: &[PendingTexts],
    vectors: Vec<QuantizedVector>,
    sender: &SyncSender<EmbeddingResult>,
) -> bool {
    let mut vectors = vectors.into_iter();
    for one in collected {
        if vectors.len() < one.texts.len() {
            return true;
        }
        let bytes = vector_codec::encode_vectors(vectors.by_ref().take(one.texts.len()));
        if sender.send(EmbeddingResult::Done(one.row, bytes)).is_err() {
            return false;
        }
    }
    true
}

fn write_vectors(
    receiver: &Receiver<EmbeddingResult>,
    total: u64,
    task: &EmbeddingTask<'_>,
    store: &mut IndexStore,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(UpdateProgress),
) -> Result<EmbeddingOutcome, IndexError> {
    let mut outcome = EmbeddingOutcome::default();
    let mut pending = PendingChanges::default();
    let mut done = 0;
    let stage = UpdateStage::Vectors;
    progress(UpdateProgress { stage, done, total });
    loop {
        match receiver.recv_timeout(CANCEL_CHECK_INTERVAL) {
            Ok(EmbeddingResult::Failed(error)) => {
                stop.store(true, Ordering::Relaxed);
                outcome.problem.get_or_insert(error);
            }
            Ok(message) => {
                done += 1;
                match message {
                    EmbeddingResult::Done(row, bytes) => {
                        outcome.files += 1;
                        let vectors = FileVectors { model: task.embedder.model.number, bytes };
                        pending.push(IndexChange::Vectors { row, vectors });
                    }
                    EmbeddingResult::Mismatched(row) => pending.push(IndexChange::Forget { row }),
                    EmbeddingResult::Stale | EmbeddingResult::Failed(_) => {}
                }
                progress(UpdateProgress { stage, done, total });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        pending.flush_if_due(store, task.cancel)?;
    }
    pending.flush(store, task.cancel)?;
    outcome.cancelled = task.cancel.is_cancelled() && done < total;
    if outcome.cancelled {
        // The error of a cancelled call is not a problem of the model.
        outcome.problem = None;
    }
    Ok(outcome)
}

/// Returns whether `embedder` is fast enough to be called while files are read.
pub(crate) fn is_instant_embedder(embedder: &dyn Embedder) -> bool {
    embedder.batch_preference() == BatchPreference::Instant
}
