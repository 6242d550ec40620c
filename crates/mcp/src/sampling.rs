//! Asks the client's own model which lines of a file to show (`sampling/createMessage`).
//!
//! Such a question costs the tokens of the client's user, and many clients show it to the person
//! first. So one question is asked at a time, a refusal ends it for the connection, and whoever
//! fails is left alone for a while. From version 2026-07-28 on a client cannot be asked while its
//! call runs, and sampling is deprecated: such clients are not asked at all.
#![expect(deprecated, reason = "clients that lend a model speak versions of the protocol with it")]

use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_context::views::model::AskError;
use foveal_context::views::{LentAnswer, LentQuestion};
use foveal_screen::in_one_line;
use rmcp::RoleServer;
use rmcp::model::{
    ClientResult, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult, ErrorCode,
    ModelPreferences, Role, SamplingMessage, SamplingMessageContentBlock, ServerRequest,
};
use rmcp::service::{Peer, RequestContext, ServiceError};
use tokio::sync::mpsc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::round_trips;

/// How long a client that did not answer is left alone; twice as long after each further time.
const REST_TIME: Duration = Duration::from_secs(120);

/// How often that time doubles.
const RESTS_MAX: u32 = 5;

/// After so long without an answer it is told that it is waited for.
const QUIET_TIME: Duration = Duration::from_secs(1);

/// Bytes of an answer: ranges of one file and a sentence take much less.
const ANSWER_BYTES_MAX: usize = 64 << 10;

/// Characters of a model's name, and of what a client says went wrong.
const WORDS_MAX: usize = 120;

/// What clients answer when the person says no: -1 as the protocol's examples have it, -32000 as
/// VS Code does. Who does not know the method need not be asked again either.
const REFUSALS: [ErrorCode; 3] = [ErrorCode(-1), ErrorCode(-32_000), ErrorCode::METHOD_NOT_FOUND];

/// Whether one client's model is asked.
#[derive(Debug, Default)]
pub(crate) struct Sampling {
    /// Held while the client is asked: a person has one question at a time before them.
    turn: tokio::sync::Mutex<()>,
    past: Mutex<Past>,
}

/// What became of earlier questions.
#[derive(Debug, Default)]
struct Past {
    is_refused: bool,
    failures: u32,
    rests_until: Option<Instant>,
}

/// A question from the thread of a call, and where its answer is waited for.
#[derive(Debug)]
pub(crate) struct PendingSample {
    params: CreateMessageRequestParams,
    time: Duration,
    reply: SyncSender<Result<LentAnswer, AskError>>,
}

/// Takes questions from the thread of a call to where clients are asked.
#[derive(Debug)]
pub(crate) struct Lender(mpsc::Sender<PendingSample>);

impl Lender {
    /// Asks, and calls `waits` now and then meanwhile. Blocks.
    pub(crate) fn ask(
        &self,
        question: LentQuestion<'_>,
        waits: &dyn Fn(),
    ) -> Result<LentAnswer, AskError> {
        let (reply, answered) = sync_channel(1);
        let pending = PendingSample { params: params(question), time: question.time, reply };
        self.0.blocking_send(pending).map_err(|_| AskError::Cancelled)?;
        loop {
            match answered.recv_timeout(QUIET_TIME) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => waits(),
                // Whoever asks for this call has gone.
                Err(RecvTimeoutError::Disconnected) => return Err(AskError::Cancelled),
            }
        }
    }
}

impl Sampling {
    /// Who takes questions of one call to its client, if that lends its model, and where they come
    /// out.
    pub(crate) fn lender(
        &self,
        context: &RequestContext<RoleServer>,
    ) -> (Option<Lender>, mpsc::Receiver<PendingSample>) {
        let (sender, receiver) = mpsc::channel(1);
        let lends = is_supported(context) && self.lock().may_be_asked(Instant::now());
        (lends.then_some(Lender(sender)), receiver)
    }

    /// Answers a question by asking the client, until `stop`.
    pub(crate) async fn answer(
        &self,
        peer: &Peer<RoleServer>,
        pending: PendingSample,
        stop: CancellationToken,
    ) {
        let PendingSample { params, time, reply } = pending;
        let answer = self.ask(peer, params, (Instant::now() + time, &stop)).await;
        // If the call has ended, nobody needs the answer.
        drop(reply.try_send(answer));
    }

    async fn ask(
        &self,
        peer: &Peer<RoleServer>,
        params: CreateMessageRequestParams,
        (until, stop): (Instant, &CancellationToken),
    ) -> Result<LentAnswer, AskError> {
        let _turn = tokio::select! {
            biased;
            () = stop.cancelled() => return Err(AskError::Cancelled),
            () = tokio::time::sleep_until(until) => return Err(AskError::TimedOut),
            turn = self.turn.lock() => turn,
        };
        if !self.lock().may_be_asked(Instant::now()) {
            return Err(failed("it is not asked again"));
        }
        let request = ServerRequest::CreateMessageRequest(CreateMessageRequest::new(params));
        let told = match peer.send_cancellable_request(request, Default::default()).await {
            Err(error) => told(Err(error)),
            Ok(mut handle) => {
                let told = tokio::select! {
                    biased;
                    () = stop.cancelled() => Told::Nothing(AskError::Cancelled),
                    answered = &mut handle.rx => {
                        told(answered.unwrap_or(Err(ServiceError::TransportClosed)))
                    }
                    () = tokio::time::sleep_until(until) => Told::Nothing(AskError::TimedOut),
                };
                if let Told::Nothing(why) = &told {
                    // The person need not decide any more. What still comes is not looked at.
                    drop(handle.cancel(Some(why.to_string())).await);
                }
                told
            }
        };
        self.lock().note(&told, Instant::now());
        match told {
            Told::Answer(answer) => Ok(answer),
            Told::Refused => Err(failed("the client refuses; it is not asked again")),
            Told::Failed(message) => Err(AskError::Failed { message }),
            Told::Nothing(why) => Err(why),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Past> {
        self.past.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Past {
    fn may_be_asked(&self, now: Instant) -> bool {
        !self.is_refused && self.rests_until.is_none_or(|until| now >= until)
    }

    fn note(&mut self, told: &Told, now: Instant) {
        match told {
            Told::Answer(_) => *self = Self::default(),
            Told::Refused => self.is_refused = true,
            // The client did nothing wrong.
            Told::Nothing(AskError::Cancelled) => {}
            Told::Failed(_) | Told::Nothing(_) => {
                self.rests_until = Some(now + REST_TIME * 2_u32.pow(self.failures.min(RESTS_MAX)));
                self.failures = self.failures.saturating_add(1);
            }
        }
    }
}

/// What a client said to a question.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Answer(LentAnswer),
    /// The person, or the client for them, does not want to be asked.
    Refused,
    /// Something else than an answer, for this reason.
    Failed(String),
    /// Nothing while somebody waited.
    Nothing(AskError),
}

/// Whether the client lends its model while one of its calls runs.
fn is_supported(context: &RequestContext<RoleServer>) -> bool {
    let capabilities = context.client_capabilities();
    !round_trips::are_needed(context)
        && capabilities.is_some_and(|capabilities| capabilities.sampling.is_some())
}

/// What a client is asked. It chooses the model: a fast and cheap one is good enough.
pub(crate) fn params(question: LentQuestion<'_>) -> CreateMessageRequestParams {
    let preferences = ModelPreferences::new().with_cost_priority(0.8).with_speed_priority(0.8);
    let messages = vec![SamplingMessage::user_text(question.user)];
    CreateMessageRequestParams::new(messages, question.output_tokens_max)
        .with_system_prompt(question.system)
        .with_temperature(question.temperature)
        .with_model_preferences(preferences.with_intelligence_priority(0.3))
}

/// What an answer, or an error in its place, says.
pub(crate) fn told(answered: Result<ClientResult, ServiceError>) -> Told {
    match answered {
        Ok(ClientResult::CreateMessageResult(result)) => answer(*result),
        Ok(_) => Told::Failed("its answer has another form".to_owned()),
        Err(ServiceError::McpError(error)) if REFUSALS.contains(&error.code) => Told::Refused,
        Err(ServiceError::McpError(error)) => Told::Failed(words(&error.message)),
        Err(error) => Told::Failed(words(&error.to_string())),
    }
}

/// An answer in text, and in nothing else.
fn answer(result: CreateMessageResult) -> Told {
    if result.message.role != Role::Assistant {
        return Told::Failed("its answer is not the model's".to_owned());
    }
    let model = words(&result.model);
    let mut text = String::new();
    for block in result.message.content.into_vec() {
        let SamplingMessageContentBlock::Text(part) = block else {
            return Told::Failed("its answer is no text".to_owned());
        };
        text.push_str(&part.text);
    }
    match text.len() {
        0 => Told::Failed("its answer is empty".to_owned()),
        bytes if bytes > ANSWER_BYTES_MAX => Told::Failed("its answer is too long".to_owned()),
        _ => Told::Answer(LentAnswer { text, model }),
    }
}

fn failed(message: &str) -> AskError {
    AskError::Failed { message: message.to_owned() }
}

/// Words of a client as a person can see all of them, not too many.
fn words(text: &str) -> String {
    let cut: String = text.chars().take(WORDS_MAX).collect();
    in_one_line(&cut).into_owned()
}

#[cfg(test)]
mod tests;
