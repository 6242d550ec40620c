//! A curator that asks a model which lines of a file matter to the conversation.
//!
//! The model is shown the last messages and the file with line numbers, and answers ranges as
//! JSON. What it answers is data: ranges are clipped and merged, what is no range of the file
//! is skipped, and how much is preserved is counted. Where nothing comes of it, the
//! [`Fallback`] says why, and the file is shown in full.

mod answer;
mod curation;
mod parts;
mod request;
mod words;

use std::fmt;
use std::sync::Arc;

use super::read::{Read, Views};
use super::value::{Amount, View, Wanted};
use crate::tokens::Tokens;

pub use self::curation::{Curation, Reason, Unusable};
pub use request::{ModelRequest, TEMPERATURE};

/// Why a model gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AskError {
    /// It took too long.
    #[error("the model did not answer in time")]
    TimedOut,
    /// Who waited has given it up.
    #[error("the question was taken back")]
    Cancelled,
    /// It could not be asked, or its server failed.
    #[error("the model could not be asked: {message}")]
    Failed {
        /// What went wrong, as the client says.
        message: String,
    },
}

/// A model, or what stands for one. It answers while the caller waits.
pub trait Ask: Send + Sync {
    /// The answer to one request, thinking left out.
    ///
    /// # Errors
    /// [`AskError`] if there is no answer.
    fn complete(&self, request: &ModelRequest) -> Result<String, AskError>;
}

/// Why a file is not curated by the model, but shown as it would be without one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fallback {
    /// Models are not asked for what stands for old reads: many are rewritten at once.
    #[error("a model is asked only about files that are read")]
    NotAsked,
    /// The file and the messages do not fit the model's context.
    #[error("the file takes {} tokens, and the model is asked about {} at most", tokens.0, tokens_max.0)]
    TooLong {
        /// What the request takes.
        tokens: Tokens,
        /// What is left of the context beside the answer.
        tokens_max: Tokens,
    },
    /// There was no answer.
    #[error(transparent)]
    AskFailed(#[from] AskError),
    /// The answer says that something is wrong.
    #[error("the model answered with an error: {message}")]
    AnsweredError {
        /// What it says, cut.
        message: String,
    },
    /// No answer could be used.
    #[error("{unusable}, {attempts} times")]
    Unusable {
        /// What is wrong with the last answer.
        unusable: Unusable,
        /// How often the model was asked.
        attempts: u32,
    },
}

/// Is told what came of each question: the path and the choice.
pub type Observer = dyn Fn(&str, Result<&Curation, &Fallback>) + Send + Sync;

/// [`Views`] by a model. Of an [`Amount`](super::Amount) the model is told; it is not held
/// to it.
pub struct ModelViews<A> {
    model: A,
    context_tokens_max: Tokens,
    before: Option<Arc<dyn Views>>,
    observer: Option<Box<Observer>>,
}

impl<A> fmt::Debug for ModelViews<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelViews")
            .field("context_tokens_max", &self.context_tokens_max)
            .finish_non_exhaustive()
    }
}

/// Tokens of a request and its answer.
pub const CONTEXT_TOKENS_MAX: Tokens = Tokens(16_000);

/// Of these, kept free for the answer.
pub const ANSWER_TOKENS_MAX: u32 = 1_500;

/// What of the room for a question the lines may take that are chosen first: gaps between them and
/// lines longer than others take the rest.
const SHARE_OF_ROOM: f64 = 0.7;

/// How often a model is asked about one file.
pub const ATTEMPTS_MAX: u32 = 2;

impl<A: Ask> ModelViews<A> {
    /// Views by `model`, with a context of [`CONTEXT_TOKENS_MAX`].
    pub fn new(model: A) -> Self {
        let context_tokens_max = CONTEXT_TOKENS_MAX;
        Self { model, context_tokens_max, before: None, observer: None }
    }

    /// The same for a model with another context.
    #[must_use]
    pub fn with_context(mut self, tokens_max: Tokens) -> Self {
        self.context_tokens_max = tokens_max;
        self
    }

    /// The same with somebody who chooses first, of a read that would take too many questions: the
    /// model is asked about the lines that `before` thinks likeliest, as many as fit one question.
    #[must_use]
    pub fn after(mut self, before: Arc<dyn Views>) -> Self {
        self.before = Some(before);
        self
    }

    /// The same with somebody who is told what came of each question.
    #[must_use]
    pub fn with_observer(
        mut self,
        observer: impl Fn(&str, Result<&Curation, &Fallback>) + Send + Sync + 'static,
    ) -> Self {
        self.observer = Some(Box::new(observer));
        self
    }

    /// Asks the model about a read: of one that is too long for one question part by part, if a
    /// few parts are enough, and else about what is likeliest to matter in it.
    ///
    /// # Errors
    /// The [`Fallback`], where the file is to be shown as without a model.
    pub fn choose(&self, read: &Read<'_>, wanted: Wanted) -> Result<Curation, Fallback> {
        let Wanted::Curated(amount) = wanted else { return Err(Fallback::NotAsked) };
        let too_long = match self.choose_at_once(read, amount) {
            Err(Fallback::TooLong { tokens, tokens_max }) => (tokens, tokens_max),
            chosen => return chosen,
        };
        let parts = parts::of(read, too_long);
        if parts.is_empty() {
            return self.choose_among(read, amount, too_long);
        }
        let mut chosen = Vec::with_capacity(parts.len());
        for (first, text) in &parts {
            match self.choose_at_once(&Read { first: *first, text, ..*read }, amount) {
                Ok(curation) => chosen.push(curation),
                // Nothing of this part may matter.
                Err(Fallback::Unusable { unusable: Unusable::NoLines, .. }) => {
                    let lines = u32::try_from(text.count()).unwrap_or(u32::MAX);
                    chosen.push(Curation::of_nothing(lines));
                }
                Err(fallback) => return Err(fallback),
            }
        }
        let all = Curation::joined(chosen);
        let (unusable, attempts) = (Unusable::NoLines, ATTEMPTS_MAX);
        if all.lines_kept == 0 { Err(Fallback::Unusable { unusable, attempts }) } else { Ok(all) }
    }

    /// Asks about the lines that are chosen first. The read takes so many tokens, of which one
    /// question may take so many.
    fn choose_among(
        &self,
        read: &Read<'_>,
        amount: Amount,
        (tokens, tokens_max): (Tokens, Tokens),
    ) -> Result<Curation, Fallback> {
        let share = tokens_max.0 as f64 / tokens.0.max(1) as f64 * SHARE_OF_ROOM;
        let before = self.before.as_ref();
        let first = before.and_then(|it| it.view(read, Wanted::Curated(Amount::Share(share))));
        let Some(first) = first else { return Err(Fallback::TooLong { tokens, tokens_max }) };
        let kept = first.kept();
        let request = ModelRequest::among(read, Some(&kept), amount, self.context_tokens_max);
        let chosen = self.ask(read, request)?.within(&kept);
        let (unusable, attempts) = (Unusable::NoLines, 1);
        match chosen.lines_kept {
            0 => Err(Fallback::Unusable { unusable, attempts }),
            _ => Ok(chosen),
        }
    }

    fn choose_at_once(&self, read: &Read<'_>, amount: Amount) -> Result<Curation, Fallback> {
        self.ask(read, ModelRequest::about(read, amount, self.context_tokens_max))
    }

    fn ask(&self, read: &Read<'_>, mut request: ModelRequest) -> Result<Curation, Fallback> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            self.must_fit(read, &request)?;
            let answer = self.model.complete(&request)?;
            match answer::curation(read, &answer) {
                Ok(curation) => return Ok(curation),
                Err(answer::Bad::Error(message)) => {
                    return Err(Fallback::AnsweredError { message });
                }
                Err(answer::Bad::Unusable(unusable)) if attempts == ATTEMPTS_MAX => {
                    return Err(Fallback::Unusable { unusable, attempts });
                }
                Err(answer::Bad::Unusable(unusable)) => request.ask_again(unusable),
            }
        }
    }

    fn must_fit(&self, read: &Read<'_>, request: &ModelRequest) -> Result<(), Fallback> {
        let tokenizer = read.record.tokenizer();
        let tokens = tokenizer.count(&request.system).0 + tokenizer.count(&request.user).0;
        let tokens_max = self.context_tokens_max.0.saturating_sub(u64::from(ANSWER_TOKENS_MAX));
        if tokens > tokens_max {
            return Err(Fallback::TooLong {
                tokens: Tokens(tokens),
                tokens_max: Tokens(tokens_max),
            });
        }
        Ok(())
    }
}

impl<A: Ask> Views for ModelViews<A> {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let chosen = self.choose(read, wanted);
        if let Some(observer) = &self.observer {
            observer(read.path, chosen.as_ref());
        }
        chosen.ok().map(Curation::told)
    }
}
