//! The indexes of the roots, kept up to date in the background and asked from any session.

mod indexer;

use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use foveal_cancel::Cancel;
use foveal_code::relations::Relations;
use foveal_index::{Hit, Index, IndexError, Progress, Said, SearchOptions, Summary, Untold};
use foveal_transcript::ContentHash;

use self::indexer::UNTOLD_MAX;
pub use self::indexer::{AskIndexer, Indexer, IndexerAnswer, IndexerState, Phase};
use crate::control::{self, Control};
use crate::error::ToolError;
use crate::explain::{Explain, Explained};

/// The longest wait between two looks at the cancellation token.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// Opens the index, on the thread that keeps it: once, and again now and then as long as what it
/// opens [stands in](Index::is_stand_in) for another.
pub type Open = Box<dyn FnMut() -> Result<Index, IndexError> + Send>;

/// How long an index stands in for another before that is tried again: opening waits for it.
const STAND_IN_TIME: Duration = Duration::from_secs(30);

/// The indexes of the roots. Each is opened when it is first needed, brought up to date by a
/// thread of its own, and searched as far as it is; questions come before updates.
#[derive(Debug)]
pub struct CodeIndex {
    first: RootIndex,
    /// By the absolute paths of their roots.
    others: Vec<(PathBuf, RootIndex)>,
    /// Who is told what becomes of files.
    explain: Explain,
    /// The model that reads files into the indexes, if there is one.
    indexer: Option<Arc<Indexer>>,
}

/// What was found in all roots.
#[derive(Debug)]
pub(crate) struct FoundInRoots {
    /// The best parts, with the root of each; `None` for the first.
    pub(crate) hits: Vec<(Option<PathBuf>, Hit)>,
    /// Roots whose index failed, and why.
    pub(crate) failed: Vec<(Option<PathBuf>, ToolError)>,
}

/// How everything in all roots is related.
#[derive(Debug)]
pub(crate) struct RelatedInRoots {
    /// The relations of each root; `None` for the first.
    pub(crate) relations: Vec<(Option<PathBuf>, Arc<Relations>)>,
    /// Roots whose index failed, and why.
    pub(crate) failed: Vec<(Option<PathBuf>, ToolError)>,
}

impl CodeIndex {
    /// The index of the first root, that `open` opens.
    pub fn new(open: Open) -> Self {
        Self {
            first: RootIndex::new(open),
            others: Vec::new(),
            explain: Explain::default(),
            indexer: None,
        }
    }

    /// Adds the index of another root at the absolute path `root`, that `open` opens.
    pub fn add(&mut self, root: PathBuf, open: Open) {
        let index = RootIndex::new(open);
        index.explain_to(&self.explain);
        index.lock().indexer.clone_from(&self.indexer);
        self.others.push((root, index));
    }

    /// Has a model read the files that are read or changed into the indexes, those of roots that are
    /// added later too.
    pub fn index_by(&mut self, indexer: Arc<Indexer>) {
        let others = self.others.iter().map(|(_, index)| index);
        for index in [&self.first].into_iter().chain(others) {
            index.lock().indexer = Some(Arc::clone(&indexer));
        }
        self.indexer = Some(indexer);
    }

    /// How far the model has come that reads files into the indexes; `None` where there is none.
    pub fn indexer_state(&self) -> Option<IndexerState> {
        self.indexer.as_ref().map(|indexer| indexer.state())
    }

    /// What models say of files, with the root of each; `None` for the first. What cannot be asked
    /// says nothing.
    ///
    /// # Errors
    /// If the caller stops it.
    pub(crate) fn said(
        &self,
        control: &Control<'_>,
    ) -> Result<Vec<(Option<PathBuf>, SaidOfFiles)>, ToolError> {
        let others = self.others.iter().map(|(root, index)| (Some(root), index));
        let mut all = Vec::new();
        for (root, index) in [(None, &self.first)].into_iter().chain(others) {
            match index.ask(Question::Said, control) {
                Ok(said) => all.push((root.cloned(), said)),
                Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
                Err(_) => {}
            }
        }
        Ok(all)
    }

    /// Tells what becomes of files that are read or changed, of indexes that are added later too.
    pub(crate) fn explain_to(&mut self, explain: Explain) {
        let others = self.others.iter().map(|(_, index)| index);
        [&self.first].into_iter().chain(others).for_each(|index| index.explain_to(&explain));
        self.explain = explain;
    }

    /// Whether the root at this absolute path, which is not the first, has an index.
    pub(crate) fn has(&self, root: &Path) -> bool {
        self.others.iter().any(|(other, _)| other == root)
    }

    /// Has a file looked at soon: it was read or changed.
    pub(crate) fn touch(&self, path: &Path) {
        self.explain.tell(Explained::Queued { path });
        let holding = self.others.iter().filter(|(root, _)| path.starts_with(root));
        let nearest = holding.max_by_key(|(root, _)| root.as_os_str().len());
        nearest.map_or(&self.first, |(_, index)| index).touch(path);
    }

    /// The best parts for `query`, of files as they are now. The first question waits until
    /// the indexes are made.
    ///
    /// # Errors
    /// If the caller stops it, or no index can be read.
    pub(crate) fn search(
        &self,
        query: &str,
        options: &SearchOptions,
        control: &Control<'_>,
    ) -> Result<FoundInRoots, ToolError> {
        let others = self.others.iter().map(|(root, index)| (Some(root), index));
        let (mut hits, mut failed) = (Vec::new(), Vec::new());
        for (root, index) in [(None, &self.first)].into_iter().chain(others) {
            let ask = |reply| Question::Search(query.to_owned(), options.clone(), reply);
            match index.ask(ask, control) {
                Ok(found) => hits.extend(weighed(found).map(|hit| (root.cloned(), hit))),
                Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
                Err(error) => failed.push((root.cloned(), error)),
            }
        }
        if failed.len() > self.others.len()
            && let Some((_, error)) = failed.pop()
        {
            return Err(error);
        }
        // Those of one root stay in their order.
        hits.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
        hits.truncate(options.limit);
        let hits = hits.into_iter().map(|(root, (_, hit))| (root, hit)).collect();
        Ok(FoundInRoots { hits, failed })
    }

    /// How everything in each root is related, of files as they are now, with the root of
    /// each; `None` for the first. The first question waits until the indexes are made.
    ///
    /// # Errors
    /// If the caller stops it, or no index can be read.
    pub(crate) fn relations(&self, control: &Control<'_>) -> Result<RelatedInRoots, ToolError> {
        let others = self.others.iter().map(|(root, index)| (Some(root), index));
        let mut found = RelatedInRoots { relations: Vec::new(), failed: Vec::new() };
        for (root, index) in [(None, &self.first)].into_iter().chain(others) {
            match index.ask(Question::Relations, control) {
                Ok(relations) => found.relations.push((root.cloned(), relations)),
                Err(ToolError::Cancelled) => return Err(ToolError::Cancelled),
                Err(error) => found.failed.push((root.cloned(), error)),
            }
        }
        match found.failed.pop() {
            Some((_, error)) if found.relations.is_empty() => Err(error),
            last => {
                found.failed.extend(last);
                Ok(found)
            }
        }
    }
}

/// Hits of one root with scores that compare with those of others: an index takes its best hit
/// for the measure, however little that has in common with the question.
fn weighed(hits: Vec<Hit>) -> impl Iterator<Item = (f32, Hit)> {
    let best = hits.iter().map(|hit| hit.reason.words_score).fold(f32::MIN_POSITIVE, f32::max);
    let top = hits.iter().map(|hit| hit.score).fold(f32::MIN_POSITIVE, f32::max);
    hits.into_iter().map(move |hit| (hit.score / top * best, hit))
}

/// The index of one root.
struct RootIndex {
    shared: Arc<Shared>,
    worker: Mutex<Option<JoinHandle<()>>>,
    open: Mutex<Option<Open>>,
}

#[derive(Default)]
struct Shared {
    work: Mutex<Waiting>,
    arrived: Condvar,
}

/// What the thread is asked for.
#[derive(Default)]
struct Waiting {
    questions: VecDeque<Question>,
    /// Files to be read anew; whatever else changed is found before the next question.
    touched: Vec<PathBuf>,
    closed: bool,
    /// Why there is no index, once that is known.
    refused: Option<String>,
    /// Who is told what it comes to.
    explain: Explain,
    /// The model that reads files into the index, if there is one; files that it may be asked
    /// about; whether it is asked about one.
    indexer: Option<Arc<Indexer>>,
    untold: VecDeque<PathBuf>,
    is_telling: bool,
}

impl Waiting {
    /// Whether there is something to do.
    fn is_due(&self) -> bool {
        let may_tell = !self.untold.is_empty() && !self.is_telling;
        !self.questions.is_empty() || !self.touched.is_empty() || may_tell || self.closed
    }
}

/// What models say of files, by path.
pub(crate) type SaidOfFiles = Arc<Vec<(String, Said)>>;

/// What is asked, and where the answer goes.
enum Question {
    Said(Sender<Reply<SaidOfFiles>>),
    /// Nothing: this is what a model says of a file with this content.
    Keep(ContentHash, String, Box<Said>),
    Search(String, SearchOptions, Sender<Reply<Vec<Hit>>>),
    Relations(Sender<Reply<Arc<Relations>>>),
}

/// What comes back for a question.
enum Reply<T> {
    Progress(Progress),
    Done(Result<T, IndexError>),
}

impl Question {
    /// Answers it from files as they are now. Who asked may have gone.
    fn answer(self, index: &mut Index, cancel: &Cancel<'_>) {
        match self {
            Self::Search(query, options, reply) => {
                let found = |index: &mut Index| index.search(&query, &options);
                answer(index, cancel, &reply, found);
            }
            Self::Relations(reply) => answer(index, cancel, &reply, Index::relations),
            Self::Said(reply) => answer(index, cancel, &reply, Index::said),
            // What cannot be kept is asked for when the file is read again.
            Self::Keep(hash, model, said) => drop(index.put_said(hash, &model, &said)),
        }
    }
}

fn answer<T>(
    index: &mut Index,
    cancel: &Cancel<'_>,
    reply: &Sender<Reply<T>>,
    question: impl Fn(&mut Index) -> Result<T, IndexError>,
) {
    let mut tell = |progress| drop(reply.send(Reply::Progress(progress)));
    let mut ask = |index: &mut Index| {
        index.update(&mut tell, cancel)?;
        let answer = question(index)?;
        if !index.is_rebuilt() {
            return Ok(answer);
        }
        // It was found damaged only when it was asked.
        index.update(&mut tell, cancel)?;
        question(index)
    };
    let found = match ask(index) {
        // A full disk does not keep anybody from searching.
        Err(error) if error.is_place() => index.leave_file().and_then(|()| ask(index)),
        // Nor does another process that holds the index: what has changed is found the next time.
        Err(error) if error.is_busy() => question(index),
        found => found,
    };
    drop(reply.send(Reply::Done(found)));
}

/// Files remembered until they are looked at.
const TOUCHED_MAX: usize = 1_000;

impl RootIndex {
    fn new(open: Open) -> Self {
        let shared = Arc::new(Shared::default());
        Self { shared, worker: Mutex::new(None), open: Mutex::new(Some(open)) }
    }

    fn explain_to(&self, explain: &Explain) {
        self.lock().explain = explain.clone();
    }

    fn touch(&self, path: &Path) {
        let mut work = self.lock();
        if work.touched.len() < TOUCHED_MAX {
            work.touched.push(path.to_owned());
        }
        if let Some(indexer) = work.indexer.clone() {
            let waits = work.untold.iter().any(|other| other == path);
            if !waits && work.untold.len() < UNTOLD_MAX && !indexer.is_over() {
                work.untold.push_back(path.to_owned());
                indexer.waits(1);
            }
        }
        drop(work);
        self.start();
    }

    /// Asks the question that `question` makes of where its answer goes, and waits for it.
    fn ask<T>(
        &self,
        question: impl FnOnce(Sender<Reply<T>>) -> Question,
        control: &Control<'_>,
    ) -> Result<T, ToolError> {
        let (reply, answers) = mpsc::channel();
        let mut work = self.lock();
        // Nobody would take it, and the channel closes at once.
        if work.refused.is_none() {
            work.questions.push_back(question(reply));
        }
        drop(work);
        self.start();
        loop {
            if control.cancel.is_cancelled() {
                return Err(ToolError::Cancelled);
            }
            match answers.recv_timeout(LOOK_UP_TIME) {
                Ok(Reply::Done(found)) => return found.map_err(ToolError::failed),
                Ok(Reply::Progress(progress)) => (control.progress)(control::Progress {
                    done: progress.done,
                    total: Some(progress.total),
                    message: "indexing".to_owned(),
                    model: None,
                }),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let why = self.lock().refused.clone();
                    return Err(ToolError::failed(why.unwrap_or_else(|| {
                        "the index is closed: start again, or search with grep".to_owned()
                    })));
                }
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Waiting> {
        self.shared.work.lock().expect("no holder of this lock panics")
    }

    fn start(&self) {
        let open = self.open.lock().expect("no holder of this lock panics").take();
        if let Some(open) = open {
            let shared = Arc::clone(&self.shared);
            let worker = thread::Builder::new().name("index".to_owned());
            let worker = worker.spawn(move || keep(&shared, open));
            if worker.is_err() {
                drop(Closing(&self.shared));
            }
            *self.worker.lock().expect("no holder of this lock panics") = worker.ok();
        }
        self.shared.arrived.notify_all();
    }
}

impl Drop for RootIndex {
    fn drop(&mut self) {
        self.lock().closed = true;
        self.shared.arrived.notify_all();
        let worker = self.worker.lock().expect("no holder of this lock panics").take();
        if let Some(worker) = worker {
            // What it left half done, the next update does.
            let _ = worker.join();
        }
    }
}

impl fmt::Debug for RootIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RootIndex").finish_non_exhaustive()
    }
}

/// Tells all who wait, when the thread ends, that nobody answers any more.
struct Closing<'a>(&'a Shared);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        let mut work = self.0.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.refused.get_or_insert_with(|| "the index is closed: search with grep".to_owned());
        work.questions.clear();
    }
}

/// An index, and how it is had again.
struct Kept {
    index: Index,
    open: Open,
    /// When it was last tried to open it.
    tried: Instant,
}

impl Kept {
    fn new(mut open: Open) -> Result<Self, IndexError> {
        let index = open()?;
        Ok(Self { index, open, tried: Instant::now() })
    }

    /// The index; one that stands in for another as long as that cannot be had.
    fn index(&mut self, now: Instant) -> &mut Index {
        if self.index.is_stand_in() && now.duration_since(self.tried) >= STAND_IN_TIME {
            if let Some(other) = (self.open)().ok().filter(|other| !other.is_stand_in()) {
                self.index = other;
            }
            self.tried = now;
        }
        &mut self.index
    }
}

/// The thread: answers questions, and in between reads what was touched. What a model says of files
/// comes from another one.
fn keep(shared: &Arc<Shared>, open: Open) {
    let _closing = Closing(shared);
    let mut kept = match Kept::new(open) {
        Ok(kept) => kept,
        Err(error) => {
            let mut work = shared.work.lock().expect("no holder of this lock panics");
            work.refused = Some(error.to_string());
            return work.questions.clear();
        }
    };
    let mut teller = Teller::default();
    loop {
        let mut work = shared.work.lock().expect("no holder of this lock panics");
        while !work.is_due() {
            work = shared.arrived.wait(work).expect("no holder of this lock panics");
        }
        if work.closed {
            drop(work);
            return teller.end();
        }
        let touched = std::mem::take(&mut work.touched);
        let question = work.questions.pop_front();
        let explain = work.explain.clone();
        drop(work);
        let index = kept.index(Instant::now());
        touched.iter().for_each(|path| index.touch(path));
        let closed = || shared.work.lock().expect("no holder of this lock panics").closed;
        match question {
            Some(asked) => asked.answer(index, &Cancel::when(&closed)),
            None => {
                let busy = || {
                    let work = shared.work.lock().expect("no holder of this lock panics");
                    work.closed || !work.questions.is_empty()
                };
                if !touched.is_empty() {
                    // What fails here fails again where somebody asks, and is told there.
                    let outcome = match index.update_queued(&Cancel::when(&busy)) {
                        Ok(summary) => told(&summary),
                        Err(error) => format!("files that were read are not indexed: {error}"),
                    };
                    explain.tell(Explained::Indexed { outcome: &outcome });
                }
                teller.tell_next(shared, index, &explain);
            }
        }
    }
}

/// Has a model tell of files, on a thread of its own.
#[derive(Default)]
struct Teller {
    thread: Option<(Sender<Untold>, JoinHandle<()>)>,
}

impl Teller {
    /// Has the model asked about the next file that waits for that, if it is asked about none.
    fn tell_next(&mut self, shared: &Arc<Shared>, index: &mut Index, explain: &Explain) {
        let mut work = shared.work.lock().expect("no holder of this lock panics");
        let Some(indexer) = work.indexer.clone().filter(|_| !work.is_telling) else { return };
        if indexer.is_over() && !work.untold.is_empty() {
            indexer.waits_no_longer(work.untold.len() as u64);
            work.untold.clear();
            explain.tell(Explained::Indexed { outcome: "the model came to its limit of tokens" });
        }
        let Some(path) = work.untold.pop_front() else { return };
        drop(work);
        indexer.waits_no_longer(1);
        // Of what cannot be read nothing is told.
        let Ok(Some(file)) = index.untold(&path, &indexer.model()) else { return };
        let thread = self.thread.get_or_insert_with(|| start_telling(shared, &indexer, explain));
        let mut work = shared.work.lock().expect("no holder of this lock panics");
        work.is_telling = thread.0.send(file).is_ok();
    }

    /// Waits for the thread, which ends soon once the index is closed.
    fn end(self) {
        if let Some((files, thread)) = self.thread {
            drop(files);
            let _ = thread.join();
        }
    }
}

fn start_telling(
    shared: &Arc<Shared>,
    indexer: &Arc<Indexer>,
    explain: &Explain,
) -> (Sender<Untold>, JoinHandle<()>) {
    let (sender, files) = mpsc::channel::<Untold>();
    let (shared, indexer, explain) = (Arc::clone(shared), Arc::clone(indexer), explain.clone());
    let thread = thread::spawn(move || {
        for file in files {
            let closed = || shared.work.lock().expect("no holder of this lock panics").closed;
            let said = indexer.said(&file, &closed);
            let outcome = match &said {
                Some(Said { summaries, relations }) => format!(
                    "a model says {} things and {} relations of {}",
                    summaries.len(),
                    relations.len(),
                    file.path
                ),
                None => format!("a model says nothing of {}", file.path),
            };
            explain.tell(Explained::Indexed { outcome: &outcome });
            let mut work = shared.work.lock().expect("no holder of this lock panics");
            let keep = said.map(|said| Question::Keep(file.hash, indexer.model(), said.into()));
            work.questions.extend(keep);
            work.is_telling = false;
            drop(work);
            shared.arrived.notify_all();
        }
    });
    (sender, thread)
}

/// What an update came to.
fn told(summary: &Summary) -> String {
    let Summary { indexed, unchanged, removed, passed_by, waiting, .. } = summary;
    format!(
        "of the files that were read {indexed} are indexed anew, {unchanged} are as they were, \
         {passed_by} passed by, {removed} gone; {waiting} wait for vectors"
    )
}

#[cfg(test)]
mod tests;
