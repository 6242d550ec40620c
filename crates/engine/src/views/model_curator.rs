//! A curator that asks a model which lines of a file matter to the conversation.
//!
//! The model receives the last messages and the file with line numbers, and answers with ranges as
//! JSON. The answer is untrusted data: ranges are clipped and merged, ranges outside of the file
//! are skipped, and the preserved share is counted. If the answer is unusable, a [`CurationError`]
//! says why, and the file is shown in full.

mod answer_parser;
mod curation;
mod read_parts;
mod request;
mod view_remarks;

use std::fmt;
use std::sync::Arc;

use foveal_pricing::tokens::Tokens;

use super::line_selection::{CurationAmount, LineSelection, ViewRequest};
use super::view_source::{ReadContext, ViewSource};

pub use self::curation::{Curation, RangeReason, UnusableAnswer};
pub use request::{CurationRequest, TEMPERATURE};

/// An error of a request to a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CompletionError {
    /// The model took too long.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The caller stopped waiting.
    #[error("the question was taken back")]
    Cancelled,
    /// The request could not be sent, or the server failed.
    #[error("the model could not be asked: {message}")]
    Failed {
        /// The client's error message.
        message: String,
    },
}

/// A model, or a substitute for one. Calls block until the answer is complete.
pub trait CompletionModel: Send + Sync {
    /// Returns the answer to one request, without the model's thinking.
    ///
    /// # Errors
    /// [`CompletionError`] if there is no answer.
    fn complete(&self, request: &CurationRequest) -> Result<String, CompletionError>;
}

/// The reason why a file is shown as without a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CurationError {
    /// Summaries of old reads are not requested from models: a rewrite needs many at once.
    #[error("a model is asked only about files that are read")]
    UnsupportedRequest,
    /// The file and the messages do not fit the model's context.
    #[error("the file takes {} tokens, and the model is asked about {} at most", tokens.0, tokens_max.0)]
    TooLong {
        /// The size of the request.
        tokens: Tokens,
        /// The part of the context that is not reserved for the answer.
        tokens_max: Tokens,
    },
    /// The request failed.
    #[error(transparent)]
    RequestFailed(#[from] CompletionError),
    /// The model answered with an error.
    #[error("the model answered with an error: {message}")]
    ModelReportedError {
        /// The model's message, truncated.
        message: String,
    },
    /// No answer was usable.
    #[error("{unusable}, {attempts} times")]
    Unusable {
        /// The defect of the last answer.
        unusable: UnusableAnswer,
        /// The number of requests to the model.
        attempts: u32,
    },
}

/// A [`ViewSource`] that asks a model. The request states the desired
/// [`CurationAmount`](super::CurationAmount), which is not enforced.
pub struct ModelCurator<A> {
    model: A,
    context_tokens_max: Tokens,
    preselector: Option<Arc<dyn ViewSource>>,
}

impl<A> fmt::Debug for ModelCurator<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelCurator")
            .field("context_tokens_max", &self.context_tokens_max)
            .finish_non_exhaustive()
    }
}

/// Default limit of the tokens of a request and its answer together.
pub const CONTEXT_TOKENS_MAX: Tokens = Tokens(16_000);

/// Tokens of the context that are reserved for the answer.
pub const ANSWER_TOKENS_MAX: u32 = 1_500;

/// The share of the request's token limit that preselected lines may take. The rest is for gaps and
/// for lines longer than the average.
const PRESELECTION_SHARE: f64 = 0.7;

/// Largest number of requests about one part of a file.
pub const ATTEMPTS_MAX: u32 = 2;

impl<A: CompletionModel> ModelCurator<A> {
    /// Creates a curator that asks `model`, with a context of [`CONTEXT_TOKENS_MAX`].
    pub fn new(model: A) -> Self {
        let context_tokens_max = CONTEXT_TOKENS_MAX;
        Self { model, context_tokens_max, preselector: None }
    }

    /// Sets the limit of the tokens of a request and its answer.
    #[must_use]
    pub fn with_context_limit(mut self, tokens_max: Tokens) -> Self {
        self.context_tokens_max = tokens_max;
        self
    }

    /// Sets a preselector for reads that would take too many requests: the model is asked only
    /// about the lines that `before` ranks highest, as many as fit one request.
    #[must_use]
    pub fn with_preselector(mut self, before: Arc<dyn ViewSource>) -> Self {
        self.preselector = Some(before);
        self
    }

    /// Asks the model about a read. A read that is too long for one request is split, if a few
    /// parts are enough; of a longer one, the model is asked about preselected lines.
    ///
    /// # Errors
    /// A [`CurationError`] if the file is to be shown as without a model.
    pub fn curate(
        &self,
        read: &ReadContext<'_>,
        wanted: ViewRequest,
    ) -> Result<Curation, CurationError> {
        let ViewRequest::Curated(amount) = wanted else {
            return Err(CurationError::UnsupportedRequest);
        };
        let (tokens, tokens_max) = match self.curate_in_one_request(read, amount) {
            Err(CurationError::TooLong { tokens, tokens_max }) => (tokens, tokens_max),
            chosen => return chosen,
        };
        let parts = read_parts::split_read(read, tokens, tokens_max);
        if parts.is_empty() {
            return self.curate_preselected(read, amount, tokens, tokens_max);
        }
        let mut chosen = Vec::with_capacity(parts.len());
        for (first, text) in &parts {
            match self.curate_in_one_request(&ReadContext { first: *first, text, ..*read }, amount)
            {
                Ok(curation) => chosen.push(curation),
                // An empty answer is valid for one part of a file.
                Err(CurationError::Unusable { unusable: UnusableAnswer::NoLines, .. }) => {
                    let lines = u32::try_from(text.line_count()).unwrap_or(u32::MAX);
                    chosen.push(Curation::empty(lines));
                }
                Err(fallback) => return Err(fallback),
            }
        }
        let all = Curation::from_split_read(chosen);
        let (unusable, attempts) = (UnusableAnswer::NoLines, ATTEMPTS_MAX);
        if all.lines_kept == 0 {
            Err(CurationError::Unusable { unusable, attempts })
        } else {
            Ok(all)
        }
    }

    /// Asks about the lines that the preselector chooses. The read takes `tokens`; one request
    /// holds `tokens_max`.
    fn curate_preselected(
        &self,
        read: &ReadContext<'_>,
        amount: CurationAmount,
        tokens: Tokens,
        tokens_max: Tokens,
    ) -> Result<Curation, CurationError> {
        let share = tokens_max.0 as f64 / tokens.0.max(1) as f64 * PRESELECTION_SHARE;
        let before = self.preselector.as_ref();
        let first = before.and_then(|it| {
            it.choose_view(read, ViewRequest::Curated(CurationAmount::Share(share)))
        });
        let Some(first) = first else { return Err(CurationError::TooLong { tokens, tokens_max }) };
        let kept = first.kept_ranges();
        let request =
            CurationRequest::for_lines(read, Some(&kept), amount, self.context_tokens_max);
        let chosen = self.request_curation(read, request)?.restrict_to(&kept);
        let (unusable, attempts) = (UnusableAnswer::NoLines, 1);
        match chosen.lines_kept {
            0 => Err(CurationError::Unusable { unusable, attempts }),
            _ => Ok(chosen),
        }
    }

    fn curate_in_one_request(
        &self,
        read: &ReadContext<'_>,
        amount: CurationAmount,
    ) -> Result<Curation, CurationError> {
        self.request_curation(
            read,
            CurationRequest::for_read(read, amount, self.context_tokens_max),
        )
    }

    fn request_curation(
        &self,
        read: &ReadContext<'_>,
        mut request: CurationRequest,
    ) -> Result<Curation, CurationError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            self.check_request_size(read, &request)?;
            let answer = self.model.complete(&request)?;
            match answer_parser::parse_curation(read, &answer) {
                Ok(curation) => return Ok(curation),
                Err(answer_parser::CurationAnswerError::Error(message)) => {
                    return Err(CurationError::ModelReportedError { message });
                }
                Err(answer_parser::CurationAnswerError::Unusable(unusable))
                    if attempts == ATTEMPTS_MAX =>
                {
                    return Err(CurationError::Unusable { unusable, attempts });
                }
                Err(answer_parser::CurationAnswerError::Unusable(unusable)) => {
                    request.append_retry(unusable);
                }
            }
        }
    }

    fn check_request_size(
        &self,
        read: &ReadContext<'_>,
        request: &CurationRequest,
    ) -> Result<(), CurationError> {
        let tokenizer = read.record.tokenizer();
        let tokens = tokenizer.count(&request.system).0 + tokenizer.count(&request.user).0;
        let tokens_max = self.context_tokens_max.0.saturating_sub(u64::from(ANSWER_TOKENS_MAX));
        if tokens > tokens_max {
            return Err(CurationError::TooLong {
                tokens: Tokens(tokens),
                tokens_max: Tokens(tokens_max),
            });
        }
        Ok(())
    }
}

impl<A: CompletionModel> ViewSource for ModelCurator<A> {
    fn choose_view(&self, read: &ReadContext<'_>, wanted: ViewRequest) -> Option<LineSelection> {
        self.curate(read, wanted).ok().map(Curation::into_view)
    }
}
