//! A request to be shaped, and the outcome.

use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_engine::message_shape::ShapeKind;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::Protocol;
use foveal_protocols::request_body::{self, CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H};
use foveal_transcript::{ContentHash, EntryIndex, Timestamp};

use crate::body_replacements::BodyReplacements;

/// A request as its client sent it.
#[derive(Debug)]
pub struct ShapeRequest<'a> {
    /// The protocol of its API.
    pub protocol: Protocol,
    /// Whether it only counts tokens. Decisions about it are not final then.
    pub counts_tokens: bool,
    /// The model, if the body does not name it.
    pub model: Option<&'a str>,
    /// The name of the upstream; empty if it is unknown.
    pub upstream: &'a str,
    /// The body, decoded.
    pub body: &'a [u8],
    /// The time of its arrival.
    pub now: Timestamp,
    /// The client's instruction to foveal: the name of a profile, or `off`.
    pub profile_override: Option<&'a str>,
    /// The names by which the client identifies itself, for rules that choose a profile.
    pub agents: &'a [&'a str],
    /// The hand-over of the decision to the caller, which may give up.
    pub decision: &'a DecisionSlot,
}

/// The outcome of shaping a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShapeOutcome {
    /// The new body; `None` for the client's own bytes.
    pub body: Option<Vec<u8>>,
    /// The report for logs and figures.
    pub report: RequestReport,
    /// The ticket to prepare the conversation's next request.
    pub prefetch: Option<PrefetchTicket>,
}

/// A conversation whose next request can be prepared by
/// [`prefetch`](crate::RequestShaper::prefetch).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrefetchTicket {
    /// The fingerprint of its first message.
    pub(crate) first_message: ContentHash,
    /// The fingerprint of its planned messages.
    pub(crate) planned: ContentHash,
    /// The time of its last request.
    pub(crate) now: Timestamp,
}

/// Facts about a request for logs and figures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RequestReport {
    /// The profile that decided, if it exists.
    pub profile: Option<String>,
    /// The model.
    pub model: Option<String>,
    /// The stable name of the conversation.
    pub conversation: Option<String>,
    /// The number of messages.
    pub messages: u64,
    /// Tokens of the prompt as the client sent it, as far as known.
    pub tokens_received: u64,
    /// Tokens of the prompt as it is sent upstream.
    pub tokens_sent: u64,
    /// The reason why results changed that had been sent before, if any did.
    pub rewrite: Option<&'static str>,
    /// Tokens of the sent prompt up to the first of these results; `None` if no result changed, or
    /// only such as the client changed.
    pub tokens_unchanged: Option<u64>,
    /// The number of user overrides that could not be applied.
    pub failed_overrides: usize,
    /// The point where the client changed its earlier messages, if it did.
    pub divergence: Option<PrefixDivergence>,
    /// The reason why the request was not shaped, if it was not.
    pub inactive_reason: Option<String>,
    /// Whether the provider would cache nothing without foveal: it needs breakpoints, and the
    /// client sets none.
    pub lacks_breakpoints: bool,
    /// The number of cache breakpoints that foveal set.
    pub breakpoints: u64,
    /// The kind of the inactive reason, by which figures count it.
    pub inactive_kind: Option<&'static str>,
    /// The results of which less is sent than at the previous request, or than was received.
    pub reductions: Vec<ResultReduction>,
    /// The fingerprint behind the planned messages, by which the decisions are found.
    pub decided_at: Option<ContentHash>,
}

/// A result of which less is sent than before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultReduction {
    /// The id of its call.
    pub call: String,
    /// The form in which it is sent.
    pub kind: ShapeKind,
    /// Whether the result is new and only notes are sent that point at earlier content.
    pub is_repeat: bool,
    /// Bytes of the result.
    pub bytes: u64,
    /// Bytes that are sent.
    pub bytes_sent: u64,
    /// The index of the result in its conversation.
    pub entry: EntryIndex,
    /// The number of its message in the request, from 1.
    pub message: u64,
    /// The name of the called tool, if it is known.
    pub tool: Option<String>,
    /// Tokens of the result.
    pub tokens: Tokens,
    /// Tokens that are sent.
    pub tokens_sent: Tokens,
    /// The text that is sent of a curated read.
    pub curated_text: Option<String>,
}

/// The point where a request no longer continues the previous one of its conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrefixDivergence {
    /// The first changed part.
    pub changed: ChangedPart,
    /// The number of unchanged messages in front of it; 0 if the whole prompt changed.
    pub messages: u64,
    /// Tokens of these messages and of the prelude, as the client sent them.
    pub tokens: u64,
    /// The range of the changed message in the received body, if there is a message in its place.
    pub bytes: Option<Range<usize>>,
    /// The earlier length of that message, in bytes.
    pub bytes_before: Option<u64>,
}

/// The part of a request that a client changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangedPart {
    /// The model.
    Model,
    /// The tools.
    Tools,
    /// The system prompt.
    System,
    /// A message.
    Message,
}

impl ChangedPart {
    /// Returns the label for messages and figures.
    pub fn label(self) -> &'static str {
        match self {
            Self::Model => "model",
            Self::Tools => "tools",
            Self::System => "system prompt",
            Self::Message => "message",
        }
    }
}

/// Cache breakpoints that are inserted into a body.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BreakpointOffsets {
    /// The byte offsets, ascending.
    pub(crate) offsets: Vec<usize>,
    /// Whether they ask for a lifetime of an hour.
    pub(crate) for_an_hour: bool,
}

/// Returns a body with replacement texts and breakpoints; `None` if there are none.
pub(crate) fn splice_body(
    bytes: &[u8],
    replaced: &BodyReplacements,
    marks: &BreakpointOffsets,
) -> Option<Vec<u8>> {
    let is_same = replaced.is_empty() && marks.offsets.is_empty();
    let mark = if marks.for_an_hour { CACHE_CONTROL_MEMBER_1H } else { CACHE_CONTROL_MEMBER };
    (!is_same).then(|| {
        let replaced: Vec<_> = replaced.iter().collect();
        request_body::splice_with_breakpoints(bytes, &replaced, &marks.offsets, mark)
    })
}

/// The size from which the body of a conversation counts as long.
const LONG_BODY_BYTES: usize = 128 << 10;

/// The hand-over of a decision from the shaper to the waiting caller. Either the shaper decides
/// first, or the caller gives up first; the first of the two is final.
#[derive(Debug, Clone, Default)]
pub struct DecisionSlot(Arc<Mutex<DecisionSlotState>>);

#[derive(Debug, Default)]
struct DecisionSlotState {
    phase: DecisionPhase,
    is_impatient: bool,
    /// Whether a fallback is known and the decision is not worth a longer wait.
    may_stop_waiting: bool,
    /// The replacements of earlier requests, which are sent if the caller gives up.
    fallback: BodyReplacements,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum DecisionPhase {
    #[default]
    Open,
    Decided,
    Abandoned,
}

impl DecisionSlot {
    /// Creates a slot whose caller gives up as soon as a fallback is known.
    pub fn impatient() -> Self {
        Self(Arc::new(Mutex::new(DecisionSlotState {
            is_impatient: true,
            ..DecisionSlotState::default()
        })))
    }

    /// Marks the decision as made. Returns false if the caller has given up, so that the fallback
    /// is sent.
    pub fn mark_decided(&self) -> bool {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.phase == DecisionPhase::Open {
            waiting.phase = DecisionPhase::Decided;
        }
        waiting.phase == DecisionPhase::Decided
    }

    /// Gives up. Returns the fallback for `body`, or `None` if the decision is made. The inner
    /// `None` stands for the client's own bytes.
    pub fn abandon(&self, body: &[u8]) -> Option<Option<Vec<u8>>> {
        let earlier = {
            let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if waiting.phase == DecisionPhase::Decided {
                return None;
            }
            waiting.phase = DecisionPhase::Abandoned;
            std::mem::take(&mut waiting.fallback)
        };
        Some(splice_body(body, &earlier, &BreakpointOffsets::default()))
    }

    /// Offers the client's own bytes as the fallback, because there are no earlier decisions.
    pub fn offer_original(&self) {
        self.offer_fallback(BodyReplacements::default());
    }

    /// Returns whether the caller may stop waiting: a fallback is known, and the decision is not
    /// worth more time.
    pub fn may_stop_waiting(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).may_stop_waiting
    }

    /// Offers the replacements of earlier requests as the fallback.
    pub(crate) fn offer_fallback(&self, earlier: BodyReplacements) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.fallback = earlier;
        waiting.may_stop_waiting = true;
        if waiting.is_impatient && waiting.phase == DecisionPhase::Open {
            waiting.phase = DecisionPhase::Abandoned;
        }
    }

    /// Offers the fallback for a prompt that the provider has not cached, with a body of
    /// `body_bytes` bytes. For a long body the caller keeps waiting: the decision takes longer, and
    /// only at this request do its savings break no cache.
    pub(crate) fn offer_uncached_fallback(&self, earlier: BodyReplacements, body_bytes: usize) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.is_impatient || body_bytes < LONG_BODY_BYTES {
            drop(waiting);
            self.offer_fallback(earlier);
        } else {
            waiting.fallback = earlier;
        }
    }

    /// Returns whether the caller has given up.
    pub(crate) fn is_abandoned(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).phase == DecisionPhase::Abandoned
    }
}
