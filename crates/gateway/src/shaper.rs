//! The interface between the gateway and the code that shapes bodies.

use foveal_proxy::compress::{self, CompressError, CompressedMessages};
use foveal_proxy::recorder::RecorderError;
use foveal_proxy::request::{PrefetchTicket, ShapeOutcome, ShapeRequest};
use foveal_proxy::{Compressor, RequestShaper};
use foveal_transcript::Timestamp;

use crate::exchange::Exchange;

/// Shapes the bodies of requests.
pub trait Shaper: Send + Sync {
    /// Returns the body to send upstream. Called on a thread that may block. A panic costs only the
    /// saving: the fallback is sent then.
    fn shape(&self, received: &ShapeRequest<'_>) -> ShapeOutcome;

    /// Learns the limits of prompts from an exchange that has ended.
    fn learn(&self, _: &Exchange) {}

    /// Prepares the next request of a conversation. Called on a background thread once the response
    /// begins. A panic costs only the preparation.
    fn prefetch(&self, _: &PrefetchTicket) {}

    /// Compresses the messages of `body` for a caller that sends them itself. Called on a thread
    /// that may block. After a panic the messages are returned unchanged.
    ///
    /// # Errors
    /// [`CompressError`].
    fn compress(&self, body: &[u8], _now: Timestamp) -> Result<CompressedMessages, CompressError> {
        compress::passthrough(body)
    }

    /// Returns the content with a hash from such messages, or only the lines of it that match
    /// `query`; `None` if it is not stored.
    ///
    /// # Errors
    /// [`RecorderError`] if the store cannot be read.
    fn retrieve_original(
        &self,
        _hash: &str,
        _query: Option<&str>,
    ) -> Result<Option<String>, RecorderError> {
        Ok(None)
    }
}

impl Shaper for RequestShaper {
    fn shape(&self, received: &ShapeRequest<'_>) -> ShapeOutcome {
        RequestShaper::shape(self, received)
    }

    fn learn(&self, exchange: &Exchange) {
        let (Some(protocol), Some(answered)) = (exchange.protocol, &exchange.response) else {
            return;
        };
        let (upstream, about) = (&*exchange.upstream, &exchange.report);
        if let Some(overflow) = answered.overflow {
            self.learn_overflow(upstream, about, overflow);
            return;
        }
        if let Some(prompt) = answered.billed.prompt_tokens().filter(|prompt| *prompt > 0) {
            self.learn_usage(upstream, protocol, about, prompt);
        }
    }

    fn prefetch(&self, ready: &PrefetchTicket) {
        RequestShaper::prefetch(self, ready);
    }
}

/// Shapes requests, and compresses messages for callers that send them themselves.
pub struct CompressingShaper {
    /// Shapes requests.
    pub requests: RequestShaper,
    /// Compresses messages.
    pub messages: Compressor,
}

impl Shaper for CompressingShaper {
    fn shape(&self, received: &ShapeRequest<'_>) -> ShapeOutcome {
        self.requests.shape(received)
    }

    fn learn(&self, exchange: &Exchange) {
        Shaper::learn(&self.requests, exchange);
    }

    fn prefetch(&self, ready: &PrefetchTicket) {
        self.requests.prefetch(ready);
    }

    fn compress(&self, body: &[u8], now: Timestamp) -> Result<CompressedMessages, CompressError> {
        self.messages.compress(body, now)
    }

    fn retrieve_original(
        &self,
        hash: &str,
        query: Option<&str>,
    ) -> Result<Option<String>, RecorderError> {
        self.messages.retrieve_original(hash, query)
    }
}

/// Leaves every body unchanged.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoopShaper;

impl Shaper for NoopShaper {
    fn shape(&self, _: &ShapeRequest<'_>) -> ShapeOutcome {
        ShapeOutcome::default()
    }
}
