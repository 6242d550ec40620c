//! The indexes of the roots, updated in the background and queried by all sessions.

mod indexer;
mod open_index;

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use foveal_index::{
    Index, IndexError, ModelSummary, SearchHit, SearchOptions, SummaryJob, UpdateProgress,
    UpdateSummary,
};
use foveal_relevance::relations::Relations;
use foveal_transcript::{CancelToken, ContentHash};

use self::indexer::WAITING_FILES_MAX;
pub use self::indexer::{
    Indexer, IndexerAnswer, IndexerListener, IndexerModelFn, IndexerPhase, IndexerState,
};
pub use self::open_index::IndexOpener;
use self::open_index::{IndexAnswer, OpenIndex};
use crate::call_control::{self, CallControl};
use crate::error::ToolError;
use crate::explanation::{Explanation, ExplanationSink};

/// The longest interval between two checks of the cancellation token.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The indexes of the roots. Each is opened when it is first needed, updated by a thread of its
/// own, and searched as far as it is built. Queries take precedence over updates.
#[derive(Debug)]
pub struct CodeIndex {
    first_root: RootIndex,
    /// The other roots' indexes, by the absolute paths of the roots.
    other_roots: Vec<(PathBuf, RootIndex)>,
    /// The receiver of explanations about files.
    explain: ExplanationSink,
    /// The model that summarises files for the indexes, if there is one.
    indexer: Option<Arc<Indexer>>,
}

/// The hits of a search over all roots.
#[derive(Debug)]
pub(crate) struct MultiRootHits {
    /// The best chunks, each with its root; `None` for the first root.
    pub(crate) hits: Vec<(Option<PathBuf>, SearchHit)>,
    pub(crate) gaps: IndexGaps,
}

/// The parts of the roots that an answer does not cover.
#[derive(Debug, Default)]
pub(crate) struct IndexGaps {
    /// Roots whose index failed, with the error; `None` for the first root.
    pub(crate) failed: Vec<(Option<PathBuf>, ToolError)>,
    /// Roots with the paths of files whose changes are not indexed yet, because another process
    /// holds the index.
    pub(crate) stale: Vec<(Option<PathBuf>, Vec<String>)>,
}

impl IndexGaps {
    pub(crate) fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.stale.is_empty()
    }

    /// Records the gaps of one root's answer, and returns the answer if there is one.
    ///
    /// # Errors
    /// Returns [`ToolError::Cancelled`] if the caller stopped the query.
    fn note_gaps<T>(
        &mut self,
        root: Option<&PathBuf>,
        answered: Result<IndexAnswer<T>, ToolError>,
    ) -> Result<Option<T>, ToolError> {
        match answered {
            Ok(IndexAnswer { answer, stale: behind }) => {
                self.stale.extend((!behind.is_empty()).then(|| (root.cloned(), behind)));
                Ok(Some(answer))
            }
            Err(ToolError::Cancelled) => Err(ToolError::Cancelled),
            Err(error) => {
                self.failed.push((root.cloned(), error));
                Ok(None)
            }
        }
    }
}

/// The relations between all entities of all roots.
#[derive(Debug)]
pub(crate) struct MultiRootRelations {
    /// The relations of each root; `None` for the first root.
    pub(crate) relations: Vec<(Option<PathBuf>, Arc<Relations>)>,
    pub(crate) gaps: IndexGaps,
}

impl CodeIndex {
    /// Creates the index of the first root, which `open` opens on first use.
    pub fn new(open: IndexOpener) -> Self {
        Self {
            first_root: RootIndex::new(open),
            other_roots: Vec::new(),
            explain: ExplanationSink::default(),
            indexer: None,
        }
    }

    /// Adds the index of another root at the absolute path `root`, which `open` opens on first use.
    pub fn add_root(&mut self, root: PathBuf, open: IndexOpener) {
        let index = RootIndex::new(open);
        index.set_explanation_sink(&self.explain);
        index.lock().indexer.clone_from(&self.indexer);
        self.other_roots.push((root, index));
    }

    /// Sets the model that summarises files which are read or changed, for all roots, including
    /// those that are added later.
    pub fn set_indexer(&mut self, indexer: Arc<Indexer>) {
        let others = self.other_roots.iter().map(|(_, index)| index);
        for index in [&self.first_root].into_iter().chain(others) {
            index.lock().indexer = Some(Arc::clone(&indexer));
        }
        self.indexer = Some(indexer);
    }

    /// Returns the progress of the model that summarises files; `None` if there is no such model.
    pub fn indexer_state(&self) -> Option<IndexerState> {
        self.indexer.as_ref().map(|indexer| indexer.state())
    }

    /// Returns the reasoning of that model since the byte `from`, and the byte to continue from.
    pub fn indexer_reasoning_since(&self, from: usize) -> (String, usize) {
        let indexer = self.indexer.as_ref();
        indexer.map(|indexer| indexer.reasoning_since(from)).unwrap_or_default()
    }

    /// Returns the models' summaries of files, with the root of each; `None` for the first root.
    /// Roots whose index cannot be queried are left out.
    ///
    /// # Errors
    /// Returns [`ToolError::Cancelled`] if the caller stops the query.
    pub(crate) fn model_summaries(
        &self,
        control: &CallControl<'_>,
    ) -> Result<Vec<(Option<PathBuf>, FileSummaries)>, ToolError> {
        let others = self.other_roots.iter().map(|(root, index)| (Some(root), index));
        let mut all = Vec::new();
        for (root, index) in [(None, &self.first_root)].into_iter().chain(others) {
            match index.ask(IndexRequest::Summaries, control) {
                Ok(said) => all.push((root.cloned(), said.answer)),
                Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
                Err(_) => {}
            }
        }
        Ok(all)
    }

    /// Sets the receiver of explanations, also for indexes that are added later.
    pub(crate) fn set_explanation_sink(&mut self, explain: ExplanationSink) {
        let others = self.other_roots.iter().map(|(_, index)| index);
        [&self.first_root]
            .into_iter()
            .chain(others)
            .for_each(|index| index.set_explanation_sink(&explain));
        self.explain = explain;
    }

    /// Returns whether the root at this absolute path, other than the first root, has an index.
    pub(crate) fn has_root(&self, root: &Path) -> bool {
        self.other_roots.iter().any(|(other, _)| other == root)
    }

    /// Queues a file that was read or changed, so that the index updates it soon.
    pub(crate) fn queue_file(&self, path: &Path) {
        self.explain.emit(Explanation::FileQueued { path });
        let holding = self.other_roots.iter().filter(|(root, _)| path.starts_with(root));
        let nearest = holding.max_by_key(|(root, _)| root.as_os_str().len());
        nearest.map_or(&self.first_root, |(_, index)| index).queue_file(path);
    }

    /// Returns the best chunks for `query`, from files as they are now. The first query waits until
    /// the indexes are built.
    ///
    /// # Errors
    /// Returns an error if the caller stops the query, or no index can be read.
    pub(crate) fn search(
        &self,
        query: &str,
        options: &SearchOptions,
        control: &CallControl<'_>,
    ) -> Result<MultiRootHits, ToolError> {
        let others = self.other_roots.iter().map(|(root, index)| (Some(root), index));
        let (mut hits, mut missing) = (Vec::new(), IndexGaps::default());
        for (root, index) in [(None, &self.first_root)].into_iter().chain(others) {
            let ask = |reply| IndexRequest::Search(query.to_owned(), options.clone(), reply);
            if let Some(found) = missing.note_gaps(root, index.ask(ask, control))? {
                hits.extend(normalize_scores(found).map(|hit| (root.cloned(), hit)));
            }
        }
        if missing.failed.len() > self.other_roots.len()
            && let Some((_, error)) = missing.failed.pop()
        {
            return Err(error);
        }
        // The hits of one root keep their order.
        hits.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
        hits.truncate(options.limit);
        let hits = hits.into_iter().map(|(root, (_, hit))| (root, hit)).collect();
        Ok(MultiRootHits { hits, gaps: missing })
    }

    /// Returns the relations between the entities of each root, from files as they are now, with
    /// the root of each; `None` for the first root. The first query waits until the indexes are
    /// built.
    ///
    /// # Errors
    /// Returns an error if the caller stops the query, or no index can be read.
    pub(crate) fn relations(
        &self,
        control: &CallControl<'_>,
    ) -> Result<MultiRootRelations, ToolError> {
        let others = self.other_roots.iter().map(|(root, index)| (Some(root), index));
        let (mut relations, mut missing) = (Vec::new(), IndexGaps::default());
        for (root, index) in [(None, &self.first_root)].into_iter().chain(others) {
            let related = missing.note_gaps(root, index.ask(IndexRequest::Relations, control))?;
            relations.extend(related.map(|related| (root.cloned(), related)));
        }
        if relations.is_empty()
            && let Some((_, error)) = missing.failed.pop()
        {
            return Err(error);
        }
        Ok(MultiRootRelations { relations, gaps: missing })
    }
}

/// Scales the scores of one root's hits, so that they compare with those of other roots. An index
/// scores relative to its own best hit, however little that matches the query.
fn normalize_scores(hits: Vec<SearchHit>) -> impl Iterator<Item = (f32, SearchHit)> {
    let best = hits.iter().map(|hit| hit.reason.words_score).fold(f32::MIN_POSITIVE, f32::max);
    let top = hits.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    hits.into_iter().map(move |hit| (hit.score / top * best, hit))
}

/// The index of one root, with its worker thread.
struct RootIndex {
    shared: Arc<IndexWorkerShared>,
    worker: Mutex<Option<JoinHandle<()>>>,
    opener: Mutex<Option<IndexOpener>>,
}

#[derive(Default)]
struct IndexWorkerShared {
    work: Mutex<IndexWorkQueue>,
    work_arrived: Condvar,
}

/// The work that the index thread has to do.
#[derive(Default)]
struct IndexWorkQueue {
    requests: VecDeque<IndexRequest>,
    /// Files to update; other changes are found before the next query.
    queued_files: Vec<PathBuf>,
    closed: bool,
    /// The reason why there is no index, once that is known.
    closed_reason: Option<String>,
    /// The receiver of explanations about updates.
    explain: ExplanationSink,
    /// The model that summarises files, if there is one; the files that wait for it; whether it is
    /// working on one.
    indexer: Option<Arc<Indexer>>,
    unsummarized: VecDeque<PathBuf>,
    is_summarizing: bool,
}

impl IndexWorkQueue {
    /// Returns whether there is work to do.
    fn is_due(&self) -> bool {
        let may_tell = !self.unsummarized.is_empty() && !self.is_summarizing;
        !self.requests.is_empty() || !self.queued_files.is_empty() || may_tell || self.closed
    }
}

/// The models' summaries of files, by path.
pub(crate) type FileSummaries = Arc<Vec<(String, ModelSummary)>>;

/// A request to the index thread, with the channel for its answer.
enum IndexRequest {
    Summaries(Sender<IndexReply<FileSummaries>>),
    /// Stores a model's summary of a file with this content; there is no answer.
    StoreSummary(ContentHash, String, Box<ModelSummary>),
    Search(String, SearchOptions, Sender<IndexReply<Vec<SearchHit>>>),
    Relations(Sender<IndexReply<Arc<Relations>>>),
}

/// A message from the index thread about a request.
enum IndexReply<T> {
    Progress(UpdateProgress),
    Done(Result<IndexAnswer<T>, IndexError>),
}

impl IndexRequest {
    fn answer(self, kept: &mut OpenIndex, cancel: &CancelToken<'_>) {
        match self {
            Self::Search(query, options, reply) => {
                let found = |index: &mut Index| index.search(&query, &options);
                send_answer(kept, cancel, &reply, found);
            }
            Self::Relations(reply) => send_answer(kept, cancel, &reply, Index::relations),
            Self::Summaries(reply) => send_answer(kept, cancel, &reply, Index::model_summaries),
            // A summary that cannot be stored is asked for again when the file is read again.
            Self::StoreSummary(hash, model, said) => {
                drop(kept.index.put_model_summary(hash, &model, &said));
            }
        }
    }
}

/// Answers a request from files as they are now. The receiver may be gone already.
fn send_answer<T>(
    kept: &mut OpenIndex,
    cancel: &CancelToken<'_>,
    reply: &Sender<IndexReply<T>>,
    question: impl Fn(&mut Index) -> Result<T, IndexError>,
) {
    let mut tell = |progress| drop(reply.send(IndexReply::Progress(progress)));
    let answered = kept.answer_query(&question, &mut tell, cancel);
    drop(reply.send(IndexReply::Done(answered)));
}

/// Most files that are queued for an update.
const QUEUED_FILES_MAX: usize = 1_000;

impl RootIndex {
    fn new(open: IndexOpener) -> Self {
        let shared = Arc::new(IndexWorkerShared::default());
        Self { shared, worker: Mutex::new(None), opener: Mutex::new(Some(open)) }
    }

    fn set_explanation_sink(&self, explain: &ExplanationSink) {
        self.lock().explain = explain.clone();
    }

    fn queue_file(&self, path: &Path) {
        let mut work = self.lock();
        if work.queued_files.len() < QUEUED_FILES_MAX {
            work.queued_files.push(path.to_owned());
        }
        if let Some(indexer) = work.indexer.clone() {
            let waits = work.unsummarized.iter().any(|other| other == path);
            if !waits && work.unsummarized.len() < WAITING_FILES_MAX && !indexer.is_finished() {
                work.unsummarized.push_back(path.to_owned());
                indexer.add_waiting(1);
            }
        }
        drop(work);
        self.start_worker();
    }

    /// Sends the request that `question` builds from its reply channel, and waits for the answer.
    fn ask<T>(
        &self,
        question: impl FnOnce(Sender<IndexReply<T>>) -> IndexRequest,
        control: &CallControl<'_>,
    ) -> Result<IndexAnswer<T>, ToolError> {
        let (reply, answers) = mpsc::channel();
        let mut work = self.lock();
        // A request would never be taken; without it the channel closes at once.
        if work.closed_reason.is_none() {
            work.requests.push_back(question(reply));
        }
        drop(work);
        self.start_worker();
        loop {
            if control.cancel.is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            match answers.recv_timeout(CANCEL_POLL_INTERVAL) {
                Ok(IndexReply::Done(found)) => return found.map_err(ToolError::from_error),
                Ok(IndexReply::Progress(progress)) => {
                    (control.progress)(call_control::CallProgress {
                        done: progress.done,
                        total: Some(progress.total),
                        message: "indexing".to_owned(),
                        model: None,
                    });
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let why = self.lock().closed_reason.clone();
                    return Err(ToolError::from_error(why.unwrap_or_else(|| {
                        "the index is closed: start again, or search with grep".to_owned()
                    })));
                }
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, IndexWorkQueue> {
        self.shared.work.lock().expect("no holder of this lock panics")
    }

    fn start_worker(&self) {
        let open = self.opener.lock().expect("no holder of this lock panics").take();
        if let Some(open) = open {
            let shared = Arc::clone(&self.shared);
            let worker = thread::Builder::new().name("index".to_owned());
            let worker = worker.spawn(move || run_worker(&shared, open));
            if worker.is_err() {
                drop(CloseOnDrop(&self.shared));
            }
            *self.worker.lock().expect("no holder of this lock panics") = worker.ok();
        }
        self.shared.work_arrived.notify_all();
    }
}

impl Drop for RootIndex {
    fn drop(&mut self) {
        self.lock().closed = true;
        self.shared.work_arrived.notify_all();
        let worker = self.worker.lock().expect("no holder of this lock panics").take();
        if let Some(worker) = worker {
            // The next update completes what the thread left half done.
            let _ = worker.join();
        }
    }
}

impl fmt::Debug for RootIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootIndex").finish_non_exhaustive()
    }
}

/// Closes the queue when the thread ends, so that waiting callers get an error.
struct CloseOnDrop<'a>(&'a IndexWorkerShared);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        let mut work = self.0.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.closed_reason
            .get_or_insert_with(|| "the index is closed: search with grep".to_owned());
        work.requests.clear();
    }
}

/// Runs the index thread: answers requests, and updates queued files in between. Models' summaries
/// come from another thread.
fn run_worker(shared: &Arc<IndexWorkerShared>, open: IndexOpener) {
    let _closing = CloseOnDrop(shared);
    let mut kept = match OpenIndex::new(open) {
        Ok(kept) => kept,
        Err(error) => {
            let mut work = shared.work.lock().expect("no holder of this lock panics");
            work.closed_reason = Some(error.to_string());
            return work.requests.clear();
        }
    };
    let mut teller = SummaryWorker::default();
    loop {
        let mut work = shared.work.lock().expect("no holder of this lock panics");
        while !work.is_due() {
            work = shared.work_arrived.wait(work).expect("no holder of this lock panics");
        }
        if work.closed {
            drop(work);
            return teller.join();
        }
        let touched = std::mem::take(&mut work.queued_files);
        let question = work.requests.pop_front();
        let explain = work.explain.clone();
        drop(work);
        kept.retry_open(Instant::now());
        touched.iter().for_each(|path| kept.index.prioritize_file(path));
        let closed = || shared.work.lock().expect("no holder of this lock panics").closed;
        match question {
            Some(asked) => asked.answer(&mut kept, &CancelToken::from_fn(&closed)),
            None => {
                let busy = || {
                    let work = shared.work.lock().expect("no holder of this lock panics");
                    work.closed || !work.requests.is_empty()
                };
                if !touched.is_empty() {
                    // An error here occurs again in the next query, which reports it.
                    let outcome = match kept.update_queued_files(&CancelToken::from_fn(&busy)) {
                        Ok(summary) => describe_update(&summary),
                        Err(error) => format!("files that were read are not indexed: {error}"),
                    };
                    explain.emit(Explanation::IndexUpdated { outcome: &outcome });
                }
                teller.summarize_next(shared, &mut kept.index, &explain);
            }
        }
    }
}

/// The thread on which a model summarises files.
#[derive(Default)]
struct SummaryWorker {
    thread: Option<(Sender<SummaryJob>, JoinHandle<()>)>,
}

impl SummaryWorker {
    /// Sends the next waiting file to the model, unless the model is working on one.
    fn summarize_next(
        &mut self,
        shared: &Arc<IndexWorkerShared>,
        index: &mut Index,
        explain: &ExplanationSink,
    ) {
        let mut work = shared.work.lock().expect("no holder of this lock panics");
        let Some(indexer) = work.indexer.clone().filter(|_| !work.is_summarizing) else { return };
        if indexer.is_finished() && !work.unsummarized.is_empty() {
            indexer.remove_waiting(work.unsummarized.len() as u64);
            work.unsummarized.clear();
            explain.emit(Explanation::IndexUpdated {
                outcome: "the model came to its limit of tokens",
            });
        }
        let Some(path) = work.unsummarized.pop_front() else { return };
        drop(work);
        indexer.remove_waiting(1);
        // Files that cannot be read get no summary.
        let Ok(Some(file)) = index.summary_job(&path, &indexer.model()) else { return };
        let thread =
            self.thread.get_or_insert_with(|| spawn_summary_thread(shared, &indexer, explain));
        let mut work = shared.work.lock().expect("no holder of this lock panics");
        work.is_summarizing = thread.0.send(file).is_ok();
    }

    /// Waits for the thread, which ends soon after the index is closed.
    fn join(self) {
        if let Some((files, thread)) = self.thread {
            drop(files);
            let _ = thread.join();
        }
    }
}

fn spawn_summary_thread(
    shared: &Arc<IndexWorkerShared>,
    indexer: &Arc<Indexer>,
    explain: &ExplanationSink,
) -> (Sender<SummaryJob>, JoinHandle<()>) {
    let (sender, files) = mpsc::channel::<SummaryJob>();
    let (shared, indexer, explain) = (Arc::clone(shared), Arc::clone(indexer), explain.clone());
    let thread = thread::spawn(move || {
        for file in files {
            let closed = || shared.work.lock().expect("no holder of this lock panics").closed;
            let said = indexer.summarize_file(&file, &closed);
            let outcome = match &said {
                Some(ModelSummary { summaries, relations }) => format!(
                    "a model says {} things and {} relations of {}",
                    summaries.len(),
                    relations.len(),
                    file.path
                ),
                None => format!("a model says nothing of {}", file.path),
            };
            explain.emit(Explanation::IndexUpdated { outcome: &outcome });
            let mut work = shared.work.lock().expect("no holder of this lock panics");
            let keep = said
                .map(|said| IndexRequest::StoreSummary(file.hash, indexer.model(), said.into()));
            work.requests.extend(keep);
            work.is_summarizing = false;
            drop(work);
            shared.work_arrived.notify_all();
        }
    });
    (sender, thread)
}

/// Describes the outcome of an update.
fn describe_update(summary: &UpdateSummary) -> String {
    let UpdateSummary {
        indexed,
        unchanged,
        removed,
        skipped: passed_by,
        without_vectors: waiting,
        ..
    } = summary;
    format!(
        "files: {indexed} indexed, {unchanged} unchanged, {passed_by} skipped, {removed} removed; \
         {waiting} waiting for vectors"
    )
}

#[cfg(test)]
mod tests;
