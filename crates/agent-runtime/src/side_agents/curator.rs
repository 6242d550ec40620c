//! A curator that asks a model which lines of files to show.
//!
//! The model is asked about files that are read. If it fails, the built-in curator chooses instead.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use foveal_agent::SideModelRole;
use foveal_engine::views::model_curator::{
    ANSWER_TOKENS_MAX, CompletionError, CompletionModel, CurationRequest, ModelCurator, TEMPERATURE,
};
use foveal_engine::views::{
    CurationProgress, CurationRecord, LineSelection, ProgressListener, ReadContext, ReadText,
    ViewRequest, ViewSource,
};
use foveal_redaction::redact_text;
use foveal_relevance::curated_view_source::entity_labels;
use foveal_store::ContentStore;
use foveal_tools::clock::{Clock, SystemClock};
use serde_json::{Value, json};

use super::side_agent::{
    AnswerListener, AnswerProgress, SideAgent, SideAgentError, SideAgentSpec, SideAnswer,
    SideModelConnection, SideQuestion,
};
use super::side_bill::SideBill;
use super::waiting_request::WaitingRequest;

const CURATOR_SPEC: SideAgentSpec = SideAgentSpec {
    kind: SideModelRole::Curator,
    schema: ("line_ranges", answer_schema),
    temperature: TEMPERATURE,
    output_tokens: ANSWER_TOKENS_MAX as u64,
    answer_timeout: Duration::from_secs(30),
    failure_pause: Duration::from_secs(120),
};

/// The time-out of all answers about one file together.
const FILE_TIMEOUT: Duration = Duration::from_secs(60);

/// The most reasoning about one file that is stored, in bytes.
const REASONING_BYTES_MAX: usize = 256 << 10;

/// A model that is asked which lines of files to show.
#[derive(Debug)]
pub struct SideCurator {
    agent: SideAgent,
    /// The model is asked only about files with more lines than this.
    lines_threshold: u32,
    reasoning_store: ReasoningStore,
}

/// The store that keeps the model's reasoning.
struct ReasoningStore(Arc<dyn ContentStore>);

impl std::fmt::Debug for ReasoningStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keeper")
    }
}

impl SideCurator {
    /// Creates a curator from the model that the user named. It is asked about files of more than
    /// `longer_than` lines; its reasoning is kept in `store`, and its costs count towards `bill`.
    pub fn new(
        connection: SideModelConnection,
        longer_than: u32,
        store: Arc<dyn ContentStore>,
        bill: Option<&Arc<SideBill>>,
    ) -> Self {
        let agent = SideAgent::new(CURATOR_SPEC, connection, bill);
        Self { agent, lines_threshold: longer_than, reasoning_store: ReasoningStore(store) }
    }

    /// Returns whether it must not be asked now.
    pub(super) fn is_paused(&self) -> bool {
        self.agent.is_paused()
    }

    /// Returns the model's view of a read; `None` if it is not asked about the read, or fails. If
    /// the read is very long, the model sees only the lines that `before` chooses.
    pub(super) fn curate_read(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        before: &Arc<dyn ViewSource>,
        watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        if matches!(wanted, ViewRequest::Summary(_)) {
            return None;
        }
        match self.reason_not_to_ask(read.text.line_count()) {
            Some(reason) => {
                (watch.report)(CurationProgress::LeftOut(reason));
                None
            }
            None => self.ask_for_view(read, wanted, before, watch),
        }
    }

    /// Returns the reason why the model is not asked about a file of `lines` lines, if there is one.
    fn reason_not_to_ask(&self, lines: usize) -> Option<String> {
        let least = self.lines_threshold;
        if lines <= least as usize {
            return Some(format!(
                "the file has {lines} lines, and the model is asked about files of more than {least}"
            ));
        }
        self.agent.pause_reason().map(|reason| format!("the model is not asked, since {reason}"))
    }

    /// Asks the model for a view of a read; `None` if it fails.
    fn ask_for_view(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        before: &Arc<dyn ViewSource>,
        watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        let begun = Instant::now();
        let about = FileCuration {
            agent: &self.agent,
            started: begun,
            progress: watch,
            answers: Mutex::default(),
            has_reasoned: AtomicBool::new(false),
        };
        (watch.report)(CurationProgress::Waits);
        // Secrets are replaced line by line, so that line numbers stay valid.
        let text = redact_text(read.text);
        let told = ReadContext { text: &ReadText::from(&*text), ..*read };
        let views = ModelCurator::new(&about).with_preselector(Arc::clone(before));
        let curation = match views.curate(&told, wanted) {
            Ok(curation) => curation,
            Err(fallback) => {
                (watch.report)(CurationProgress::LeftOut(fallback.to_string()));
                return None;
            }
        };
        let heard = about.answers.into_inner().unwrap_or_else(PoisonError::into_inner);
        let by = Box::new(CurationRecord {
            model: self.agent.model.as_str().into(),
            time_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
            tokens: heard.iter().fold(0, |sum, answered| sum.saturating_add(answered.tokens)),
            lines: curation.lines,
            lines_kept: curation.lines_kept,
            thinking: self
                .reasoning_store
                .store_reasoning(heard.into_iter().map(|answered| answered.reasoning)),
        });
        (watch.report)(CurationProgress::Chose(by.clone()));
        let names = entity_labels(read.path, read.text, read.first);
        Some(LineSelection { by: Some(by), names, ..curation.into_view() })
    }
}

impl ReasoningStore {
    /// Stores the model's reasoning; returns its handle, or `None` if there is no reasoning or it
    /// cannot be stored.
    fn store_reasoning(
        &self,
        thoughts: impl Iterator<Item = String>,
    ) -> Option<foveal_transcript::Handle> {
        let thoughts: Vec<String> =
            thoughts.filter(|thinking| !thinking.trim().is_empty()).collect();
        let mut text = thoughts.join("\n\n");
        text.truncate(text.floor_char_boundary(REASONING_BYTES_MAX));
        if text.is_empty() {
            return None;
        }
        Some(self.0.put_content(None, text.as_bytes(), SystemClock.now()).ok()?.handle)
    }
}

/// The questions about one file.
struct FileCuration<'a> {
    agent: &'a SideAgent,
    started: Instant,
    progress: ProgressListener<'a>,
    answers: Mutex<Vec<SideAnswer>>,
    /// Whether reasoning about a part of the file was reported.
    has_reasoned: AtomicBool,
}

impl CompletionModel for &FileCuration<'_> {
    fn complete(&self, request: &CurationRequest) -> Result<String, CompletionError> {
        // Earlier messages may hold secrets, too.
        let user = redact_text(&request.user);
        let answered = self.ask_model(&request.system, &user)?;
        let text = answered.text.clone();
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push(answered);
        Ok(text)
    }
}

impl FileCuration<'_> {
    fn ask_model(&self, system: &str, user: &str) -> Result<SideAnswer, CompletionError> {
        let time = FILE_TIMEOUT.saturating_sub(self.started.elapsed());
        let question = SideQuestion { system, user, timeout: time };
        let is_begun = AtomicBool::new(false);
        let hear = |heard: AnswerProgress| {
            (self.progress.report)(match heard {
                AnswerProgress::Silence => CurationProgress::Waits,
                AnswerProgress::Reasoning(text) => {
                    let is_first = !is_begun.swap(true, Ordering::Relaxed);
                    let is_next_part = is_first && self.has_reasoned.swap(true, Ordering::Relaxed);
                    let gap = if is_next_part { "\n\n" } else { "" };
                    CurationProgress::Thinks(format!("{gap}{text}"))
                }
                AnswerProgress::Text(text) => CurationProgress::Answers(text),
            });
        };
        let listener =
            AnswerListener { on_progress: &hear, is_cancelled: self.progress.is_cancelled };
        self.agent.ask_model(question, &listener).map_err(|why| match why {
            SideAgentError::TimedOut => CompletionError::TimedOut,
            SideAgentError::Cancelled => CompletionError::Cancelled,
            why @ SideAgentError::OverLimit => CompletionError::Failed { message: why.to_string() },
            SideAgentError::Failed(message) => CompletionError::Failed { message },
        })
    }
}

/// Returns the JSON schema of an answer.
fn answer_schema() -> Value {
    let number = json!({"type": "integer"});
    let range = json!({
        "type": "object",
        "properties": {"start": number, "end": number, "reason": {"type": "string"}},
        "required": ["start", "end", "reason"],
        "additionalProperties": false,
    });
    json!({
        "type": "object",
        "properties": {
            "line_ranges": {"type": "array", "items": range},
            "summary": {"type": "string"},
            "preserved_percentage": {"type": "number"},
        },
        "required": ["line_ranges", "summary", "preserved_percentage"],
        "additionalProperties": false,
    })
}

/// Views by a model, and by `fallback` if it does not answer.
#[derive(Debug)]
pub struct CuratorWithFallback {
    curator: Arc<SideCurator>,
    fallback: Arc<dyn ViewSource>,
}

impl CuratorWithFallback {
    /// Creates views of `model` with this fallback.
    pub fn new(model: &Arc<SideCurator>, fallback: Arc<dyn ViewSource>) -> Self {
        Self { curator: Arc::clone(model), fallback }
    }
}

impl ViewSource for CuratorWithFallback {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.choose_view_with_progress(read, wanted, ProgressListener::IGNORED)
    }

    fn choose_view_with_progress(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
        watch: ProgressListener<'_>,
    ) -> Option<LineSelection> {
        let chosen = self.curator.curate_read(read, wanted, &self.fallback, watch);
        chosen.or_else(|| self.fallback.choose_view(read, wanted))
    }

    fn choose_views(&self, reads: &[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>> {
        match reads.iter().any(|(_, wanted)| matches!(wanted, ViewRequest::Curated(_))) {
            true => reads.iter().map(|(read, wanted)| self.choose_view(read, *wanted)).collect(),
            false => self.fallback.choose_views(reads),
        }
    }

    fn supports_prefetch(&self) -> bool {
        self.fallback.supports_prefetch()
    }

    fn announce_read(&self, read: &ReadContext<'_>, wanted: ViewRequest) {
        self.fallback.announce_read(read, wanted);
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        self.fallback.predict_views(reads, go_on)
    }
}

/// Receives the curation progress of each read: the id of the call that read, the path, and the
/// progress.
pub(crate) type ReadProgressCallback = dyn Fn(&str, &str, CurationProgress) + Send + Sync;

/// A [`ViewSource`] that reports the progress of each view to the caller.
pub(crate) struct ObservedViews {
    views: Arc<dyn ViewSource>,
    on_progress: Box<ReadProgressCallback>,
    waiting: Arc<WaitingRequest>,
}

impl ObservedViews {
    /// Reports the progress of each read to `tell`, until `waiting` is cancelled.
    pub(crate) fn new(
        views: Arc<dyn ViewSource>,
        on_progress: Box<ReadProgressCallback>,
        waiting: Arc<WaitingRequest>,
    ) -> Self {
        Self { views, on_progress, waiting }
    }
}

impl std::fmt::Debug for ObservedViews {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ObservedViews").field("views", &self.views).finish_non_exhaustive()
    }
}

impl ViewSource for ObservedViews {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        let entry = read.record.entries().get(read.upto.as_usize());
        let call = entry.and_then(|entry| entry.tool_result()).map(|result| result.call.as_str());
        let tell = |work| (self.on_progress)(call.unwrap_or_default(), read.path, work);
        let stops = self.waiting.cancel_count();
        let is_over = || self.waiting.cancel_count() != stops;
        let watch = ProgressListener { report: &tell, is_cancelled: &is_over };
        self.views.choose_view_with_progress(read, wanted, watch)
    }

    fn choose_views(&self, reads: &[(ReadContext<'_>, ViewRequest)]) -> Vec<Option<LineSelection>> {
        self.views.choose_views(reads)
    }

    fn supports_prefetch(&self) -> bool {
        self.views.supports_prefetch()
    }

    fn announce_read(&self, read: &ReadContext<'_>, wanted: ViewRequest) {
        self.views.announce_read(read, wanted);
    }

    fn predict_views(
        &self,
        reads: &[(ReadContext<'_>, ViewRequest)],
        go_on: &dyn Fn() -> bool,
    ) -> Vec<Option<LineSelection>> {
        self.views.predict_views(reads, go_on)
    }
}
