//! What is told of each request once its answer has gone.

use std::time::Duration;

use foveal_live::request::About;
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use foveal_wire::response::{Billed, ContextOverflow};

use crate::trace_parent::TraceParent;

/// Is told of every request. Never told: headers, but for which trace a request belongs to and what
/// it asks of foveal itself, and what was said.
pub trait Observer: Send + Sync {
    /// A request has ended.
    fn ended(&self, exchange: &Exchange);

    /// A request was refused before it was known where it goes.
    fn refused(&self, _: &RefusedRequest<'_>) {}

    /// What it counted, in Prometheus' text format, for `/metrics`; `None` where nothing is.
    fn metrics(&self) -> Option<String> {
        None
    }
}

/// A request that foveal refused: its client may not ask, or it is not clear who is asked.
#[derive(Debug, Clone, Copy)]
pub struct RefusedRequest<'a> {
    /// When it came.
    pub time: Timestamp,
    /// What the client was answered.
    pub status: u16,
    /// The method.
    pub method: &'a str,
    /// The path without the query, as the client spelled it.
    pub path: &'a str,
    /// Why, in words for people.
    pub reason: &'a str,
}

/// Looks at nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unobserved;

impl Observer for Unobserved {
    fn ended(&self, _: &Exchange) {}
}

/// One request and its answer.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// Counts requests since the start, from 1.
    pub number: u64,
    /// When it came.
    pub time: Timestamp,
    /// The API, where it is one of a model.
    pub protocol: Option<Protocol>,
    /// What it asks for.
    pub purpose: Purpose,
    /// Which refresh since the last request of its conversation it is, counted from 1, where foveal
    /// itself asked, to keep a cache warm.
    pub refresh: Option<u32>,
    /// Who was asked.
    pub upstream: String,
    /// The host of that server, and its port.
    pub server: String,
    /// 0 where it is not clear.
    pub port: u16,
    /// The span that it is part of, in the client's own trace.
    pub parent: Option<TraceParent>,
    /// What the client asks of foveal itself, as it spelled that: the name of a profile, or `off`.
    pub wish: Option<String>,
    /// What the shaper tells.
    pub about: About,
    /// Why what was decided earlier went alone, or the client's own bytes.
    pub failed_open: Option<FailedOpen>,
    /// Bytes of the body as it came, decoded.
    pub bytes_asked: u64,
    /// Bytes of the body as it went.
    pub bytes_sent: u64,
    /// What the client was answered.
    pub status: u16,
    /// What the answer tells of itself, where it is a model's.
    pub answered: Option<Answered>,
    /// How the answer ended.
    pub end: End,
    /// From the whole request to the first byte towards the upstream.
    pub added: Duration,
    /// From the request to the head of the answer.
    pub head: Duration,
    /// From the request to the end of the answer.
    pub whole: Duration,
    /// Bytes of the answer's body, as they passed.
    pub bytes_answered: u64,
}

impl Exchange {
    /// Whether a model is asked for an answer: nobody pays for the others, and nothing of a
    /// conversation is in them that is not in those.
    pub fn asks_model(&self) -> bool {
        // The gateway writes the head of a connection that it hands over.
        let is_handed_over = self.status == SWITCHING_PROTOCOLS;
        let is_passed =
            self.purpose == Purpose::WebSocket && (self.end != End::Own || is_handed_over);
        self.protocol.is_some() && (self.purpose == Purpose::Answer || is_passed)
    }
}

/// The status with which a connection becomes a WebSocket.
const SWITCHING_PROTOCOLS: u16 = 101;

/// What a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// A model's answer.
    Answer,
    /// How many tokens a conversation has.
    Count,
    /// A connection over which a client would speak on its own terms.
    WebSocket,
    /// Anything else.
    Other,
}

/// What an answer tells of itself. Nothing in it was said in the conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Answered {
    /// What it is billed for.
    pub billed: Billed,
    /// The model that answered.
    pub model: Option<String>,
    /// Why it stopped.
    pub stop_reason: Option<String>,
    /// The provider's name for what went wrong.
    pub error: Option<String>,
    /// That the prompt is longer than the model takes, where that went wrong.
    pub overflow: Option<ContextOverflow>,
}

/// Why nothing new was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailedOpen {
    /// The decision took too long.
    Late,
    /// The shaper panicked.
    Panicked,
    /// The body's encoding is none that can be read.
    Encoding,
    /// The body is longer than what is looked at.
    TooLong,
    /// Requests that are under way hold so many bytes that there is no room to look at this one.
    Crowded,
}

impl FailedOpen {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::Late, Self::Panicked, Self::Encoding, Self::TooLong, Self::Crowded];

    /// A name to count by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Panicked => "panicked",
            Self::Encoding => "encoding",
            Self::TooLong => "too_long",
            Self::Crowded => "crowded",
        }
    }

    /// The words used in messages and figures.
    pub fn words(self) -> &'static str {
        match self {
            Self::Late => "the decision took too long",
            Self::Panicked => "deciding failed; this is a fault of foveal",
            Self::Encoding => "the body's encoding is unknown or broken",
            Self::TooLong => "the body is too long to be looked at",
            Self::Crowded => "too many bytes of requests are under way to look at this one",
        }
    }
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// All of it passed.
    Whole,
    /// The upstream broke off.
    UpstreamBroke,
    /// The client left.
    ClientLeft,
    /// The upstream could not be asked.
    Unreached,
    /// foveal itself answered.
    Own,
}

impl End {
    /// A name to count by.
    pub fn name(self) -> &'static str {
        match self {
            Self::Whole => "whole",
            Self::UpstreamBroke => "upstream_broke",
            Self::ClientLeft => "client_left",
            Self::Unreached => "unreached",
            Self::Own => "own",
        }
    }
}
