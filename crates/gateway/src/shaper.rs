//! The interface between the gateway and the code that shapes bodies.

use foveal_proxy::compress::{self, CompressError, CompressedMessages};
use foveal_proxy::recorder::RecorderError;
use foveal_proxy::request::{self, DecisionSlot, PrefetchTicket, RequestReport};
use foveal_proxy::{Compressor, RequestShaper};
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, USER_AGENT};

use crate::exchange::Exchange;
use crate::request_purpose;

/// The header by which a client chooses a profile, or `off`.
const PROFILE_HEADER: HeaderName = HeaderName::from_static("x-foveal");

/// The header by which Codex names the program that it is part of.
const ORIGINATOR_HEADER: HeaderName = HeaderName::from_static("originator");

/// Shapes the bodies of requests.
pub trait Shaper: Send + Sync {
    /// Returns the body to send upstream. Called on a thread that may block. A panic costs only the
    /// saving: the fallback is sent then.
    fn shape(&self, asked: &ClientRequest) -> ShapedRequest;

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

/// A request as its client sent it.
#[derive(Debug, Clone)]
pub struct ClientRequest {
    /// The protocol of its API.
    pub protocol: Protocol,
    /// Whether it only counts tokens. Decisions about it are not final then.
    pub counts_tokens: bool,
    /// The path that the client asked for, with its query.
    pub path: String,
    /// The name of the upstream.
    pub upstream: String,
    /// The client's headers.
    pub headers: HeaderMap,
    /// The body, decoded.
    pub body: Bytes,
    /// The time of its arrival.
    pub now: Timestamp,
    /// The hand-over of the decision to the gateway, which may give up.
    pub decision: DecisionSlot,
}

/// The outcome of shaping a request.
#[derive(Debug, Clone, Default)]
pub struct ShapedRequest {
    /// The new body; `None` for the client's own bytes.
    pub body: Option<Bytes>,
    /// The report for logs and figures.
    pub report: RequestReport,
    /// The ticket to prepare the conversation's next request.
    pub prefetch: Option<PrefetchTicket>,
}

/// Returns the profile, or `off`, that a client asks for.
pub(crate) fn profile_override(headers: &HeaderMap) -> Option<&str> {
    headers.get(PROFILE_HEADER).and_then(|wish| wish.to_str().ok())
}

/// Returns the names by which a client identifies itself.
fn agent_names(headers: &HeaderMap) -> Vec<&str> {
    let named = [USER_AGENT, ORIGINATOR_HEADER].into_iter().filter_map(|name| headers.get(name));
    named.filter_map(|name| name.to_str().ok()).collect()
}

impl Shaper for RequestShaper {
    fn shape(&self, asked: &ClientRequest) -> ShapedRequest {
        let model = request_purpose::model_in_path(&asked.path);
        let profile =
            self.choose_profile(&asked.body, model.as_deref(), &agent_names(&asked.headers));
        let shaped = RequestShaper::shape(
            self,
            &request::ShapeRequest {
                protocol: asked.protocol,
                counts_tokens: asked.counts_tokens,
                model: model.as_deref(),
                upstream: &asked.upstream,
                body: &asked.body,
                now: asked.now,
                profile_override: profile_override(&asked.headers).or(profile),
                decision: &asked.decision,
            },
        );
        ShapedRequest {
            body: shaped.body.map(Bytes::from),
            report: shaped.report,
            prefetch: shaped.prefetch,
        }
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
    fn shape(&self, asked: &ClientRequest) -> ShapedRequest {
        Shaper::shape(&self.requests, asked)
    }

    fn learn(&self, exchange: &Exchange) {
        Shaper::learn(&self.requests, exchange);
    }

    fn prefetch(&self, ready: &PrefetchTicket) {
        Shaper::prefetch(&self.requests, ready);
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
    fn shape(&self, _: &ClientRequest) -> ShapedRequest {
        ShapedRequest::default()
    }
}
