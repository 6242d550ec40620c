//! What decides about the bodies of requests, as the gateway sees it.

use foveal_live::compress::{self, Compressed, NotCompressed};
use foveal_live::recorder::Unrecorded;
use foveal_live::request::{self, About, ToGetReady, Wait};
use foveal_live::{Compressor, Conversations};
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use hyper::body::Bytes;
use hyper::header::{HeaderMap, HeaderName, USER_AGENT};

use crate::exchange::Exchange;
use crate::route;

/// The header by which a client says what it wants: the name of a profile, or `off`.
const WISH_HEADER: HeaderName = HeaderName::from_static("x-foveal");

/// The header by which Codex names the program that it is part of.
const ORIGINATOR: HeaderName = HeaderName::from_static("originator");

/// Decides what goes to the upstream in place of what a client sent.
pub trait Shaper: Send + Sync {
    /// The body that goes upstream. Called on a thread that may block. A panic costs nothing but
    /// the saving: what was decided earlier goes then, or the client's own bytes.
    fn shape(&self, asked: &Asked) -> Shaped;

    /// Learns from an exchange that has ended how long prompts may become.
    fn learn(&self, _: &Exchange) {}

    /// Gets ready for the next request of a conversation. Called on a thread of its own, once the
    /// answer comes. A panic costs nothing but time.
    fn get_ready(&self, _: &ToGetReady) {}

    /// The messages of `body`, for a caller that sends them itself. Called on a thread that may
    /// block. After a panic they go as they came.
    ///
    /// # Errors
    /// [`NotCompressed`].
    fn compress(&self, body: &[u8], _now: Timestamp) -> Result<Compressed, NotCompressed> {
        compress::unchanged(body)
    }

    /// The content that a hash in such messages names, or what `query` is about of it; `None`
    /// where none is kept.
    ///
    /// # Errors
    /// [`Unrecorded`] where nobody can say.
    fn original(&self, _hash: &str, _query: Option<&str>) -> Result<Option<String>, Unrecorded> {
        Ok(None)
    }
}

/// A request as its client sent it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The API that it speaks.
    pub protocol: Protocol,
    /// Whether only tokens are counted: then nothing is decided for good.
    pub counts: bool,
    /// The path that the client asked for, with its query.
    pub path: String,
    /// The name of the upstream that is asked.
    pub upstream: String,
    /// The client's headers.
    pub headers: HeaderMap,
    /// The body, decoded.
    pub body: Bytes,
    /// When it came.
    pub now: Timestamp,
    /// Whether its answer is still waited for.
    pub wait: Wait,
}

/// What a shaper made of a request.
#[derive(Debug, Clone, Default)]
pub struct Shaped {
    /// The body in place of the client's; `None`: the client's own bytes.
    pub body: Option<Bytes>,
    /// What is to be told of it.
    pub about: About,
    /// What can be got ready for the next one.
    pub ready: Option<ToGetReady>,
}

/// What a client asks of foveal itself.
pub(crate) fn wish(headers: &HeaderMap) -> Option<&str> {
    headers.get(WISH_HEADER).and_then(|wish| wish.to_str().ok())
}

/// How a client calls itself.
fn agents(headers: &HeaderMap) -> Vec<&str> {
    let named = [USER_AGENT, ORIGINATOR].into_iter().filter_map(|name| headers.get(name));
    named.filter_map(|name| name.to_str().ok()).collect()
}

impl Shaper for Conversations {
    fn shape(&self, asked: &Asked) -> Shaped {
        let model = route::model(&asked.path);
        let profile = self.profile(&asked.body, model.as_deref(), &agents(&asked.headers));
        let shaped = Conversations::shape(
            self,
            &request::Asked {
                protocol: asked.protocol,
                counts: asked.counts,
                model: model.as_deref(),
                upstream: &asked.upstream,
                body: &asked.body,
                now: asked.now,
                wish: wish(&asked.headers).or(profile),
                wait: &asked.wait,
            },
        );
        Shaped { body: shaped.body.map(Bytes::from), about: shaped.about, ready: shaped.ready }
    }

    fn learn(&self, exchange: &Exchange) {
        let (Some(protocol), Some(answered)) = (exchange.protocol, &exchange.answered) else {
            return;
        };
        let (upstream, about) = (&*exchange.upstream, &exchange.about);
        if let Some(overflow) = answered.overflow {
            self.learn_overflow(upstream, about, overflow);
            return;
        }
        if let Some(prompt) = answered.billed.prompt().filter(|prompt| *prompt > 0) {
            self.learn_usage(upstream, protocol, about, prompt);
        }
    }

    fn get_ready(&self, ready: &ToGetReady) {
        Conversations::get_ready(self, ready);
    }
}

/// Decides about requests, and about messages for callers that send them themselves.
pub struct WithCompressor {
    /// About requests.
    pub requests: Conversations,
    /// About messages.
    pub messages: Compressor,
}

impl Shaper for WithCompressor {
    fn shape(&self, asked: &Asked) -> Shaped {
        Shaper::shape(&self.requests, asked)
    }

    fn learn(&self, exchange: &Exchange) {
        Shaper::learn(&self.requests, exchange);
    }

    fn get_ready(&self, ready: &ToGetReady) {
        Shaper::get_ready(&self.requests, ready);
    }

    fn compress(&self, body: &[u8], now: Timestamp) -> Result<Compressed, NotCompressed> {
        self.messages.compress(body, now)
    }

    fn original(&self, hash: &str, query: Option<&str>) -> Result<Option<String>, Unrecorded> {
        self.messages.original(hash, query)
    }
}

/// Lets everything pass as it came.
#[derive(Debug, Clone, Copy, Default)]
pub struct Untouched;

impl Shaper for Untouched {
    fn shape(&self, _: &Asked) -> Shaped {
        Shaped::default()
    }
}
