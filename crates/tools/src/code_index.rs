//! The indexes of the roots, kept up to date in the background and asked from any session.

mod indexer;
mod kept;

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
pub use self::kept::Open;
use self::kept::{Answered, Kept};
use crate::control::{self, Control};
use crate::error::ToolError;
use crate::explain::{Explain, Explained};

/// The longest wait between two looks at the cancellation token.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

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
    pub(crate) missing: Missing,
}

/// What answers lack.
#[derive(Debug, Default)]
pub(crate) struct Missing {
    /// Roots whose index failed, and why; `None` for the first.
    pub(crate) failed: Vec<(Option<PathBuf>, ToolError)>,
    /// Roots with files, by path, whose changes are not known yet, since another process holds the
    /// index.
    pub(crate) behind: Vec<(Option<PathBuf>, Vec<String>)>,
}

impl Missing {
    pub(crate) fn is_nothing(&self) -> bool {
        self.failed.is_empty() && self.behind.is_empty()
    }

    /// What there is of an answer, if there is one.
    ///
    /// # Errors
    /// If the caller stopped it.
    fn but<T>(
        &mut self,
        root: Option<&PathBuf>,
        answered: Result<Answered<T>, ToolError>,
    ) -> Result<Option<T>, ToolError> {
        match answered {
            Ok(Answered { answer, behind }) => {
                self.behind.extend((!behind.is_empty()).then(|| (root.cloned(), behind)));
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

/// How everything in all roots is related.
#[derive(Debug)]
pub(crate) struct RelatedInRoots {
    /// The relations of each root; `None` for the first.
    pub(crate) relations: Vec<(Option<PathBuf>, Arc<Relations>)>,
    pub(crate) missing: Missing,
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
                Ok(said) => all.push((root.cloned(), said.answer)),
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
        let (mut hits, mut missing) = (Vec::new(), Missing::default());
        for (root, index) in [(None, &self.first)].into_iter().chain(others) {
            let ask = |reply| Question::Search(query.to_owned(), options.clone(), reply);
            if let Some(found) = missing.but(root, index.ask(ask, control))? {
                hits.extend(weighed(found).map(|hit| (root.cloned(), hit)));
            }
        }
        if missing.failed.len() > self.others.len()
            && let Some((_, error)) = missing.failed.pop()
        {
            return Err(error);
        }
        // Those of one root stay in their order.
        hits.sort_by(|(_, one), (_, other)| other.0.total_cmp(&one.0));
        hits.truncate(options.limit);
        let hits = hits.into_iter().map(|(root, (_, hit))| (root, hit)).collect();
        Ok(FoundInRoots { hits, missing })
    }

    /// How everything in each root is related, of files as they are now, with the root of
    /// each; `None` for the first. The first question waits until the indexes are made.
    ///
    /// # Errors
    /// If the caller stops it, or no index can be read.
    pub(crate) fn relations(&self, control: &Control<'_>) -> Result<RelatedInRoots, ToolError> {
        let others = self.others.iter().map(|(root, index)| (Some(root), index));
        let (mut relations, mut missing) = (Vec::new(), Missing::default());
        for (root, index) in [(None, &self.first)].into_iter().chain(others) {
            let related = missing.but(root, index.ask(Question::Relations, control))?;
            relations.extend(related.map(|related| (root.cloned(), related)));
        }
        if relations.is_empty()
            && let Some((_, error)) = missing.failed.pop()
        {
            return Err(error);
        }
        Ok(RelatedInRoots { relations, missing })
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
    Done(Result<Answered<T>, IndexError>),
}

impl Question {
    fn answer(self, kept: &mut Kept, cancel: &Cancel<'_>) {
        match self {
            Self::Search(query, options, reply) => {
                let found = |index: &mut Index| index.search(&query, &options);
                answer(kept, cancel, &reply, found);
            }
            Self::Relations(reply) => answer(kept, cancel, &reply, Index::relations),
            Self::Said(reply) => answer(kept, cancel, &reply, Index::said),
            // What cannot be kept is asked for when the file is read again.
            Self::Keep(hash, model, said) => drop(kept.index.put_said(hash, &model, &said)),
        }
    }
}

/// Answers it from files as they are now. Who asked may have gone.
fn answer<T>(
    kept: &mut Kept,
    cancel: &Cancel<'_>,
    reply: &Sender<Reply<T>>,
    question: impl Fn(&mut Index) -> Result<T, IndexError>,
) {
    let mut tell = |progress| drop(reply.send(Reply::Progress(progress)));
    let answered = kept.ask(&question, &mut tell, cancel);
    drop(reply.send(Reply::Done(answered)));
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
    ) -> Result<Answered<T>, ToolError> {
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
        kept.try_again(Instant::now());
        touched.iter().for_each(|path| kept.index.touch(path));
        let closed = || shared.work.lock().expect("no holder of this lock panics").closed;
        match question {
            Some(asked) => asked.answer(&mut kept, &Cancel::when(&closed)),
            None => {
                let busy = || {
                    let work = shared.work.lock().expect("no holder of this lock panics");
                    work.closed || !work.questions.is_empty()
                };
                if !touched.is_empty() {
                    // What fails here fails again where somebody asks, and is told there.
                    let outcome = match kept.read_touched(&Cancel::when(&busy)) {
                        Ok(summary) => told(&summary),
                        Err(error) => format!("files that were read are not indexed: {error}"),
                    };
                    explain.tell(Explained::Indexed { outcome: &outcome });
                }
                teller.tell_next(shared, &mut kept.index, &explain);
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
