//! Exchanges: the facts about each request that are reported once its response has passed.

use std::time::Duration;

use foveal_protocols::Protocol;
use foveal_protocols::response::{BilledUsage, ContextOverflow};
use foveal_proxy::request::RequestReport;
use foveal_transcript::Timestamp;

use crate::trace_parent::TraceParent;

/// Receives a report of every request. Reports contain no text of conversations, and of the headers
/// only the trace parent and the profile override.
pub trait ExchangeObserver: Send + Sync {
    /// Called when a response has ended.
    fn on_exchange(&self, exchange: &Exchange);

    /// Called for a request that was refused before its upstream was known.
    fn on_refusal(&self, _: &RefusedRequest<'_>) {}

    /// Returns the counters for `/metrics` in Prometheus' text format; `None` if nothing is
    /// counted.
    fn metrics(&self) -> Option<String> {
        None
    }
}

/// A request that foveal refused: its client is not admitted, or its upstream is unclear.
#[derive(Debug, Clone, Copy)]
pub struct RefusedRequest<'a> {
    /// The time of its arrival.
    pub time: Timestamp,
    /// The status of the response.
    pub status: u16,
    /// The method.
    pub method: &'a str,
    /// The path without the query, as the client spelled it.
    pub path: &'a str,
    /// The reason, for the user.
    pub reason: &'a str,
}

/// Ignores all reports.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullObserver;

impl ExchangeObserver for NullObserver {
    fn on_exchange(&self, _: &Exchange) {}
}

/// One request and its response.
#[derive(Debug, Clone)]
pub struct Exchange {
    /// The number of the request since the start, from 1.
    pub number: u64,
    /// The time of its arrival.
    pub time: Timestamp,
    /// The protocol, if the API is one of a model.
    pub protocol: Option<Protocol>,
    /// The purpose of the request.
    pub purpose: Purpose,
    /// The number of the keep-alive request since the last request of its conversation, from 1;
    /// `None` for requests of clients.
    pub refresh: Option<u32>,
    /// The name of the upstream.
    pub upstream: String,
    /// The host of the upstream.
    pub server: String,
    /// The port of the upstream; 0 if it is unclear.
    pub port: u16,
    /// The span of the client's own trace that it is part of.
    pub parent: Option<TraceParent>,
    /// The client's instruction to foveal, as it was spelled: the name of a profile, or `off`.
    pub profile_override: Option<String>,
    /// The shaper's report.
    pub report: RequestReport,
    /// The reason why only earlier decisions, or the client's own bytes, were sent.
    pub failed_open: Option<FailedOpen>,
    /// Bytes of the received body, decoded.
    pub bytes_received: u64,
    /// Bytes of the sent body.
    pub bytes_sent: u64,
    /// The status of the response.
    pub status: u16,
    /// The summary of the response, if it is a model's.
    pub response: Option<ResponseSummary>,
    /// The way in which the response ended.
    pub end: ExchangeEnd,
    /// The time from the arrival of the request's head until the request is sent upstream.
    pub added_latency: Duration,
    /// The time from the request to the head of the response.
    pub time_to_head: Duration,
    /// The time from the request to the end of the response.
    pub duration: Duration,
    /// Bytes of the response's body, as they passed.
    pub response_bytes: u64,
}

impl Exchange {
    /// Returns whether a model is asked for an answer. Other requests cost nothing, and add nothing
    /// to a conversation.
    pub fn asks_model(&self) -> bool {
        // The gateway itself writes the head of an upgraded connection.
        let is_handed_over = self.status == SWITCHING_PROTOCOLS;
        let is_passed = self.purpose == Purpose::WebSocket
            && (self.end != ExchangeEnd::AnsweredLocally || is_handed_over);
        self.protocol.is_some() && (self.purpose == Purpose::Answer || is_passed)
    }
}

/// The status of a response that upgrades the connection.
const SWITCHING_PROTOCOLS: u16 = 101;

/// The purpose of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// To get a model's answer.
    Answer,
    /// To count the tokens of a conversation.
    Count,
    /// To open a WebSocket.
    WebSocket,
    /// Anything else.
    Other,
}

/// Facts about a model's response, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct ResponseSummary {
    /// The usage that is billed.
    pub billed: BilledUsage,
    /// The model that answered.
    pub model: Option<String>,
    /// The reason why the model stopped.
    pub stop_reason: Option<String>,
    /// The provider's name for the error.
    pub error: Option<String>,
    /// The limits in the provider's message, if the prompt exceeds the model's window.
    pub overflow: Option<ContextOverflow>,
}

/// The reasons why nothing new was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FailedOpen {
    /// The decision took too long.
    Late,
    /// The shaper panicked.
    Panicked,
    /// The body's encoding is unknown or broken.
    Encoding,
    /// The body exceeds the size limit for shaping.
    TooLong,
    /// Concurrent requests use up the memory limit for bodies.
    Crowded,
}

impl FailedOpen {
    /// All variants.
    pub const ALL: [Self; 5] =
        [Self::Late, Self::Panicked, Self::Encoding, Self::TooLong, Self::Crowded];

    /// Returns the name for figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Late => "late",
            Self::Panicked => "panicked",
            Self::Encoding => "encoding",
            Self::TooLong => "too_long",
            Self::Crowded => "crowded",
        }
    }

    /// Returns the description for the user.
    pub fn description(self) -> &'static str {
        match self {
            Self::Late => "the decision took too long",
            Self::Panicked => "the decision failed; this is a bug in foveal",
            Self::Encoding => "the body's encoding is unknown or invalid",
            Self::TooLong => "the body is too long to process",
            Self::Crowded => "the requests in progress use too much memory to process this one",
        }
    }
}

/// The ways in which a response can end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ExchangeEnd {
    /// The response passed completely.
    Complete,
    /// The upstream broke off.
    UpstreamAborted,
    /// The client disconnected.
    ClientDisconnected,
    /// The upstream could not be reached.
    UpstreamUnreachable,
    /// foveal itself answered.
    AnsweredLocally,
}

impl ExchangeEnd {
    /// Returns the name for figures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Complete => "whole",
            Self::UpstreamAborted => "upstream_broke",
            Self::ClientDisconnected => "client_left",
            Self::UpstreamUnreachable => "unreached",
            Self::AnsweredLocally => "own",
        }
    }
}
