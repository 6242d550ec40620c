//! A model that summarises files for the index in the background: one file at a time, only files
//! that were read, and within a token budget. Files without an answer stay without a summary.

use std::fmt;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use foveal_index::{EntitySummary, ModelSummary, SummaryJob, SummaryPart, SummaryPrompt};
use serde::Serialize;

/// A question to the model about a file. Each is asked without the text of the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexerPhase {
    /// A one-line summary of each entity.
    Summaries,
    /// Relations between the entities beyond those of the syntax.
    Relations,
}

/// The model's answer to a question, and the tokens it took.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IndexerAnswer {
    /// The text of the answer; `None` if there was none.
    pub text: Option<String>,
    /// Tokens of the question and the answer, or of the question alone if it was accepted but not
    /// answered.
    pub tokens: u64,
    /// Whether the model must not be asked again, for a reason on the caller's side.
    pub is_last: bool,
}

/// Callbacks of the indexer that waits for an answer.
pub struct IndexerListener<'a> {
    /// Receives the model's reasoning, piece by piece.
    pub on_reasoning: &'a (dyn Fn(&str) + Sync),
    /// Returns whether nobody needs the answer any more.
    pub is_over: &'a (dyn Fn() -> bool + Sync),
}

/// Sends a question to a model and waits for the answer.
pub type IndexerModelFn =
    dyn Fn(IndexerPhase, &SummaryPrompt, &IndexerListener<'_>) -> IndexerAnswer + Send + Sync;

/// Most bytes of the model's reasoning that are held; the oldest are dropped.
const REASONING_BYTES_MAX: usize = 64 << 10;

/// The model's reasoning about all files, with the number of bytes dropped from its beginning.
#[derive(Debug, Default)]
struct ReasoningLog {
    text: String,
    dropped: usize,
}

impl ReasoningLog {
    fn push(&mut self, piece: &str) {
        self.text.push_str(piece);
        let over = self.text.len().saturating_sub(REASONING_BYTES_MAX);
        let over = self.text.ceil_char_boundary(over);
        self.text.drain(..over);
        self.dropped += over;
    }

    fn end(&self) -> usize {
        self.dropped + self.text.len()
    }
}

/// Most files that wait for the model; files beyond are dropped.
pub(super) const WAITING_FILES_MAX: usize = 200;

/// How often one question is asked before the file is given up.
const TRIES_MAX: u32 = 2;

/// The progress of a model that summarises files.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct IndexerState {
    /// The name of the model.
    pub model: String,
    /// Files that wait for the model.
    pub waiting: u64,
    /// The file that the model is asked about, if need be once it can be asked again.
    pub running: Option<String>,
    /// Files that have a summary now.
    pub told: u64,
    /// Files for which the model gave no usable answer.
    pub failed: u64,
    /// Tokens of all questions and answers.
    pub tokens: u64,
    /// The token budget; once it is spent, no further question is asked.
    pub tokens_max: u64,
}

impl IndexerState {
    /// Returns whether the token budget is spent.
    pub fn is_budget_spent(&self) -> bool {
        self.tokens >= self.tokens_max
    }
}

/// A model that summarises files for the index.
pub struct Indexer {
    ask_model: Box<IndexerModelFn>,
    state: Mutex<IndexerState>,
    reasoning: Mutex<ReasoningLog>,
    /// Files that wait, over all roots.
    waiting: AtomicU64,
    /// Whether the model must not be asked again.
    is_stopped: AtomicBool,
}

impl Indexer {
    /// Creates an indexer for the model of this name, which `ask` queries, with a budget of
    /// `tokens_max` tokens.
    pub fn new(model: String, tokens_max: u64, ask: Box<IndexerModelFn>) -> Arc<Self> {
        let state = IndexerState { model, tokens_max, ..IndexerState::default() };
        let (waiting, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        let (state, reasoning) = (Mutex::new(state), Mutex::default());
        Arc::new(Self { ask_model: ask, state, reasoning, waiting, is_stopped })
    }

    /// Returns the progress so far.
    pub fn state(&self) -> IndexerState {
        let waiting = self.waiting.load(Ordering::Relaxed);
        IndexerState { waiting, ..self.lock().clone() }
    }

    /// Returns the model's reasoning since the byte `from`, and the byte to continue from.
    pub fn reasoning_since(&self, from: usize) -> (String, usize) {
        let log = self.reasoning_log();
        let new = log.text.get(from.saturating_sub(log.dropped)..).unwrap_or_default();
        (new.to_owned(), log.end())
    }

    fn reasoning_log(&self) -> std::sync::MutexGuard<'_, ReasoningLog> {
        self.reasoning.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn model(&self) -> String {
        self.lock().model.clone()
    }

    pub(super) fn is_finished(&self) -> bool {
        self.is_stopped() || self.lock().is_budget_spent()
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    pub(super) fn add_waiting(&self, more: u64) {
        self.waiting.fetch_add(more, Ordering::Relaxed);
    }

    pub(super) fn remove_waiting(&self, fewer: u64) {
        self.waiting.fetch_sub(fewer, Ordering::Relaxed);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, IndexerState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the model's summary of a file; `None` if there is no usable answer.
    pub(super) fn summarize_file(
        &self,
        file: &SummaryJob,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<ModelSummary> {
        self.lock().running = Some(file.path.clone());
        // A panic about one file must not end the summaries of others.
        let said = panic::catch_unwind(AssertUnwindSafe(|| self.ask_about_parts(file, is_over)));
        let said = said.unwrap_or_default();
        let mut state = self.lock();
        state.running = None;
        match said {
            Some(_) => state.told += 1,
            // The model was not asked about this file.
            None if self.is_stopped() => {}
            None => state.failed += 1,
        }
        said
    }

    /// Asks about each part of a file. Parts without a usable answer stay without summaries.
    fn ask_about_parts(
        &self,
        file: &SummaryJob,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<ModelSummary> {
        let mut all: Option<ModelSummary> = None;
        for part in file.parts() {
            if all.is_some() && (self.is_finished() || is_over()) {
                break;
            }
            let said = self.ask_both_phases(part, is_over);
            if said.is_none() && all.is_none() {
                return None;
            }
            let (said, all) = (said.unwrap_or_default(), all.get_or_insert_default());
            all.summaries.extend(said.summaries);
            all.relations.extend(said.relations);
        }
        all
    }

    fn ask_both_phases(
        &self,
        part: SummaryPart<'_>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<ModelSummary> {
        let question = part.summaries_prompt();
        let read = |answer: &str| part.parse_summaries(answer);
        let summaries: Vec<EntitySummary> =
            self.ask_until_parsed(IndexerPhase::Summaries, question, &read, is_over)?;
        if summaries.is_empty() || self.is_finished() {
            return Some(ModelSummary { summaries, relations: Vec::new() });
        }
        let question = part.relations_prompt(&summaries);
        let read = |answer: &str| part.parse_relations(&summaries, answer);
        // Summaries are useful without relations.
        let relations = self.ask_until_parsed(IndexerPhase::Relations, question, &read, is_over);
        let relations = relations.unwrap_or_default();
        Some(ModelSummary { summaries, relations })
    }

    /// Repeats a question until its answer can be parsed, at most [`TRIES_MAX`] times.
    fn ask_until_parsed<T>(
        &self,
        phase: IndexerPhase,
        mut question: SummaryPrompt,
        read: &dyn Fn(&str) -> Option<T>,
        is_over: &(dyn Fn() -> bool + Sync),
    ) -> Option<T> {
        for _ in 0..TRIES_MAX {
            let start = self.reasoning_log().end();
            let on_reasoning = |piece: &str| {
                let mut log = self.reasoning_log();
                if log.end() == start && start > 0 {
                    log.push("\n\n");
                }
                log.push(piece);
            };
            let listener = IndexerListener { on_reasoning: &on_reasoning, is_over };
            let answer = (self.ask_model)(phase, &question, &listener);
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

    fn untold() -> (tempfile::TempDir, SummaryJob) {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("a.rs");
        std::fs::write(&file, "pub fn zorp() {}\n").expect("a file");
        let mut index = Index::in_memory(folder.path(), None).expect("an index");
        index.update(&mut |_| (), &foveal_transcript::CancelToken::NEVER).expect("files");
        let untold =
            index.summary_job(&file, "small").expect("a file").expect("nothing is told of it");
        (folder, untold)
    }

    #[test]
    fn what_was_taken_and_not_answered_counts_as_well() {
        let (_folder, file) = untold();
        let ask = |_: IndexerPhase, _: &SummaryPrompt, _: &IndexerListener<'_>| IndexerAnswer {
            tokens: 60,
            ..IndexerAnswer::default()
        };
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert!(indexer.summarize_file(&file, &|| false).is_none() && !indexer.is_finished());
        assert!(indexer.summarize_file(&file, &|| false).is_none() && indexer.is_finished());
        let state = indexer.state();
        assert_eq!((state.tokens, state.failed, state.told), (120, 2, 0));
    }

    #[test]
    fn reasoning_is_bounded_and_read_from_where_the_reader_stopped() {
        let (_folder, file) = untold();
        let ask = |_: IndexerPhase, _: &SummaryPrompt, listener: &IndexerListener<'_>| {
            (listener.on_reasoning)("It ");
            (listener.on_reasoning)("doubles.");
            IndexerAnswer { text: Some("none".to_owned()), ..IndexerAnswer::default() }
        };
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert_eq!(indexer.reasoning_since(0), (String::new(), 0));
        indexer.summarize_file(&file, &|| false);
        let (text, end) = indexer.reasoning_since(0);
        assert_eq!((text.as_str(), end), ("It doubles.\n\nIt doubles.", 24));
        assert_eq!(indexer.reasoning_since(16), ("doubles.".to_owned(), end));
        indexer.reasoning_log().push(&"é".repeat(REASONING_BYTES_MAX));
        let (text, end) = indexer.reasoning_since(end);
        assert_eq!((text.len(), end), (REASONING_BYTES_MAX, 24 + 2 * REASONING_BYTES_MAX));
    }

    #[test]
    fn whoever_asks_may_end_it() {
        let (_folder, file) = untold();
        let ask = |_: IndexerPhase, _: &SummaryPrompt, _: &IndexerListener<'_>| IndexerAnswer {
            is_last: true,
            ..IndexerAnswer::default()
        };
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert!(indexer.summarize_file(&file, &|| false).is_none() && indexer.is_finished());
        assert_eq!((indexer.state().failed, indexer.state().tokens), (0, 0));
    }

    #[test]
    fn a_panic_is_a_file_of_which_nothing_is_told() {
        let (_folder, file) = untold();
        let ask = |_: IndexerPhase, _: &SummaryPrompt, _: &IndexerListener<'_>| panic!("a fault");
        let indexer = Indexer::new("small".to_owned(), 100, Box::new(ask));
        assert!(indexer.summarize_file(&file, &|| false).is_none());
        let state = indexer.state();
        assert_eq!((state.running, state.failed), (None, 1));
    }
}
