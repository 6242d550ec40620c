//! The client of model APIs, with retries.

use std::time::Duration;

use foveal_protocols::response::{DecodedAnswer, DecodedEvent};
use hyper::body::Bytes;

use crate::ProxySettings;
use crate::client::{self, HttpClient};

use crate::model::error::LlmError;
use crate::model::exchange::send_once;
use crate::model::request_limits::ModelRequestLimits;
use crate::model::server::ModelServer;

/// A client of model APIs. Cheap to clone; clones share connections.
#[derive(Clone)]
pub struct LlmClient {
    pub(crate) upward: HttpClient,
    pub(crate) patience: ModelRequestLimits,
}

/// An event while a request runs.
#[derive(Debug)]
pub enum ModelRequestEvent {
    /// More of the answer.
    Answer(DecodedEvent),
    /// The request is repeated after `wait`: the answer so far does not count.
    Retry {
        /// The error of the failed attempt.
        error: LlmError,
        /// The delay before the retry.
        wait: Duration,
    },
}

impl LlmClient {
    /// Creates a client with these limits and proxies.
    ///
    /// # Errors
    /// If TLS cannot be set up.
    pub fn new(
        patience: ModelRequestLimits,
        proxies: &ProxySettings,
    ) -> Result<Self, rustls::Error> {
        Ok(Self {
            upward: client::build_http_client(Some(patience.connect_time), proxies)?,
            patience,
        })
    }

    /// Sends `body`, in the dialect of `server`, and reports the answer while it arrives. `number`
    /// differs for each request of a conversation. Needs a Tokio runtime with time and network.
    /// Dropping the future closes the connection.
    ///
    /// # Errors
    /// [`LlmError`], if the request fails and a retry does not help.
    pub async fn stream_answer(
        &self,
        server: &ModelServer,
        body: impl Into<Bytes>,
        number: u64,
        on_event: &mut (dyn FnMut(ModelRequestEvent) + Send),
    ) -> Result<DecodedAnswer, LlmError> {
        let (body, mut next) = (body.into(), 1);
        loop {
            let (upward, patience) = (&self.upward, &self.patience);
            let mut on_said = |event| on_event(ModelRequestEvent::Answer(event));
            let sent = send_once(upward, patience, server, &body, number, &mut on_said).await;
            let error = match sent {
                Ok(said) => return Ok(said),
                Err(error) => error,
            };
            let may_pass = error.retry_hint().filter(|passing| next <= passing.retries_max);
            let wait = may_pass.and_then(|passing| self.patience.retry_delay(next, passing.asked));
            let Some(wait) = wait else { return Err(error) };
            on_event(ModelRequestEvent::Retry { error, wait });
            tokio::time::sleep(wait).await;
            next += 1;
        }
    }
}
