//! The facts about one request that all parts of shaping share.

use std::cell::OnceCell;
use std::ops::Range;

use foveal_engine::planner::Planner;
use foveal_protocols::request_body::{
    BodyBreakpoint, BodyError, BreakpointTarget, RequestBody, SharedPrefix,
};
use foveal_transcript::ContentHash;

use crate::answer_breakpoint::AnswerBreakpoint;
use crate::auto_cache::AutoCacheCandidate;
use crate::compaction;
use crate::fingerprint_chain::{self, FingerprintChain};
use crate::inactive_reason::InactiveReason;
use crate::message_history::MessageHistory;
use crate::models::ModelTraits;
use crate::request::ShapeRequest;
use crate::rules::ShapingRules;

/// The value by which a client tells Anthropic to drop thinking whose prefix changed.
const DROP_BLOCK: &[u8] = b"\"drop_block\"";

/// A request that can be shaped. It is made once, and its body is scanned and hashed once.
pub(crate) struct RequestContext<'a> {
    pub(crate) received: &'a ShapeRequest<'a>,
    pub(crate) body: RequestBody,
    /// The fingerprints of its messages; it has at least one.
    pub(crate) chain: FingerprintChain,
    pub(crate) prelude: PreludeHashes,
    pub(crate) rules: &'a ShapingRules,
    pub(crate) model: ModelTraits,
    /// Whether messages were dropped that the provider does not read after its own compaction.
    pub(crate) is_compacted: bool,
    /// The earlier request that the body was compared with, and the number of equal messages.
    pub(crate) shared_prefix: Option<SharedPrefix<MessageHistory>>,
    /// `Some` if foveal may set breakpoints in a request whose client sets none.
    pub(crate) auto_cache: Option<AutoCacheCandidate>,
    /// `Some` if the prompt can be cached up to its latest answer.
    pub(crate) answer_breakpoint: Option<AnswerBreakpoint>,
    /// The chain under which the request is recorded, if redaction changes it.
    pub(crate) redacted_chain: OnceCell<Option<FingerprintChain>>,
}

/// The hashes of the parts of a prompt in front of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PreludeHashes {
    pub(crate) system: ContentHash,
    pub(crate) tools: ContentHash,
}

/// A scanned body, and what the scan found out about its messages.
pub(crate) struct ScannedBody {
    pub(crate) body: RequestBody,
    /// The hash of the first message, if it was needed for the comparison with earlier requests.
    pub(crate) first_message: Option<ContentHash>,
    pub(crate) shared_prefix: Option<SharedPrefix<MessageHistory>>,
}

impl<'a> RequestContext<'a> {
    /// Creates the context of a request with this scanned body; `None` if it has no messages.
    ///
    /// # Errors
    /// The reason why the request cannot be shaped.
    pub(crate) fn from_scan(
        received: &'a ShapeRequest<'a>,
        rules: &'a ShapingRules,
        scanned: ScannedBody,
    ) -> Result<Option<Self>, InactiveReason> {
        let ScannedBody { mut body, first_message, shared_prefix } = scanned;
        check_shapeable(&body)?;
        let shared = shared_prefix.as_ref().map_or(0, |shared| shared.messages);
        if compaction::drop_compacted_messages(&mut body, received.body, shared)? {
            let context = Self::new(received, rules, body, &[]);
            return Ok(context.map(|it| Self { is_compacted: true, auto_cache: None, ..it }));
        }
        let root = rules.root_fingerprint(received.protocol);
        let first = first_message.map(|hash| fingerprint_chain::append_fingerprint(root, hash));
        let known = match &shared_prefix {
            Some(shared) if shared.history.root() == root => {
                shared.history.fingerprints(shared.messages)
            }
            Some(_) | None => first.as_slice(),
        };
        let context = Self::new(received, rules, body, known);
        Ok(context.map(|it| Self { shared_prefix, ..it }))
    }

    /// Creates the context of a request that can be shaped; `None` if it has no messages. `known`
    /// holds the fingerprints of its first messages, as far as they are known.
    pub(crate) fn new(
        received: &'a ShapeRequest<'a>,
        rules: &'a ShapingRules,
        body: RequestBody,
        known: &[ContentHash],
    ) -> Option<Self> {
        body.messages.first()?;
        let root = rules.root_fingerprint(received.protocol);
        let name = body.model.as_deref().or(received.model).unwrap_or_default();
        let model = resolve_model(rules, name, received, &body);
        Some(Self {
            received,
            chain: FingerprintChain::from_messages(root, &body, received.body, known),
            prelude: PreludeHashes::from_body(&body, received.body),
            rules,
            is_compacted: false,
            shared_prefix: None,
            auto_cache: AutoCacheCandidate::from_request(rules, received, &body, name, &model),
            answer_breakpoint: None,
            redacted_chain: OnceCell::new(),
            model,
            body,
        })
    }

    /// Returns the bytes of the body.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        self.received.body
    }

    /// Returns the fingerprint of the first message, by which requests of one conversation are
    /// found.
    pub(crate) fn first_fingerprint(&self) -> ContentHash {
        self.chain.fingerprints[0]
    }

    /// Returns the fingerprint behind the last message.
    pub(crate) fn last_fingerprint(&self) -> ContentHash {
        self.chain.fingerprint_at(self.chain.fingerprints.len())
    }

    /// Returns the stable name of the conversation, from the hash of its first message.
    pub(crate) fn conversation_name(&self) -> String {
        let first = self.first_fingerprint();
        first.as_bytes().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns a planner for the request's model.
    pub(crate) fn build_planner(&self) -> Planner {
        self.rules.build_planner(&self.model)
    }

    /// Returns the bytes of the system prompt, or of the tools.
    pub(crate) fn part_bytes(&self, part: &Option<Range<usize>>) -> &'a [u8] {
        &self.bytes()[part.clone().unwrap_or_default()]
    }

    /// Returns whether a message has a cache breakpoint.
    pub(crate) fn has_breakpoint(&self, message: usize) -> bool {
        let target = BreakpointTarget::Message(message);
        self.body.breakpoints.iter().any(|breakpoint| breakpoint.target == target)
    }

    /// Returns whether the client has its conversation summarised by this request.
    ///
    /// # Errors
    /// If the last message cannot be decoded.
    pub(crate) fn asks_for_summary(&self) -> Result<bool, BodyError> {
        let last = self.body.decode_message(self.bytes(), self.body.messages.len() - 1)?;
        Ok(compaction::asks_for_summary(last.entries.iter()))
    }

    /// Determines how the request can be cached. `is_summary` tells whether it asks for a summary.
    ///
    /// # Errors
    /// If a message cannot be decoded.
    pub(crate) fn determine_caching(&mut self, is_summary: bool) -> Result<(), BodyError> {
        if let Some(auto_cache) = &mut self.auto_cache {
            auto_cache.is_last = is_summary;
        }
        let has_own_breakpoints = self.model.needs_breakpoints && self.auto_cache.is_none();
        if has_own_breakpoints && !is_summary && !self.is_compacted {
            self.answer_breakpoint =
                AnswerBreakpoint::from_request(self.rules, self.received, &self.body)?;
        }
        Ok(())
    }
}

impl PreludeHashes {
    fn from_body(body: &RequestBody, bytes: &[u8]) -> Self {
        let hash = |part: &Option<Range<usize>>| {
            ContentHash::from_content(&bytes[part.clone().unwrap_or_default()])
        };
        Self { system: hash(&body.system), tools: hash(&body.tools) }
    }
}

/// Returns an error if a request with this body cannot be shaped.
fn check_shapeable(body: &RequestBody) -> Result<(), InactiveReason> {
    if let Some(reason) = body.pass_through_reason {
        return Err(InactiveReason::History(reason));
    }
    // Thinking may be cleared, because no note points at it.
    let mut edits = body.server_edits.iter();
    match edits.find(|edit| !edit.starts_with("clear_thinking")) {
        Some(edit) => Err(InactiveReason::ServerEdits(edit.clone())),
        None => Ok(()),
    }
}

/// Returns the traits of the model that is asked, with the prices of the client's cache lifetime.
fn resolve_model(
    rules: &ShapingRules,
    name: &str,
    received: &ShapeRequest<'_>,
    body: &RequestBody,
) -> ModelTraits {
    let mut model = rules.prices.resolve_model(name, body.protocol, received.upstream);
    if drops_bound_thinking(body, received.body) {
        model.constraints.reasoning_is_bound = false;
    }
    let is_in_messages = |breakpoint: &BodyBreakpoint| {
        matches!(breakpoint.target, BreakpointTarget::Message(_) | BreakpointTarget::Request)
    };
    if body.breakpoints.iter().any(|it| it.lasts_one_hour && is_in_messages(it)) {
        model.with_hour_cache()
    } else {
        model
    }
}

/// Returns whether the client lets Anthropic drop thinking whose prefix changed, by the field
/// `thinking.block_binding.prefix_mismatch_behavior`. Each later request of the conversation has to
/// contain it too (platform.claude.com/docs/en/build-with-claude/preserved-thinking).
fn drops_bound_thinking(body: &RequestBody, bytes: &[u8]) -> bool {
    let mut fields = body.cache_sensitive_fields.iter().map(|field| &bytes[field.clone()]);
    fields.any(|field| memchr::memmem::find(field, DROP_BLOCK).is_some())
}
