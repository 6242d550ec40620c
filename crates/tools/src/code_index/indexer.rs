//! A model that reads files into the index, beside everything else: one file at a time, those that
//! were read, and no further than its budget. Whatever it does not answer is not there.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_index::{Said, SaidQuestion, ThingSummary, Untold};
use serde::Serialize;

/// What a model is asked about a file, each without the other's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// A line on each thing in it.
    Summaries,
    /// How these are related beside what their syntax shows.
    Relations,
}

/// What came of a question, and the tokens that it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexerAnswer {
    /// What the model says; `None` where no answer came.
    pub text: Option<String>,
    /// Of question and answer, or of a question that was taken and not answered.
    pub tokens: u64,
    /// Whether nothing more may be asked, for a reason of whoever asks.
    pub is_last: bool,
}

/// Asks a model while the caller waits, until nobody waits any longer.
pub type AskIndexer =
    dyn Fn(Phase, &SaidQuestion, &(dyn Fn() -> bool + Sync)) -> IndexerAnswer + Send + Sync;

/// Files that wait to be asked about; of more the first that were read stay.
pub(super) const UNTOLD_MAX: usize = 200;

/// How often one question is asked.
const TRIES_MAX: u32 = 2;

/// How far a model has come that reads files into the index.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexerState {
    /// The model.
    pub model: String,
    /// Files that wait to be asked about.
    pub waiting: u64,
    /// The file that it is asked about, if need be once it can be asked again.
    pub running: Option<String>,
    /// Files that it was asked about and that are told of now.
    pub told: u64,
    /// Files about which nothing came.
    pub failed: u64,
    /// Tokens of all questions and answers.
    pub tokens: u64,
    /// It is asked no more once it came to so many.
    pub tokens_max: u64,
}

impl IndexerState {
    /// Whether it came to all that it may.
    pub fn is_over(&self) -> bool {
        self.tokens >= self.tokens_max
    }
}

/// A model that reads files into the index.
pub struct Indexer {
    ask: Box<AskIndexer>,
    state: Mutex<IndexerState>,
    /// Files that wait, of all roots.
    waiting: AtomicU64,
    /// Whether whoever asks it may ask nothing more.
    is_stopped: AtomicBool,
}

impl Indexer {
    /// The model of this name, asked by `ask`, for at most so many tokens.
    pub fn new(model: String, tokens_max: u64, ask: Box<AskIndexer>) -> Arc<Self> {
        let state = IndexerState { model, tokens_max, ..IndexerState::default() };
        let (waiting, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        Arc::new(Self { ask, state: Mutex::new(state), waiting, is_stopped })
    }

    /// How far it has come.
    pub fn state(&self) -> IndexerState {
        let waiting = self.waiting.load(Ordering::Relaxed);
        IndexerState { waiting, ..self.lock().clone() }
    }

    pub(super) fn model(&self) -> String {
        self.lock().model.clone()
    }

    pub(super) fn is_over(&self) -> bool {
        self.is_stopped() || self.lock().is_over()
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(super) fn waits(&self, more: u64) {
        self.waiting.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn waits_no_longer(&self, fewer: u64) {
        self.waiting.fetch_sub(fewer, Ordering::Relaxed);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, IndexerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What the model says of a file; `None` where nothing came of it.
    pub(super) fn said(&self, file: &Untold, is_over: &(dyn Fn() -> bool + Sync)) -> Option<Said> {
        self.lock().running = Some(file.path.clone());
        // Other files are told of all the same.
        let said = panic::catch_unwind(AssertUnwindSafe(|| self.both(file, is_over)));
        let said = said.unwrap_or_default();
        let mut state = self.lock();
        state.running = None;
        match said {
            Some(_) => state.told += 1,
            // Nobody was asked about it.
            None if self.is_stopped() => {}
            None => state.failed += 1,
        }
        said
    }

    fn both(&self, file: &Untold, is_over: &(dyn Fn() -> bool + Sync)) -> Option<Said> {
        let question = file.summaries_question();
        let read = |answer: &str| file.summaries(answer);
        let summaries: Vec<ThingSummary> =
            self.asked((Phase::Summaries, question), &read, is_over)?;
        if summaries.is_empty() || self.is_over() {
            return Some(Said { summaries, relations: Vec::new() });
        }
        let question = file.relations_question(&summaries);
        let read = |answer: &str| file.relations(&summaries, answer);
        // Without relations the summaries are worth as much.
        let relations = self.asked((Phase::Relations, question), &read, is_over);
        let relations = relations.unwrap_or_default();
        Some(Said { summaries, relations })
    }

    /// Asks one question until its answer can be read.
    fn asked<T>(
        &self,
        (phase, mut question): (Phase, SaidQuestion),
        read: &dyn Fn(&str) -> Option<T>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<T> {
        for _ in 0..TRIES_MAX {
            let answer = (self.ask)(phase, &question, is_over);
            self.is_stopped.fetch_or(answer.is_last, Ordering::Relaxed);
            let mut state = self.lock();
            state.tokens = state.tokens.saturating_add(answer.tokens);
            drop(state);
            if let Some(read) = read(&answer.text?) {
                return Some(read);
            }
            question.user.push_str(
                "\nYour last answer holds no JSON object of the form that was asked for. Answer \
                 again.\n",
            );
        }
        None
    }
}

impl fmt::Debug for Indexer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Indexer").field("state", &self.state()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use foveal_index::Index;

    fn untold() -> (tempfile::TempDir, Untold) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.rs");
        std::fs::write(&file, "pub fn zorp() {}\n").expect("a file");
        let mut index = Index::in_memory(folder.path(), None).expect("an index");
        index.update(&mut |_| (), &foveal_cancel::Cancel::NEVER).expect("files");
        let untold = index.untold(&file, "small").expect("a file").expect("nothing is told of it");
        (folder, untold)
    }

    #[test]
    fn what_was_taken_and_not_answered_counts_as_well() {
        let (_folder, file) = untold();
        let ask = |_: Phase, _: &SaidQuestion, _: &(dyn Fn() -> bool + Sync)| IndexerAnswer {
            tokens: 60,
            ..IndexerAnswer::default()
        };
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert!(indexer.said(&file, &|| false).is_none() && !indexer.is_over());
        assert!(indexer.said(&file, &|| false).is_none() && indexer.is_over());
        let state = indexer.state();
        assert_eq!((state.tokens, state.failed, state.told), (120, 2, 0));
    }

    #[test]
    fn whoever_asks_may_end_it() {
        let (_folder, file) = untold();
        let ask = |_: Phase, _: &SaidQuestion, _: &(dyn Fn() -> bool + Sync)| IndexerAnswer {
            is_last: true,
            ..IndexerAnswer::default()
        };
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert!(indexer.said(&file, &|| false).is_none() && indexer.is_over());
        assert_eq!((indexer.state().failed, indexer.state().tokens), (0, 0));
    }

    #[test]
    fn a_panic_is_a_file_of_which_nothing_is_told() {
        let (_folder, file) = untold();
        let ask = |_: Phase, _: &SaidQuestion, _: &(dyn Fn() -> bool + Sync)| panic!("a fault");
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert!(indexer.said(&file, &|| false).is_none());
        let state = indexer.state();
        assert_eq!((state.running, state.failed), (None, 1));
    }
}
