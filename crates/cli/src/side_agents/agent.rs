//! A small agent: a model that is asked one question at a time, in bounds, and heard while it
//! answers.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use foveal_agent::{SideCharge, SideKind};
use foveal_context::prices::PriceCard;
use foveal_context::tokens::estimate;
use foveal_llm::{AskError, AskEvent, Client, ModelSpec, Patience, ProxySettings, Server};
use foveal_transcript::{Block, Entry, Mark, Role, Source};
use foveal_wire::prompt::{Prompt, Wish, encode, encode_wish};
use foveal_wire::response::{Billed, Said, SaidEvent};
use serde_json::Value;
use tokio::runtime::Runtime;

use super::bill::{self, SideBill};
use crate::debug::{Debug, Topic};
use crate::environment::Environment;
use crate::explained::explain;
use crate::models;

/// What kind of agent it is, and how far it goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form {
    /// What it is for.
    pub(crate) kind: SideKind,
    /// What answers are, as a schema of JSON, and what that is called.
    pub(crate) schema: (&'static str, fn() -> Value),
    /// How freely it answers, from 0 to 1.
    pub(crate) temperature: f32,
    /// Tokens of an answer.
    pub(crate) output_tokens: u64,
    /// How long one answer is waited for.
    pub(crate) answer_time: Duration,
    /// After a failure it is not asked for this long: whoever waits would wait each time.
    pub(crate) pause: Duration,
}

/// A small agent.
pub(crate) struct SideAgent {
    form: Form,
    /// The model, as the user names it.
    pub(crate) model: String,
    server: Arc<Server>,
    proxies: ProxySettings,
    debug: Debug,
    /// Who pays, where its questions count: the bill, and its prices.
    account: Option<(Arc<SideBill>, Option<PriceCard>)>,
    /// Made when it is first asked.
    runtime: OnceLock<Option<(Runtime, Client)>>,
    /// Whether its server refuses to be told how answers are to be.
    is_plain: AtomicBool,
    failed: Mutex<Option<Instant>>,
    /// When a question was last taken back.
    taken_back: Mutex<Option<Instant>>,
}

/// One question.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Question<'a> {
    /// What it is to do.
    pub(crate) system: &'a str,
    /// With what.
    pub(crate) user: &'a str,
    /// How long its answer is waited for, if that is less than the form says.
    pub(crate) time: Duration,
}

/// What is heard of an answer on its way.
#[derive(Debug)]
pub(crate) enum Heard {
    /// Nothing, for a while.
    Nothing,
    /// More thinking.
    Thinks(String),
    /// More of the answer itself.
    Answers(String),
}

/// An answer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answered {
    /// What it says.
    pub(crate) text: String,
    /// What it thought before that, as far as it tells.
    pub(crate) thinking: String,
    /// Tokens of question and answer; 0 where the server does not tell.
    pub(crate) tokens: u64,
}

impl Heard {
    /// Its tokens, by estimate.
    fn tokens(&self) -> u64 {
        match self {
            Self::Nothing => 0,
            Self::Thinks(text) | Self::Answers(text) => estimate(text).0,
        }
    }
}

impl Question<'_> {
    /// Its tokens, by estimate.
    pub(crate) fn estimated(&self) -> u64 {
        estimate(self.system).0 + estimate(self.user).0
    }
}

impl Answered {
    /// Tokens of the question and of this answer; where the server does not tell, by estimate.
    pub(crate) fn tokens_with(&self, question: &Question<'_>) -> u64 {
        match self.tokens {
            0 => question.estimated() + estimate(&self.text).0,
            told => told,
        }
    }
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoAnswer {
    /// It took too long.
    #[error("the model did not answer in time")]
    TimedOut,
    /// Nobody waits any longer.
    #[error("the question was taken back")]
    Cancelled,
    /// A limit of the run is reached.
    #[error("a limit of the run is reached")]
    OverLimit,
    /// It failed, with what its server or the connection says.
    #[error("the model could not be asked: {0}")]
    Failed(String),
}

/// Who listens while a model answers.
pub(crate) struct Listener<'a> {
    /// Is told what is heard.
    pub(crate) hear: &'a (dyn Fn(Heard) + Sync),
    /// Whether nobody waits any longer.
    pub(crate) is_over: &'a (dyn Fn() -> bool + Sync),
}

/// How often it is looked whether somebody still waits.
const LOOK_UP_TIME: Duration = Duration::from_millis(25);

/// How long no further question is asked after one was taken back.
const TAKEN_BACK_TIME: Duration = Duration::from_millis(500);

/// After so long without a word it is said that the model is waited for.
const QUIET_TIME: Duration = Duration::from_secs(1);

/// Pieces of an answer that wait to be heard.
const PIECES_MAX: usize = 1_024;

impl SideAgent {
    /// An agent of this form, whose questions count towards `bill` if there is one.
    ///
    /// # Errors
    /// If the model's key is not set.
    pub(crate) fn of(
        form: Form,
        (spec, bill): (&ModelSpec, Option<&Arc<SideBill>>),
        environment: &Environment,
    ) -> anyhow::Result<Self> {
        let chosen = models::named(spec.clone(), environment)?;
        let account = bill.map(|bill| (Arc::clone(bill), bill.price(&chosen)));
        let server = Arc::new(chosen.server);
        let (runtime, is_plain, failed) =
            (OnceLock::new(), AtomicBool::new(false), Mutex::default());
        let (model, debug) = (spec.to_string(), environment.debug()?);
        let (taken_back, proxies) = (Mutex::default(), environment.proxies());
        let asked = Self {
            form,
            model,
            server,
            proxies,
            debug,
            account,
            runtime,
            is_plain,
            failed,
            taken_back,
        };
        Ok(asked)
    }

    /// Whether a limit of the run is reached: nothing is asked any more.
    pub(crate) fn is_over_limit(&self) -> bool {
        self.account.as_ref().is_some_and(|(bill, _)| !bill.may_ask())
    }

    /// Whether it is not to be asked: it failed a short time ago, a question was just taken back (who
    /// did that does not wait for the next one either), or a limit is reached.
    pub(crate) fn is_paused(&self) -> bool {
        let within = |at: &Mutex<Option<Instant>>, time: Duration| {
            let at = at.lock().unwrap_or_else(PoisonError::into_inner);
            at.is_some_and(|at| at.elapsed() < time)
        };
        within(&self.failed, self.form.pause)
            || within(&self.taken_back, TAKEN_BACK_TIME)
            || self.is_over_limit()
    }

    /// Asks the model. A server that refuses a schema, or a temperature, is asked without.
    ///
    /// # Errors
    /// [`NoAnswer`]; after a failure it [is paused](Self::is_paused).
    pub(crate) fn ask(
        &self,
        question: Question<'_>,
        listener: &Listener<'_>,
    ) -> Result<Answered, NoAnswer> {
        let is_plain = self.is_plain.load(Ordering::Relaxed);
        let (name, begun) = (self.form.schema.0, Instant::now());
        explain(self.debug, Topic::Model, || {
            let bytes = question.system.len() + question.user.len();
            format!("{} is asked for {name}, {bytes} bytes", self.model)
        });
        let answered = match self.ask_once(question, is_plain, listener) {
            Err(Failure::Refused(_)) if !is_plain => {
                let answered = self.ask_once(question, true, listener);
                self.is_plain.store(answered.is_ok(), Ordering::Relaxed);
                answered
            }
            answered => answered,
        };
        let ms = begun.elapsed().as_millis();
        let why = match answered {
            Ok(said) => {
                let answered = told(said);
                explain(self.debug, Topic::Model, || {
                    let Answered { text, thinking, tokens } = &answered;
                    let (said, thought) = (text.len(), thinking.len());
                    format!(
                        "{} answers {name} after {ms} ms: {said} bytes, {thought} of thinking, \
                         {tokens} tokens",
                        self.model
                    )
                });
                return Ok(answered);
            }
            Err(Failure::Refused(message)) => NoAnswer::Failed(message),
            Err(Failure::Other(why)) => why,
        };
        explain(self.debug, Topic::Model, || format!("{} after {ms} ms: {why}", self.model));
        let at = match why {
            // That is asked about by itself.
            NoAnswer::OverLimit => return Err(why),
            NoAnswer::Cancelled => &self.taken_back,
            NoAnswer::TimedOut | NoAnswer::Failed(_) => &self.failed,
        };
        *at.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Err(why)
    }

    fn ask_once(
        &self,
        question: Question<'_>,
        is_plain: bool,
        listener: &Listener<'_>,
    ) -> Result<Said, Failure> {
        let time = question.time.min(self.form.answer_time);
        if time.is_zero() {
            return Err(Failure::Other(NoAnswer::TimedOut));
        }
        let cannot = || Failure::Other(NoAnswer::Failed("nothing can be asked here".to_owned()));
        let (runtime, client) = self.runtime().ok_or_else(cannot)?;
        let counted = self.counted(question)?;
        let (sender, pieces) = sync_channel(PIECES_MAX);
        let (client, server) = (client.clone(), Arc::clone(&self.server));
        let body = self.body(question, is_plain);
        let asking = runtime.spawn(async move {
            let said = client.ask(&server, body, 1, &mut |event| pass_on(&sender, event)).await;
            // Who no longer waits has gone on without it.
            drop(sender.send(Piece::End(Box::new(said))));
        });
        let mut heard = 0;
        let answered = wait(&pieces, Instant::now() + time, listener, &mut heard);
        asking.abort();
        if let Some(counted) = counted {
            counted.costs(self.cost(question, &answered, heard));
        }
        answered
    }

    /// Has a question count, where that is wanted.
    ///
    /// # Errors
    /// If it may not be asked.
    fn counted(&self, question: Question<'_>) -> Result<Option<bill::Question>, Failure> {
        let Some((bill, _)) = &self.account else { return Ok(None) };
        let counted = bill.ask(self.estimated(question, 0));
        counted.map(Some).ok_or(Failure::Other(NoAnswer::OverLimit))
    }

    /// What a question cost of whose answer so many tokens were heard; `None`: nothing.
    fn cost(
        &self,
        question: Question<'_>,
        answered: &Result<Said, Failure>,
        heard: u64,
    ) -> Option<SideCharge> {
        match answered {
            Ok(said) if tokens(&said.answer.billed) > 0 => {
                let who = (self.form.kind, self.model.as_str());
                let prices = self.account.as_ref().and_then(|(_, prices)| prices.as_ref());
                Some(SideCharge::billed(who, &said.answer.billed, prices))
            }
            Ok(_) | Err(Failure::Other(NoAnswer::TimedOut | NoAnswer::Cancelled)) => {
                Some(self.estimated(question, heard))
            }
            // Of a failure nothing is billed, unless it breaks an answer off.
            Err(_) => (heard > 0).then(|| self.estimated(question, heard)),
        }
    }

    fn estimated(&self, question: Question<'_>, answer: u64) -> SideCharge {
        let prices = self.account.as_ref().and_then(|(_, prices)| prices.as_ref());
        SideCharge::estimated((self.form.kind, &self.model), (question.estimated(), answer), prices)
    }

    fn runtime(&self) -> Option<&(Runtime, Client)> {
        let time = self.form.answer_time;
        let make = || {
            let mut runtime = tokio::runtime::Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).enable_all().build().ok()?;
            let patience = Patience {
                connect_time: Duration::from_secs(3),
                head_time: time,
                silence_time: time,
                answer_time: time,
                retries: 0,
                ..Patience::default()
            };
            Some((runtime, Client::new(patience, &self.proxies).ok()?))
        };
        self.runtime.get_or_init(make).as_ref()
    }

    fn body(&self, question: Question<'_>, is_plain: bool) -> Vec<u8> {
        let message = |role, text: &str| Entry {
            source: Source { step: 0, result: None },
            role,
            time: None,
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![Block::Text(text.to_owned())],
        };
        let entries = [message(Role::System, question.system), message(Role::User, question.user)];
        let prompt = Prompt {
            model: &self.server.model,
            entries: &entries,
            tools: &[],
            output_tokens_max: Some(self.form.output_tokens).filter(|_| !is_plain),
            drops_bound_thinking: false,
        };
        let (name, schema) = self.form.schema;
        let wish = Wish { temperature: self.form.temperature, schema: Some((name, schema())) };
        match is_plain {
            true => encode(self.server.dialect, &prompt),
            false => encode_wish(self.server.dialect, &prompt, &wish),
        }
    }
}

/// Something of an answer on its way between threads.
enum Piece {
    Heard(Heard),
    End(Box<Result<Said, AskError>>),
}

fn pass_on(sender: &SyncSender<Piece>, event: AskEvent) {
    let heard = match event {
        AskEvent::Said(SaidEvent::Reasoning(text)) => Heard::Thinks(text),
        AskEvent::Said(SaidEvent::Text(text)) => Heard::Answers(text),
        AskEvent::Said(_) | AskEvent::Again { .. } => return,
    };
    // All of it comes with the end: a piece may be missed.
    drop(sender.try_send(Piece::Heard(heard)));
}

/// Waits for the end of an answer, and counts the tokens that are heard of it.
fn wait(
    pieces: &Receiver<Piece>,
    until: Instant,
    listener: &Listener<'_>,
    tokens: &mut u64,
) -> Result<Said, Failure> {
    let mut heard_at = Instant::now();
    loop {
        if (listener.is_over)() {
            return Err(Failure::Other(NoAnswer::Cancelled));
        }
        let now = Instant::now();
        if now >= until {
            return Err(Failure::Other(NoAnswer::TimedOut));
        }
        if now.duration_since(heard_at) >= QUIET_TIME {
            heard_at = now;
            (listener.hear)(Heard::Nothing);
        }
        match pieces.recv_timeout(LOOK_UP_TIME.min(until - now)) {
            Ok(Piece::Heard(heard)) => {
                heard_at = now;
                *tokens = tokens.saturating_add(heard.tokens());
                (listener.hear)(heard);
            }
            Ok(Piece::End(said)) => return said.map_err(Failure::from),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                let why = "the question broke off".to_owned();
                return Err(Failure::Other(NoAnswer::Failed(why)));
            }
        }
    }
}

/// Why there is no answer to one request.
enum Failure {
    /// The server does not take the request as it is.
    Refused(String),
    Other(NoAnswer),
}

impl From<AskError> for Failure {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Refused { said, .. } => Self::Refused(said.to_string()),
            AskError::Slow { .. } | AskError::Silent { .. } => Self::Other(NoAnswer::TimedOut),
            error => Self::Other(NoAnswer::Failed(error.to_string())),
        }
    }
}

fn told(said: Said) -> Answered {
    let tokens = tokens(&said.answer.billed);
    let (mut texts, mut thoughts) = (Vec::new(), Vec::new());
    for block in said.blocks {
        match block {
            Block::Text(text) => texts.push(text),
            Block::Reasoning(text) => thoughts.push(text),
            Block::Call(_) | Block::Result(_) | Block::Opaque { .. } => {}
        }
    }
    Answered { text: texts.join("\n"), thinking: thoughts.join("\n"), tokens }
}

fn tokens(billed: &Billed) -> u64 {
    let Billed { uncached, cache_read, cache_write_5m, cache_write_1h, output, .. } = billed;
    let all = [uncached, cache_read, cache_write_5m, cache_write_1h, output];
    all.into_iter().flatten().fold(0, |sum, tokens| sum.saturating_add(*tokens))
}

impl Drop for SideAgent {
    fn drop(&mut self) {
        // Nothing is waited for, wherever this is dropped.
        if let Some(Some((runtime, _))) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for SideAgent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SideAgent").field("model", &self.model).finish_non_exhaustive()
    }
}
