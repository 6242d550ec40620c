//! A server that is asked for vectors.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use foveal_asking::{ApiKey, wait_before};
use foveal_cancel::Cancel;
use foveal_code::embed::{EmbedError, Embedder, ModelId, Pace, Vector};

use crate::answer;
use crate::connection::Connection;
use crate::error::ServerError;
use crate::patience::Patience;
use crate::spec::ServerSpec;

/// Texts of one request: what servers take that take few.
const TEXTS_MAX: usize = 32;

/// Texts that callers collect for one call: one place is left for the text by which an
/// index recognises a model.
const BATCH_TEXTS: usize = TEXTS_MAX - 1;

/// Bytes of texts in one request, if they are more than one.
const REQUEST_BYTES_MAX: usize = 64 << 10;

/// What every model can embed.
const PLAIN_TEXT: &str = "text";

/// Bytes below which a text that cannot be embedded is not cut again.
const TEXT_BYTES_MIN: usize = 512;

/// How often an interruption is looked for while it is waited.
const LOOK_UP_TIME: Duration = Duration::from_millis(50);

/// A model behind a server.
pub struct ServerEmbedder {
    connection: Arc<Connection>,
    cancel: Cancel<'static>,
}

impl ServerEmbedder {
    /// The model that `spec` names. Nothing is sent before it is asked. `cancel` ends requests
    /// that have no answer yet, and waits between them.
    pub fn new(
        spec: ServerSpec,
        key: Option<ApiKey>,
        patience: Patience,
        cancel: Cancel<'static>,
    ) -> Self {
        let connection = Arc::new(Connection::new(spec, key, patience));
        Self { connection, cancel }
    }

    /// Vectors for a request's texts. Where these cannot be embedded but a plain text can,
    /// they are tried in parts.
    fn ask(&self, texts: &[&str], vectors: &mut Vec<Vector>) -> Result<(), ServerError> {
        match self.request(texts, true) {
            Ok(given) => {
                vectors.extend(given);
                Ok(())
            }
            // Who fails at everything is not asked for every part.
            Err(error) if may_be_of_texts(&error) => match self.request(&[PLAIN_TEXT], false) {
                Ok(_) => self.ask_parts(texts, vectors),
                Err(_) => Err(error),
            },
            Err(error) => Err(error),
        }
    }

    /// Vectors for texts that cannot be embedded together: for each half of them, down to the
    /// beginning of a single text. One that is short and fails alone gets a vector of 0, which
    /// is like no other, so that it does not stop the work for all others.
    fn ask_parts(&self, texts: &[&str], vectors: &mut Vec<Vector>) -> Result<(), ServerError> {
        match texts {
            [] => Ok(()),
            [text] if text.len() >= TEXT_BYTES_MIN => {
                let beginning = &text[..text.floor_char_boundary(text.len() / 2)];
                self.ask_part(&[beginning], false, vectors)
            }
            [_] => {
                let plain = self.request(&[PLAIN_TEXT], false)?;
                let zero = |vector: Vector| vec![0.0; vector.components().len()];
                vectors.extend(plain.into_iter().map(zero).map(Vector::normalized));
                Ok(())
            }
            _ => {
                let (first, second) = texts.split_at(texts.len() / 2);
                self.ask_part(first, first.len() == 1, vectors)?;
                self.ask_part(second, second.len() == 1, vectors)
            }
        }
    }

    fn ask_part(
        &self,
        texts: &[&str],
        is_repeated: bool,
        vectors: &mut Vec<Vector>,
    ) -> Result<(), ServerError> {
        match self.request(texts, is_repeated) {
            Ok(given) => {
                vectors.extend(given);
                Ok(())
            }
            Err(error) if may_be_of_texts(&error) => self.ask_parts(texts, vectors),
            Err(error) => Err(error),
        }
    }

    /// One request, repeated while the server is busy, and if `is_repeated` while it fails.
    fn request(&self, texts: &[&str], is_repeated: bool) -> Result<Vec<Vector>, ServerError> {
        let body: Arc<[u8]> = answer::request(self.connection.spec.model(), texts).into();
        let mut attempt = 1;
        loop {
            let error = match self.send(&body, texts.len()) {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            let asked = match &error {
                ServerError::Busy { wait, .. } => *wait,
                ServerError::Failing { .. } if is_repeated => None,
                _ => return Err(error),
            };
            let patience = self.connection.patience;
            let (retries, most) = (patience.retries, patience.wait_max);
            let Some(wait) = wait_before(attempt, asked, retries, most) else {
                return Err(error);
            };
            self.wait(wait)?;
            attempt += 1;
        }
    }

    /// Sends on a thread of its own, which is left behind where the work is stopped: it ends
    /// when the server answers, or after the time for one request.
    fn send(&self, body: &Arc<[u8]>, count: usize) -> Result<Vec<Vector>, ServerError> {
        self.check_cancelled()?;
        let (sender, receiver) = sync_channel(1);
        let (connection, sent) = (Arc::clone(&self.connection), Arc::clone(body));
        let work = move || {
            // Nobody waits for it any more if this fails.
            drop(sender.send(connection.send(&sent, count)));
        };
        if thread::Builder::new().spawn(work).is_err() {
            return self.connection.send(body, count);
        }
        loop {
            match receiver.recv_timeout(LOOK_UP_TIME) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => self.check_cancelled()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let (url, reason) = (self.connection.url.clone(), "the request broke off");
                    return Err(ServerError::Away { url, reason: reason.to_owned() });
                }
            }
        }
    }

    fn wait(&self, time: Duration) -> Result<(), ServerError> {
        let end = Instant::now() + time;
        loop {
            self.check_cancelled()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(LOOK_UP_TIME));
        }
    }

    fn check_cancelled(&self) -> Result<(), ServerError> {
        let url = || self.connection.url.clone();
        if self.cancel.is_cancelled() { Err(ServerError::Cancelled { url: url() }) } else { Ok(()) }
    }
}

impl Embedder for ServerEmbedder {
    fn identity(&self) -> ModelId {
        self.connection.spec.identity()
    }

    fn pace(&self) -> Pace {
        Pace::Batches { texts: BATCH_TEXTS }
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbedError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(fitting(rest));
            self.ask(now, &mut vectors).map_err(|error| EmbedError::Unusable(Box::new(error)))?;
            rest = later;
        }
        Ok(vectors)
    }
}

/// Whether other texts may fare better: too much is refused, and some servers fail at what
/// their model makes no numbers of. A server that is overloaded says so.
fn may_be_of_texts(error: &ServerError) -> bool {
    matches!(error, ServerError::Refused { .. } | ServerError::Failing { status: 500, .. })
}

/// How many of the first `texts` go into one request; at least one.
fn fitting(texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fits = texts.iter().take(TEXTS_MAX).take_while(|text| {
        bytes += text.len();
        bytes <= REQUEST_BYTES_MAX
    });
    fits.count().max(1)
}
