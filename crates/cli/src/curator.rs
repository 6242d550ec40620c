//! A model that chooses what is shown of files, where the user names one.
//!
//! It is asked about what is read, with the built-in curator behind it: whatever goes wrong, files
//! are shown as without it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use foveal_context::views::model::{Ask, AskError, ModelRequest, ModelViews};
use foveal_context::views::{Read, View, Views, Wanted};
use foveal_llm::{AskError as LlmError, Client, ModelSpec, Patience, Server};
use foveal_transcript::{Block, Entry, Mark, Role, Source};
use foveal_wire::prompt::{Prompt, Wish, encode, encode_wish};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::environment::Environment;
use crate::models;

/// How long one answer is waited for.
const ANSWER_TIME: Duration = Duration::from_secs(30);

/// How long all answers about one file are waited for.
const FILE_TIME: Duration = Duration::from_secs(60);

/// After a failure nobody is asked for this long: each read would wait for it.
const PAUSE: Duration = Duration::from_secs(120);

/// Tokens of an answer.
const OUTPUT_TOKENS: u64 = 1_500;

/// A model that is asked which lines of files to show.
pub(crate) struct Curator {
    server: Arc<Server>,
    /// Made when it is first asked.
    runtime: OnceLock<Option<(Runtime, Client)>>,
    /// Whether its server refuses to be told how answers are to be.
    is_plain: AtomicBool,
    failed: Mutex<Option<Instant>>,
}

impl Curator {
    /// The model that the user names for it.
    ///
    /// # Errors
    /// If its key is not set.
    pub(crate) fn of(spec: &ModelSpec, environment: &Environment) -> anyhow::Result<Self> {
        let server = Arc::new(models::named(spec.clone(), environment)?.server);
        let (runtime, is_plain, failed) =
            (OnceLock::new(), AtomicBool::new(false), Mutex::default());
        Ok(Self { server, runtime, is_plain, failed })
    }

    fn runtime(&self) -> Option<&(Runtime, Client)> {
        let make = || {
            let mut runtime = tokio::runtime::Builder::new_multi_thread();
            let runtime = runtime.worker_threads(1).enable_all().build().ok()?;
            let patience = Patience {
                connect_time: Duration::from_secs(3),
                head_time: ANSWER_TIME,
                silence_time: ANSWER_TIME,
                answer_time: ANSWER_TIME,
                retries: 0,
                ..Patience::default()
            };
            Some((runtime, Client::new(patience).ok()?))
        };
        self.runtime.get_or_init(make).as_ref()
    }

    fn body(&self, request: &ModelRequest, is_plain: bool) -> Vec<u8> {
        let message = |role, text: &str| Entry {
            source: Source { step: 0, result: None },
            role,
            time: None,
            mark: Mark::None,
            model: None,
            usage: None,
            blocks: vec![Block::Text(text.to_owned())],
        };
        let entries = [message(Role::System, &request.system), message(Role::User, &request.user)];
        let prompt = Prompt {
            model: &self.server.model,
            entries: &entries,
            tools: &[],
            output_tokens_max: Some(OUTPUT_TOKENS).filter(|_| !is_plain),
        };
        let wish =
            Wish { temperature: request.temperature, schema: Some(("line_ranges", schema())) };
        match is_plain {
            true => encode(self.server.dialect, &prompt),
            false => encode_wish(self.server.dialect, &prompt, &wish),
        }
    }

    fn ask(&self, body: Vec<u8>, time: Duration) -> Result<String, Failure> {
        if time.is_zero() {
            return Err(Failure::Other(AskError::TimedOut));
        }
        let (runtime, client) = self.runtime().ok_or_else(|| failed("it cannot be asked"))?;
        let (sender, answer) = sync_channel(1);
        let (client, server) = (client.clone(), Arc::clone(&self.server));
        let asking = runtime.spawn(async move {
            let said = client.ask(&server, body, 1, &mut |_| {}).await;
            // Who no longer waits has gone on without it.
            drop(sender.try_send(said));
        });
        match answer.recv_timeout(time) {
            Ok(Ok(said)) => {
                let texts = said.blocks.iter().filter_map(|block| match block {
                    Block::Text(text) => Some(text.as_str()),
                    _ => None,
                });
                Ok(texts.collect::<Vec<_>>().join("\n"))
            }
            Ok(Err(LlmError::Refused { said, .. })) => Err(Failure::Refused(said.to_string())),
            Ok(Err(LlmError::Slow { .. } | LlmError::Silent { .. })) => {
                Err(Failure::Other(AskError::TimedOut))
            }
            Ok(Err(error)) => Err(failed(&error.to_string())),
            Err(_) => {
                asking.abort();
                Err(Failure::Other(AskError::TimedOut))
            }
        }
    }

    fn is_paused(&self) -> bool {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.is_some_and(|at| at.elapsed() < PAUSE)
    }
}

/// Why there is no answer.
enum Failure {
    /// The server does not take the request as it is.
    Refused(String),
    Other(AskError),
}

fn failed(message: &str) -> Failure {
    Failure::Other(AskError::Failed { message: message.to_owned() })
}

impl Drop for Curator {
    fn drop(&mut self) {
        // Nothing is waited for, wherever this is dropped.
        if let Some(Some((runtime, _))) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Curator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Curator").field("model", &self.server.model).finish_non_exhaustive()
    }
}

/// Questions about one file.
struct AboutOne<'a> {
    curator: &'a Curator,
    begun: Instant,
}

impl AboutOne<'_> {
    fn ask(&self, request: &ModelRequest, is_plain: bool) -> Result<String, Failure> {
        let left = FILE_TIME.saturating_sub(self.begun.elapsed()).min(ANSWER_TIME);
        self.curator.ask(self.curator.body(request, is_plain), left)
    }
}

impl Ask for AboutOne<'_> {
    fn complete(&self, request: &ModelRequest) -> Result<String, AskError> {
        let Curator { is_plain: plain, failed, .. } = self.curator;
        let is_plain = plain.load(Ordering::Relaxed);
        let answered = match self.ask(request, is_plain) {
            Err(Failure::Refused(_)) if !is_plain => {
                // It may not know of schemas, or of the temperature.
                let answered = self.ask(request, true);
                plain.store(answered.is_ok(), Ordering::Relaxed);
                answered
            }
            answered => answered,
        };
        let error = match answered {
            Ok(text) => return Ok(text),
            Err(Failure::Refused(message)) => AskError::Failed { message },
            Err(Failure::Other(error)) => error,
        };
        *failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        Err(error)
    }
}

/// What an answer is, as a schema of JSON.
fn schema() -> Value {
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

/// Views by a model, and by somebody else where it does not answer.
#[derive(Debug)]
pub(crate) struct ModelFirst {
    model: Arc<Curator>,
    otherwise: Arc<dyn Views>,
}

impl ModelFirst {
    pub(crate) fn new(model: &Arc<Curator>, otherwise: Arc<dyn Views>) -> Self {
        Self { model: Arc::clone(model), otherwise }
    }
}

impl Views for ModelFirst {
    fn view(&self, read: &Read<'_>, wanted: Wanted) -> Option<View> {
        let asks = matches!(wanted, Wanted::Curated(_)) && !self.model.is_paused();
        let about = || AboutOne { curator: &self.model, begun: Instant::now() };
        let chosen = asks.then(|| ModelViews::new(about()).view(read, wanted)).flatten();
        chosen.or_else(|| self.otherwise.view(read, wanted))
    }

    fn each(&self, reads: &[(Read<'_>, Wanted)]) -> Vec<Option<View>> {
        match reads.iter().any(|(_, wanted)| matches!(wanted, Wanted::Curated(_))) {
            true => reads.iter().map(|(read, wanted)| self.view(read, *wanted)).collect(),
            false => self.otherwise.each(reads),
        }
    }

    fn gets_ready(&self) -> bool {
        self.otherwise.gets_ready()
    }

    fn comes(&self, path: &str, text: String) {
        self.otherwise.comes(path, text);
    }
}
