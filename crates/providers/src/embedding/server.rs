//! The embedder that asks a server.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use foveal_relevance::embedding::{BatchPreference, Embedder, EmbeddingError, ModelId, Vector};
use foveal_transcript::CancelToken;

use crate::ApiKey;
use crate::backoff::backoff_delay;

use crate::embedding::answer;
use crate::embedding::connection::EmbeddingConnection;
use crate::embedding::error::EmbeddingServerError;
use crate::embedding::request_limits::EmbeddingRequestLimits;
use crate::embedding::spec::EmbeddingServerSpec;

/// The number of texts in one request: the limit of the strictest servers.
const TEXTS_MAX: usize = 32;

/// The number of texts that callers collect for one call. One place is left for the text by which
/// an index recognises a model.
const BATCH_TEXTS: usize = TEXTS_MAX - 1;

/// The bytes of all texts in one request, unless it has a single one.
const REQUEST_BYTES_MAX: usize = 64 << 10;

/// A text that every model can embed.
const PROBE_TEXT: &str = "text";

/// A shorter text that cannot be embedded is not cut again.
const SPLIT_BYTES_MIN: usize = 512;

/// The interval of checks for cancellation during a wait.
const CANCEL_POLL_TIME: Duration = Duration::from_millis(50);

/// A model on an embedding server.
pub struct ServerEmbedder {
    connection: Arc<EmbeddingConnection>,
    cancel: CancelToken<'static>,
}

impl ServerEmbedder {
    /// Creates an embedder with the model that `spec` names. Sends nothing. `cancel` ends pending
    /// requests and the delays between them.
    pub fn new(
        spec: EmbeddingServerSpec,
        key: Option<ApiKey>,
        patience: EmbeddingRequestLimits,
        cancel: CancelToken<'static>,
    ) -> Self {
        let connection = Arc::new(EmbeddingConnection::new(spec, key, patience));
        Self { connection, cancel }
    }

    /// Embeds the texts of one request. If they fail but a plain text succeeds, embeds them in
    /// parts.
    fn embed_texts(
        &self,
        texts: &[&str],
        vectors: &mut Vec<Vector>,
    ) -> Result<(), EmbeddingServerError> {
        match self.request_with_retries(texts, true) {
            Ok(given) => {
                vectors.extend(given);
                Ok(())
            }
            // A server that fails at every text is not asked for every part.
            Err(error) if may_depend_on_texts(&error) => {
                match self.request_with_retries(&[PROBE_TEXT], false) {
                    Ok(_) => self.embed_in_parts(texts, vectors),
                    Err(_) => Err(error),
                }
            }
            Err(error) => Err(error),
        }
    }

    /// Embeds texts that fail together: each half of them, down to the beginning of a single text.
    /// A short text that fails alone gets a zero vector, which is similar to no other, so that it
    /// does not stop the work on the others.
    fn embed_in_parts(
        &self,
        texts: &[&str],
        vectors: &mut Vec<Vector>,
    ) -> Result<(), EmbeddingServerError> {
        match texts {
            [] => Ok(()),
            [text] if text.len() >= SPLIT_BYTES_MIN => {
                let beginning = &text[..text.floor_char_boundary(text.len() / 2)];
                self.embed_part(&[beginning], false, vectors)
            }
            [_] => {
                let plain = self.request_with_retries(&[PROBE_TEXT], false)?;
                let zero = |vector: Vector| vec![0.0; vector.components().len()];
                vectors.extend(plain.into_iter().map(zero).map(Vector::normalized));
                Ok(())
            }
            _ => {
                let (first, second) = texts.split_at(texts.len() / 2);
                self.embed_part(first, first.len() == 1, vectors)?;
                self.embed_part(second, second.len() == 1, vectors)
            }
        }
    }

    fn embed_part(
        &self,
        texts: &[&str],
        is_repeated: bool,
        vectors: &mut Vec<Vector>,
    ) -> Result<(), EmbeddingServerError> {
        match self.request_with_retries(texts, is_repeated) {
            Ok(given) => {
                vectors.extend(given);
                Ok(())
            }
            Err(error) if may_depend_on_texts(&error) => self.embed_in_parts(texts, vectors),
            Err(error) => Err(error),
        }
    }

    /// Sends a request, repeated while the server is overloaded, and if `is_repeated` also while it
    /// fails.
    fn request_with_retries(
        &self,
        texts: &[&str],
        is_repeated: bool,
    ) -> Result<Vec<Vector>, EmbeddingServerError> {
        let body: Arc<[u8]> = answer::encode_request(self.connection.spec.model(), texts).into();
        let mut attempt = 1;
        loop {
            let error = match self.send_cancellable(&body, texts.len()) {
                Ok(vectors) => return Ok(vectors),
                Err(error) => error,
            };
            let asked = match &error {
                EmbeddingServerError::RateLimited { wait, .. } => *wait,
                EmbeddingServerError::ServerFailed { .. } if is_repeated => None,
                _ => return Err(error),
            };
            let patience = self.connection.patience;
            let (retries, most) = (patience.retries, patience.wait_max);
            let Some(wait) = backoff_delay(attempt, asked, retries, most) else {
                return Err(error);
            };
            self.sleep_cancellable(wait)?;
            attempt += 1;
        }
    }

    /// Sends a request on its own thread. On cancellation, the thread is left behind: it ends when
    /// the server responds, or at the time-out of the request.
    fn send_cancellable(
        &self,
        body: &Arc<[u8]>,
        count: usize,
    ) -> Result<Vec<Vector>, EmbeddingServerError> {
        self.check_cancelled()?;
        let (sender, receiver) = sync_channel(1);
        let (connection, sent) = (Arc::clone(&self.connection), Arc::clone(body));
        let work = move || {
            // This fails if the caller no longer waits.
            drop(sender.send(connection.send(&sent, count)));
        };
        if thread::Builder::new().spawn(work).is_err() {
            return self.connection.send(body, count);
        }
        loop {
            match receiver.recv_timeout(CANCEL_POLL_TIME) {
                Ok(answer) => return answer,
                Err(RecvTimeoutError::Timeout) => self.check_cancelled()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let (url, reason) =
                        (self.connection.url.clone(), "the request was interrupted");
                    return Err(EmbeddingServerError::Unreachable {
                        url,
                        reason: reason.to_owned(),
                    });
                }
            }
        }
    }

    fn sleep_cancellable(&self, time: Duration) -> Result<(), EmbeddingServerError> {
        let end = Instant::now() + time;
        loop {
            self.check_cancelled()?;
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            thread::sleep(left.min(CANCEL_POLL_TIME));
        }
    }

    fn check_cancelled(&self) -> Result<(), EmbeddingServerError> {
        let url = || self.connection.url.clone();
        if self.cancel.is_cancelled() {
            Err(EmbeddingServerError::Cancelled { url: url() })
        } else {
            Ok(())
        }
    }
}

impl Embedder for ServerEmbedder {
    fn identity(&self) -> ModelId {
        self.connection.spec.identity()
    }

    fn batch_preference(&self) -> BatchPreference {
        BatchPreference::Batches { texts: BATCH_TEXTS }
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vector>, EmbeddingError> {
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = texts;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(request_text_count(rest));
            self.embed_texts(now, &mut vectors)
                .map_err(|error| EmbeddingError::Unusable(Box::new(error)))?;
            rest = later;
        }
        Ok(vectors)
    }
}

/// Returns whether the error may depend on the texts: servers reject too much text, and some fail
/// on texts that yield invalid numbers. An overloaded server reports that.
fn may_depend_on_texts(error: &EmbeddingServerError) -> bool {
    matches!(
        error,
        EmbeddingServerError::RequestRejected { .. }
            | EmbeddingServerError::ServerFailed { status: 500, .. }
    )
}

/// Returns how many of the first `texts` fit into one request; at least one.
fn request_text_count(texts: &[&str]) -> usize {
    let mut bytes = 0;
    let fits = texts.iter().take(TEXTS_MAX).take_while(|text| {
        bytes += text.len();
        bytes <= REQUEST_BYTES_MAX
    });
    fits.count().max(1)
}
