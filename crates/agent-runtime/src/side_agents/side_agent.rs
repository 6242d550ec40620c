//! An agent that asks a model one question at a time, within bounds, and reports the answer as it
//! streams in.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use foveal_agent::{ModelPrice, SideModelCharge, SideModelRole};
use foveal_pricing::tokens::estimate_tokens;
use foveal_protocols::prompt::{AnswerOptions, Prompt, encode_prompt, encode_with_options};
use foveal_protocols::response::{BilledUsage, DecodedAnswer, DecodedEvent};
use foveal_providers::{
    LlmClient, LlmError, ModelRequestEvent, ModelRequestLimits, ModelServer, ProxySettings,
};
use foveal_transcript::{ContentBlock, EntryMark, MessageRole, RecordingPosition, TranscriptEntry};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::side_bill::{self, SideBill};
use crate::agent_explainer::{AgentExplainer, ExplainedDecision};
use crate::chosen_model::ChosenModel;

/// The kind of a side agent, and its limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SideAgentSpec {
    /// Its purpose.
    pub(crate) kind: SideModelRole,
    /// The name of the JSON schema of its answers, and the function that builds it.
    pub(crate) schema: (&'static str, fn() -> Value),
    /// The temperature, from 0 to 1.
    pub(crate) temperature: f32,
    /// The most tokens of an answer.
    pub(crate) output_tokens: u64,
    /// The time-out of one answer.
    pub(crate) answer_timeout: Duration,
    /// The time after a failure in which it is not asked again. Without it, each caller would wait
    /// for the time-out.
    pub(crate) failure_pause: Duration,
}

/// A side model, and how it is reached.
#[derive(Debug, Clone)]
pub struct SideModelConnection {
    /// The name that the user gives the model.
    pub name: String,
    /// The model, with its server.
    pub chosen: ChosenModel,
    /// The proxies of its requests.
    pub proxies: ProxySettings,
    /// Receives the questions to it and their answers.
    pub explainer: AgentExplainer,
}

/// A model with one task beside the main agent.
pub(crate) struct SideAgent {
    spec: SideAgentSpec,
    /// The name that the user gives the model.
    pub(crate) model: String,
    server: Arc<ModelServer>,
    proxies: ProxySettings,
    explainer: AgentExplainer,
    /// The bill that its questions count towards, if they do, and the model's price.
    account: Option<(Arc<SideBill>, ModelPrice)>,
    /// Created with the first question.
    runtime_and_client: OnceLock<Option<(Runtime, LlmClient)>>,
    /// Whether its server refuses a schema or a temperature.
    omits_output_options: AtomicBool,
    failed_at: Mutex<Option<Instant>>,
    /// The time of the last cancelled question.
    cancelled_at: Mutex<Option<Instant>>,
}

/// One question to a side agent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SideQuestion<'a> {
    /// The system prompt: the task.
    pub(crate) system: &'a str,
    /// The user message: the input of the task.
    pub(crate) user: &'a str,
    /// The time-out of its answer, if shorter than that of the agent.
    pub(crate) timeout: Duration,
}

/// The progress of an answer.
#[derive(Debug)]
pub(crate) enum AnswerProgress {
    /// Nothing arrived for a while.
    Silence,
    /// More reasoning.
    Reasoning(String),
    /// More of the answer's text.
    Text(String),
}

/// A complete answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct SideAnswer {
    /// Its text.
    pub(crate) text: String,
    /// The reasoning before it, if the server sends it.
    pub(crate) reasoning: String,
    /// The billed tokens of question and answer; 0 if the server does not report them.
    pub(crate) tokens: u64,
}

impl AnswerProgress {
    /// Estimates the tokens of the text.
    fn estimate_tokens(&self) -> u64 {
        match self {
            Self::Silence => 0,
            Self::Reasoning(text) | Self::Text(text) => estimate_tokens(text).0,
        }
    }
}

impl SideQuestion<'_> {
    /// Estimates the tokens of the question.
    pub(crate) fn estimate_tokens(&self) -> u64 {
        estimate_tokens(self.system).0 + estimate_tokens(self.user).0
    }
}

impl SideAnswer {
    /// Returns the tokens of question and answer; estimated if the server does not report them.
    pub(crate) fn total_tokens(&self, question: &SideQuestion<'_>) -> u64 {
        match self.tokens {
            0 => question.estimate_tokens() + estimate_tokens(&self.text).0,
            told => told,
        }
    }
}

/// The reason why a side agent gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SideAgentError {
    /// The time-out passed.
    #[error("the model did not answer in time")]
    TimedOut,
    /// The caller cancelled the question.
    #[error("the question was cancelled")]
    Cancelled,
    /// A limit of the run is reached.
    #[error("a limit of the run is reached")]
    OverLimit,
    /// The request failed, with the message of the server or the connection.
    #[error("the request to the model failed: {0}")]
    Failed(String),
}

/// Callbacks of the caller that waits for an answer.
pub(crate) struct AnswerListener<'a> {
    /// Receives the progress of the answer.
    pub(crate) on_progress: &'a (dyn Fn(AnswerProgress) + Sync),
    /// Returns whether the caller cancelled the question.
    pub(crate) is_cancelled: &'a (dyn Fn() -> bool + Sync),
}

/// The interval at which cancellation is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The time after a cancellation in which no question is asked.
const CANCELLATION_PAUSE: Duration = Duration::from_millis(500);

/// The time without progress after which [`Silence`](AnswerProgress::Silence) is reported.
const SILENCE_INTERVAL: Duration = Duration::from_secs(1);

/// The most pieces of an answer in the queue to the caller.
const QUEUED_PIECES_MAX: usize = 1_024;

impl SideAgent {
    /// Creates an agent whose questions count towards `bill`, if there is one.
    pub(crate) fn new(
        spec: SideAgentSpec,
        connection: SideModelConnection,
        bill: Option<&Arc<SideBill>>,
    ) -> Self {
        let SideModelConnection { name: model, chosen, proxies, explainer } = connection;
        let account = bill.map(|bill| (Arc::clone(bill), bill.model_price(&chosen)));
        Self {
            spec,
            model,
            server: Arc::new(chosen.server),
            proxies,
            explainer,
            account,
            runtime_and_client: OnceLock::new(),
            omits_output_options: AtomicBool::new(false),
            failed_at: Mutex::default(),
            cancelled_at: Mutex::default(),
        }
    }

    /// Returns whether a limit of the run is reached, so that no question is asked any more.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.account.as_ref().is_some_and(|(bill, _)| !bill.accepts_questions())
    }

    /// Returns whether it must not be asked now.
    pub(crate) fn is_paused(&self) -> bool {
        self.pause_reason().is_some()
    }

    /// Returns the reason why it must not be asked now: it failed recently, a question was just
    /// cancelled (its caller does not wait for the next one either), or a limit is reached.
    pub(crate) fn pause_reason(&self) -> Option<&'static str> {
        let within = |at: &Mutex<Option<Instant>>, time: Duration| {
            let at = at.lock().unwrap_or_else(PoisonError::into_inner);
            at.is_some_and(|at| at.elapsed() < time)
        };
        if self.is_over_limit() {
            Some("a limit of tokens or costs is reached")
        } else if within(&self.failed_at, self.spec.failure_pause) {
            Some("the model failed a short time ago")
        } else if within(&self.cancelled_at, CANCELLATION_PAUSE) {
            Some("a question to the model was just stopped")
        } else {
            None
        }
    }

    /// Asks the model. If the server refuses a schema or a temperature, the request is repeated
    /// without.
    ///
    /// # Errors
    /// Returns a [`SideAgentError`]; after a failure the agent [is paused](Self::is_paused).
    pub(crate) fn ask_model(
        &self,
        question: SideQuestion<'_>,
        listener: &AnswerListener<'_>,
    ) -> Result<SideAnswer, SideAgentError> {
        let is_plain = self.omits_output_options.load(Ordering::Relaxed);
        let (name, begun) = (self.spec.schema.0, Instant::now());
        self.explainer.explain(ExplainedDecision::SideModelQuestion, || {
            let bytes = question.system.len() + question.user.len();
            format!("asking {} for {name}, {bytes} bytes", self.model)
        });
        let answered = match self.send_request(question, is_plain, listener) {
            Err(RequestFailure::Refused(_)) if !is_plain => {
                let answered = self.send_request(question, true, listener);
                self.omits_output_options.store(answered.is_ok(), Ordering::Relaxed);
                answered
            }
            answered => answered,
        };
        let ms = begun.elapsed().as_millis();
        let why = match answered {
            Ok(said) => {
                let answered = to_side_answer(said);
                self.explainer.explain(ExplainedDecision::SideModelQuestion, || {
                    let SideAnswer { text, reasoning: thinking, tokens } = &answered;
                    let (said, thought) = (text.len(), thinking.len());
                    format!(
                        "{} answered {name} after {ms} ms: {said} bytes, {thought} of thinking, \
                         {tokens} tokens",
                        self.model
                    )
                });
                return Ok(answered);
            }
            Err(RequestFailure::Refused(message)) => SideAgentError::Failed(message),
            Err(RequestFailure::Other(why)) => why,
        };
        self.explainer.explain(ExplainedDecision::SideModelQuestion, || {
            format!("{} after {ms} ms: {why}", self.model)
        });
        let at = match why {
            // [`is_over_limit`](Self::is_over_limit) checks this by itself.
            SideAgentError::OverLimit => return Err(why),
            SideAgentError::Cancelled => &self.cancelled_at,
            SideAgentError::TimedOut | SideAgentError::Failed(_) => &self.failed_at,
        };
        *at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Err(why)
    }

    fn send_request(
        &self,
        question: SideQuestion<'_>,
        is_plain: bool,
        listener: &AnswerListener<'_>,
    ) -> Result<DecodedAnswer, RequestFailure> {
        let time = question.timeout.min(self.spec.answer_timeout);
        if time.is_zero() {
            return Err(RequestFailure::Other(SideAgentError::TimedOut));
        }
        let cannot = || {
            RequestFailure::Other(SideAgentError::Failed(
                "the HTTP client cannot be started".to_owned(),
            ))
        };
        let (runtime, client) = self.runtime_and_client().ok_or_else(cannot)?;
        let counted = self.open_billed_question(question)?;
        let (sender, pieces) = sync_channel(QUEUED_PIECES_MAX);
        let (client, server) = (client.clone(), Arc::clone(&self.server));
        let body = self.encode_request(question, is_plain);
        let asking = runtime.spawn(async move {
            let said = client
                .stream_answer(&server, body, 1, &mut |event| forward_event(&sender, event))
                .await;
            // The send fails if the caller stopped waiting.
            drop(sender.send(AnswerPiece::End(Box::new(said))));
        });
        let mut heard = 0;
        let answered = receive_answer(&pieces, Instant::now() + time, listener, &mut heard);
        asking.abort();
        if let Some(counted) = counted {
            counted.settle_charge(self.answer_charge(question, &answered, heard));
        }
        answered
    }

    /// Records a question on the bill, if there is one.
    ///
    /// # Errors
    /// Returns an error if a limit is reached.
    fn open_billed_question(
        &self,
        question: SideQuestion<'_>,
    ) -> Result<Option<side_bill::OpenQuestion>, RequestFailure> {
        let Some((bill, _)) = &self.account else { return Ok(None) };
        let counted = bill.open_question(self.estimated_charge(question, 0));
        counted.map(Some).ok_or(RequestFailure::Other(SideAgentError::OverLimit))
    }

    /// Returns the charge for a question of whose answer `heard` tokens arrived; `None` if it costs
    /// nothing.
    fn answer_charge(
        &self,
        question: SideQuestion<'_>,
        answered: &Result<DecodedAnswer, RequestFailure>,
        heard: u64,
    ) -> Option<SideModelCharge> {
        match answered {
            Ok(said) if billed_tokens(&said.metadata.billed) > 0 => {
                let (agent, billed) = (self.spec.kind, &said.metadata.billed);
                let price = self.price();
                Some(SideModelCharge::from_billed_usage(agent, &self.model, billed, price))
            }
            Ok(_)
            | Err(RequestFailure::Other(SideAgentError::TimedOut | SideAgentError::Cancelled)) => {
                Some(self.estimated_charge(question, heard))
            }
            // A failure costs nothing, unless it broke off an answer.
            Err(_) => (heard > 0).then(|| self.estimated_charge(question, heard)),
        }
    }

    fn estimated_charge(&self, question: SideQuestion<'_>, answer: u64) -> SideModelCharge {
        SideModelCharge::from_estimated_tokens(
            self.spec.kind,
            &self.model,
            question.estimate_tokens(),
            answer,
            self.price(),
        )
    }

    fn price(&self) -> &ModelPrice {
        self.account.as_ref().map_or(&ModelPrice::Free, |(_, price)| price)
    }

    fn runtime_and_client(&self) -> Option<&(Runtime, LlmClient)> {
        let time = self.spec.answer_timeout;
        let make = || {
            let mut runtime = tokio::runtime::Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).enable_all().build().ok()?;
            let patience = ModelRequestLimits {
                connect_time: Duration::from_secs(3),
                head_time: time,
                silence_time: time,
                answer_time: time,
                retries: 0,
                ..ModelRequestLimits::default()
            };
            Some((runtime, LlmClient::new(patience, &self.proxies).ok()?))
        };
        self.runtime_and_client.get_or_init(make).as_ref()
    }

    fn encode_request(&self, question: SideQuestion<'_>, is_plain: bool) -> Vec<u8> {
        let message = |role, text: &str| TranscriptEntry {
            source: RecordingPosition { step: 0, result: None },
            role,
            time: None,
            mark: EntryMark::None,
            model: None,
            usage: None,
            blocks: vec![ContentBlock::Text(text.to_owned())],
        };
        let entries = [
            message(MessageRole::System, question.system),
            message(MessageRole::User, question.user),
        ];
        let prompt = Prompt {
            model: &self.server.model,
            entries: &entries,
            tools: &[],
            output_tokens_max: Some(self.spec.output_tokens).filter(|_| !is_plain),
            drops_bound_thinking: false,
        };
        let (name, schema) = self.spec.schema;
        let wish =
            AnswerOptions { temperature: self.spec.temperature, schema: Some((name, schema())) };
        match is_plain {
            true => encode_prompt(self.server.dialect, &prompt),
            false => encode_with_options(self.server.dialect, &prompt, &wish),
        }
    }
}

/// A part of an answer that is passed between threads.
enum AnswerPiece {
    Heard(AnswerProgress),
    End(Box<Result<DecodedAnswer, LlmError>>),
}

fn forward_event(sender: &SyncSender<AnswerPiece>, event: ModelRequestEvent) {
    let heard = match event {
        ModelRequestEvent::Answer(DecodedEvent::Reasoning(text)) => AnswerProgress::Reasoning(text),
        ModelRequestEvent::Answer(DecodedEvent::Text(text)) => AnswerProgress::Text(text),
        ModelRequestEvent::Answer(_) | ModelRequestEvent::Retry { .. } => return,
    };
    // A dropped piece is no loss: the end brings the whole answer.
    drop(sender.try_send(AnswerPiece::Heard(heard)));
}

/// Waits for the end of an answer, and counts the tokens that arrive.
fn receive_answer(
    pieces: &Receiver<AnswerPiece>,
    until: Instant,
    listener: &AnswerListener<'_>,
    tokens: &mut u64,
) -> Result<DecodedAnswer, RequestFailure> {
    let mut heard_at = Instant::now();
    loop {
        if (listener.is_cancelled)() {
            return Err(RequestFailure::Other(SideAgentError::Cancelled));
        }
        let now = Instant::now();
        if now >= until {
            return Err(RequestFailure::Other(SideAgentError::TimedOut));
        }
        if now.duration_since(heard_at) >= SILENCE_INTERVAL {
            heard_at = now;
            (listener.on_progress)(AnswerProgress::Silence);
        }
        match pieces.recv_timeout(POLL_INTERVAL.min(until - now)) {
            Ok(AnswerPiece::Heard(heard)) => {
                heard_at = now;
                *tokens = tokens.saturating_add(heard.estimate_tokens());
                (listener.on_progress)(heard);
            }
            Ok(AnswerPiece::End(said)) => return said.map_err(RequestFailure::from),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let why = "the request ended without an answer".to_owned();
                return Err(RequestFailure::Other(SideAgentError::Failed(why)));
            }
        }
    }
}

/// The failure of one request.
enum RequestFailure {
    /// The server refuses the request in this form.
    Refused(String),
    Other(SideAgentError),
}

impl From<LlmError> for RequestFailure {
    fn from(error: LlmError) -> Self {
        match error {
            LlmError::RequestRejected { said, .. } => Self::Refused(said.to_string()),
            LlmError::ResponseTimeout { .. } | LlmError::Stalled { .. } => {
                Self::Other(SideAgentError::TimedOut)
            }
            error => Self::Other(SideAgentError::Failed(error.to_string())),
        }
    }
}

fn to_side_answer(said: DecodedAnswer) -> SideAnswer {
    let tokens = billed_tokens(&said.metadata.billed);
    let (mut texts, mut thoughts) = (Vec::new(), Vec::new());
    for block in said.blocks {
        match block {
            ContentBlock::Text(text) => texts.push(text),
            ContentBlock::Reasoning(text) => thoughts.push(text),
            ContentBlock::Call(_) | ContentBlock::Result(_) | ContentBlock::Opaque { .. } => {}
        }
    }
    SideAnswer { text: texts.join("\n"), reasoning: thoughts.join("\n"), tokens }
}

fn billed_tokens(billed: &BilledUsage) -> u64 {
    let BilledUsage { uncached, cache_read, cache_write_5m, cache_write_1h, output, .. } = billed;
    let all = [uncached, cache_read, cache_write_5m, cache_write_1h, output];
    all.into_iter().flatten().fold(0, |sum, tokens| sum.saturating_add(*tokens))
}

impl Drop for SideAgent {
    fn drop(&mut self) {
        // The drop must not block, whichever thread runs it.
        if let Some(Some((runtime, _))) = self.runtime_and_client.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for SideAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SideAgent").field("model", &self.model).finish_non_exhaustive()
    }
}
