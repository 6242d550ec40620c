//! Updates of the store: several threads read files, one writes.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::Instant;

use foveal_transcript::CancelToken;
use foveal_workspace::regular_file::OpenFolder;

use crate::analysis::{AnalysisOutcome, analyse_file};
use crate::error::IndexError;
use crate::file_jobs::{CANCEL_CHECK_INTERVAL, FileJob, FileJobs, run_workers};
use crate::file_queue::FileQueue;
use crate::folder_walk::{ChangeStamp, WalkedFiles, relative_path};
use crate::model_probe::ProbedEmbedder;
use crate::pending_changes::PendingChanges;
use crate::progress::{UpdateProgress, UpdateStage, UpdateSummary};
use crate::store::{IndexChange, IndexStore, IndexedFile};

/// The inputs of an update.
pub(crate) struct UpdateTask<'a> {
    pub(crate) root: &'a OpenFolder,
    pub(crate) queue: &'a FileQueue,
    /// An embedder that is fast enough to be called while files are read.
    pub(crate) model: Option<ProbedEmbedder<'a>>,
    pub(crate) cancel: &'a CancelToken<'a>,
}

type AnalysisResult = (FileJob, AnalysisOutcome);

/// Updates the store to the files in `found`: all files of the root, or only those in `only`.
pub(crate) fn update_store(
    store: &mut IndexStore,
    work: &UpdateTask<'_>,
    found: &WalkedFiles,
    only: Option<&[PathBuf]>,
    progress: &mut dyn FnMut(UpdateProgress),
) -> Result<UpdateSummary, IndexError> {
    let known = match only {
        None => store.known_files(work.cancel)?,
        Some(files) => {
            let mut known = HashMap::new();
            for path in files.iter().filter_map(|file| relative_path(work.root.path(), file)) {
                if let Some(file) = store.known_file(&path)? {
                    known.insert(path, file);
                }
            }
            known
        }
    };
    let mut summary = UpdateSummary { skipped: found.skipped, ..UpdateSummary::default() };
    let mut changes = Vec::new();
    if !found.cancelled {
        let gone = known.keys().filter(|path| !found.files.contains_key(*path));
        changes.extend(gone.map(|path| IndexChange::Remove { path: path.clone() }));
        changes.sort_by(|a, b| a.path().cmp(&b.path()));
        summary.removed = changes.len() as u64;
    }
    changes
        .extend(found.newly_read.iter().map(|path| IndexChange::MarkRead { path: path.clone() }));
    let jobs = jobs_for_changes(found, &known);
    summary.unchanged = (found.files.len() - jobs.len()) as u64;
    let mut order: VecDeque<String> = jobs.keys().cloned().collect();
    order.make_contiguous().sort_unstable();
    let total = jobs.len();
    let jobs = FileJobs::new(work.root.path(), work.queue, jobs, order);
    let mut writer = AnalysisWriter {
        store,
        pending: PendingChanges { changes, since: Instant::now() },
        summary,
    };
    run_jobs(&jobs, total, work, &mut writer, progress)?;
    writer.pending.flush(writer.store, work.cancel)?;
    writer.summary.cancelled |= found.cancelled;
    Ok(writer.summary)
}

/// Returns the paths of files that must be read, and of deleted ones.
pub(crate) fn changed_paths(
    found: &WalkedFiles,
    known: &HashMap<String, IndexedFile>,
) -> Vec<String> {
    let gone = known.keys().filter(|path| !found.files.contains_key(*path)).cloned();
    let mut changed: Vec<String> = jobs_for_changes(found, known).into_keys().chain(gone).collect();
    changed.sort_unstable();
    changed
}

/// Returns the files that must be read.
fn jobs_for_changes(
    found: &WalkedFiles,
    known: &HashMap<String, IndexedFile>,
) -> HashMap<String, FileJob> {
    let mut jobs = HashMap::new();
    for (path, stamp) in &found.files {
        let before = known.get(path);
        if before.is_some_and(|before| !stamp.requires_read(before.stamp)) {
            continue;
        }
        let job = FileJob { path: path.clone(), known_row: before.copied() };
        jobs.insert(path.clone(), job);
    }
    jobs
}

/// Reads all files and writes the results.
fn run_jobs(
    jobs: &FileJobs<'_>,
    total: usize,
    work: &UpdateTask<'_>,
    writer: &mut AnalysisWriter<'_>,
    progress: &mut dyn FnMut(UpdateProgress),
) -> Result<(), IndexError> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(total.max(1));
    run_workers(
        threads,
        |stop, sender| run_analysis_worker(jobs, work, stop, sender),
        |receiver, _| write_analyses(receiver, total, work, writer, progress),
    )
}

fn run_analysis_worker(
    jobs: &FileJobs<'_>,
    work: &UpdateTask<'_>,
    stop: &AtomicBool,
    sender: &SyncSender<AnalysisResult>,
) {
    let stopped = || stop.load(Ordering::Relaxed) || work.cancel.is_cancelled();
    let cancel = CancelToken::from_fn(&stopped);
    while !cancel.is_cancelled() {
        let Some(job) = jobs.take_next_job() else { return };
        let known = job.known_row.map(|known| known.hash);
        let outcome = analyse_file(work.root, &job.path, known, work.model, &cancel);
        // A failure means that the receiver has ended.
        if sender.send((job, outcome)).is_err() {
            return;
        }
    }
}

fn write_analyses(
    receiver: &Receiver<AnalysisResult>,
    total: usize,
    work: &UpdateTask<'_>,
    writer: &mut AnalysisWriter<'_>,
    progress: &mut dyn FnMut(UpdateProgress),
) -> Result<(), IndexError> {
    let mut done = 0;
    let (stage, total) = (UpdateStage::Files, total as u64);
    progress(UpdateProgress { stage, done, total });
    loop {
        match receiver.recv_timeout(CANCEL_CHECK_INTERVAL) {
            Ok((job, outcome)) => {
                writer.write_outcome(job, outcome);
                done += 1;
                progress(UpdateProgress { stage, done, total });
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        writer.pending.flush_if_due(writer.store, work.cancel)?;
        if work.cancel.is_cancelled() {
            break;
        }
    }
    writer.summary.cancelled |= done < total;
    Ok(())
}

/// A writer of analysed files.
struct AnalysisWriter<'a> {
    store: &'a mut IndexStore,
    pending: PendingChanges,
    summary: UpdateSummary,
}

impl AnalysisWriter<'_> {
    fn write_outcome(&mut self, job: FileJob, outcome: AnalysisOutcome) {
        let restamp =
            |known: IndexedFile, stamp: ChangeStamp| IndexChange::Stamp { row: known.row, stamp };
        match outcome {
            AnalysisOutcome::Analysed(analysed) => {
                self.summary.indexed += 1;
                self.pending.push(IndexChange::Put { path: job.path, analysed });
            }
            AnalysisOutcome::Same(stamp) => {
                self.summary.unchanged += 1;
                let known = job.known_row.filter(|known| known.stamp != stamp);
                if let Some(known) = known {
                    self.pending.push(restamp(known, stamp));
                }
            }
            AnalysisOutcome::Unreadable => {
                self.summary.unreadable += 1;
                self.pending.push(IndexChange::Remove { path: job.path });
            }
            AnalysisOutcome::Cancelled => self.summary.cancelled = true,
        }
    }
}
