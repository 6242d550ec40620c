//! Compression for callers that send prompts to models themselves: the same messages, shorter.
//!
//! Such a caller tells neither its conversation nor its provider nor the time of its last request.
//! The replacement of a result therefore depends only on the results and calls up to it, in their
//! order. It is decided once and never changed: every request with the same prefix gets the same
//! bytes, from every replica with the same rules. Decisions are recorded nevertheless, so that they
//! hold under later rules too.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_protocols::Protocol;
use foveal_protocols::request_body::{BodyError, PassThroughReason, RequestBody, detect_protocol};
use foveal_transcript::{ContentBlock, ContentHash, Handle, LONG_HEX_DIGITS, Timestamp};

use crate::conversation_state::ConversationState;
use crate::handle_style::HandleStyle;
use crate::inactive_reason::InactiveReason;
use crate::query_filter::filter_lines;
use crate::recorder::{Recorder, RecorderError};
use crate::request::{BreakpointOffsets, DecisionSlot, RequestReport, ShapeRequest, splice_body};
use crate::request_context::RequestContext;
use crate::request_shaper::RequestShaper;
use crate::rules::{BreakpointMode, ShapingRules};

/// The approximate memory limit for the conversations of callers, in bytes.
const CONVERSATION_BYTES_MAX: usize = 16 << 20;

/// The largest number of texts whose token counts are cached.
const TOKEN_COUNTS_MAX: usize = 1 << 16;

/// Compresses the messages of callers.
pub struct Compressor {
    shaper: RequestShaper,
    token_counts: Mutex<HashMap<ContentHash, Tokens>>,
}

/// The result of a compression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompressedMessages {
    /// The list of messages, as JSON.
    pub messages: Vec<u8>,
    /// Tokens of the received texts, calls and results.
    pub tokens_before: u64,
    /// Tokens of the returned ones.
    pub tokens_after: u64,
    /// The hashes of all contents with omissions, by which the originals can be retrieved.
    pub hashes: Vec<String>,
    /// The fault of foveal because of which nothing new is omitted.
    pub failure: Option<String>,
}

impl CompressedMessages {
    /// Returns the messages of such a body as they were received.
    fn unchanged(bytes: &[u8], tokens: u64) -> Self {
        Self {
            messages: message_list(bytes).to_vec(),
            tokens_before: tokens,
            tokens_after: tokens,
            hashes: Vec::new(),
            failure: None,
        }
    }
}

/// The reasons why a body has no messages to compress.
#[derive(Debug, thiserror::Error)]
pub enum CompressError {
    /// The body is malformed.
    #[error("the body cannot be read: {0}")]
    Body(#[from] BodyError),
    /// The body has no list of messages.
    #[error("the body has no list of `messages`")]
    NoMessages,
    /// Two lists have the same name, so it is unclear which one is meant.
    #[error("a field occurs twice")]
    FieldTwice,
}

impl Compressor {
    /// Creates a compressor with those parts of `rules` that do not depend on the client. Decisions
    /// are stored in `recorder`.
    pub fn new(mut rules: ShapingRules, recorder: Arc<dyn Recorder>) -> Self {
        // Answers are final: when the provider's cache expires is unknown here.
        rules.settings.rewrite = None;
        // Views depend on the user's messages, which some callers omit.
        (rules.settings.curate, rules.views) = (None, None);
        // Some callers omit the calls too. The results of the last answer are then sent whole, so
        // results that arrive here have been seen before.
        rules.settings.unknown_bytes_max = rules.settings.run_bytes_max;
        rules.profile = format!("compress {}", rules.profile);
        // The model and its provider are unknown, so neither prices nor breakpoints apply.
        (rules.prices, rules.breakpoint_mode) = (Arc::default(), BreakpointMode::Off);
        rules.bytes_max = CONVERSATION_BYTES_MAX;
        rules.handle_style = HandleStyle::Hash;
        Self { shaper: RequestShaper::new(rules, recorder), token_counts: Mutex::default() }
    }

    /// Returns the compressed messages of a body. The list is called `messages`, or has the name
    /// that its API gives it.
    ///
    /// # Errors
    /// [`CompressError`].
    pub fn compress(
        &self,
        body: &[u8],
        now: Timestamp,
    ) -> Result<CompressedMessages, CompressError> {
        let (bytes, protocol) = extract_messages(body)?;
        let all = RequestBody::scan(protocol, &bytes)?;
        match self.compress_messages(&bytes, &all, now) {
            Ok(compressed) => Ok(compressed),
            Err(InactiveReason::Body(error)) => Err(error.into()),
            Err(failed) => Ok(CompressedMessages {
                failure: Some(failed.to_string()),
                ..self.unchanged_messages(&bytes, &all)?
            }),
        }
    }

    /// Returns the content with this hash, or only the lines of it that match `query`; `None` if it
    /// is not stored.
    ///
    /// # Errors
    /// [`RecorderError`] if the recorder cannot be read.
    pub fn retrieve_original(
        &self,
        hash: &str,
        query: Option<&str>,
    ) -> Result<Option<String>, RecorderError> {
        let Some(handle) = parse_handle(hash) else { return Ok(None) };
        let content = self.shaper.conversations.recorder().content(handle)?;
        // Only a content that was stored unredacted can be checked against the rest of the hash.
        let content =
            content.filter(|content| !content.is_whole || long_hash(&content.text) == hash);
        Ok(content.map(|content| match query {
            Some(query) => filter_lines(&content.text, query),
            None => content.text,
        }))
    }

    fn compress_messages(
        &self,
        bytes: &[u8],
        all: &RequestBody,
        now: Timestamp,
    ) -> Result<CompressedMessages, InactiveReason> {
        let (body, ends) = select_tool_messages(all, bytes)?;
        let decision = DecisionSlot::default();
        let received = ShapeRequest {
            protocol: body.protocol,
            counts_tokens: false,
            model: None,
            upstream: "",
            body: bytes,
            now,
            profile_override: None,
            agents: &[],
            decision: &decision,
        };
        let rules = &self.shaper.rules;
        let Some(request) = RequestContext::new(&received, rules, body, &[]) else {
            return Ok(self.unchanged_messages(bytes, all)?);
        };
        let mut about = RequestReport {
            conversation: Some(request.conversation_name()),
            ..RequestReport::default()
        };
        let first = request.first_fingerprint();
        // Held until the decision is recorded.
        let _guard = self.shaper.conversations.lock(first);
        // Messages behind the last result belong to no decision yet.
        let until = ends.last().copied().unwrap_or_default();
        let mut live = self.shaper.conversations.find_conversation(&request)?;
        for end in ends.into_iter().filter(|end| *end > live.message_count()).collect::<Vec<_>>() {
            live.add_messages(&request, end)?;
            live = self.shaper.plan_step(live, &request, &mut about);
        }
        let known = &request.body.messages[..until];
        let is_known = |place: &Range<usize>| {
            known.binary_search_by_key(&place.start, |known| known.start).is_ok()
        };
        let others = self.count_messages(bytes, all, |place| !is_known(place))?;
        let (after, before) = self.count_replacements(&live);
        let tokens_before = others.0 + live.prompt_tokens().0.0;
        let replacements = live.texts.replacements(&request.body);
        let spliced = splice_body(bytes, &replacements, &BreakpointOffsets::default());
        let compressed = CompressedMessages {
            messages: message_list(spliced.as_deref().unwrap_or(bytes)).to_vec(),
            tokens_before,
            tokens_after: (tokens_before + after.0).saturating_sub(before.0),
            hashes: live.retrievable_contents().iter().map(|it| long_hash(it)).collect(),
            failure: about.inactive_reason,
        };
        if until > 0 {
            self.shaper.conversations.insert(live, first, now);
        }
        Ok(compressed)
    }

    /// Returns the messages as they were received.
    fn unchanged_messages(
        &self,
        bytes: &[u8],
        body: &RequestBody,
    ) -> Result<CompressedMessages, BodyError> {
        let tokens = self.count_messages(bytes, body, |_| true)?.0;
        Ok(CompressedMessages::unchanged(bytes, tokens))
    }

    /// Returns the tokens of the replacement texts, and of the texts that they replace.
    fn count_replacements(&self, live: &ConversationState) -> (Tokens, Tokens) {
        let each = live
            .replaced_texts()
            .map(|(original, text)| (self.count_text(&text), self.count_text(original)));
        each.fold((Tokens(0), Tokens(0)), |(texts, originals), (text, original)| {
            (Tokens(texts.0 + text.0), Tokens(originals.0 + original.0))
        })
    }

    /// Returns the tokens of the messages for which `counts` is true.
    fn count_messages(
        &self,
        bytes: &[u8],
        body: &RequestBody,
        counts: impl Fn(&Range<usize>) -> bool,
    ) -> Result<Tokens, BodyError> {
        let mut sum = 0;
        for (at, place) in body.messages.iter().enumerate().filter(|(_, place)| counts(place)) {
            let hash = ContentHash::from_content(&bytes[place.clone()]);
            let count = || message_tokens(body, bytes, at, self.shaper.rules.tokenizer);
            sum += self.cached_count(hash, count)?.0;
        }
        Ok(Tokens(sum))
    }

    fn count_text(&self, text: &str) -> Tokens {
        let count = || Ok::<_, std::convert::Infallible>(self.shaper.rules.tokenizer.count(text));
        let Ok(tokens) = self.cached_count(ContentHash::from_content(text.as_bytes()), count);
        tokens
    }

    fn cached_count<E>(
        &self,
        hash: ContentHash,
        count: impl FnOnce() -> Result<Tokens, E>,
    ) -> Result<Tokens, E> {
        let lock = || self.token_counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(&hash) {
            return Ok(*known);
        }
        let tokens = count()?;
        let mut counted = lock();
        if counted.len() >= TOKEN_COUNTS_MAX {
            counted.clear();
        }
        counted.insert(hash, tokens);
        Ok(tokens)
    }
}

/// Returns the messages of a body unchanged, for gateways that reduce nothing.
///
/// # Errors
/// [`CompressError`].
pub fn passthrough(body: &[u8]) -> Result<CompressedMessages, CompressError> {
    let (bytes, protocol) = extract_messages(body)?;
    let all = RequestBody::scan(protocol, &bytes)?;
    let count = |at| message_tokens(&all, &bytes, at, Tokenizer::O200k);
    let mut tokens = 0;
    for at in 0..all.messages.len() {
        tokens += count(at)?.0;
    }
    Ok(CompressedMessages::unchanged(&bytes, tokens))
}

/// Returns the beginning of a body that consists of a list of messages alone.
fn body_head(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Messages | Protocol::Chat => r#"{"messages":["#,
        Protocol::Responses => r#"{"input":["#,
        Protocol::Gemini => r#"{"contents":["#,
    }
}

/// The end of such a body.
const BODY_TAIL: &str = "]}";

/// Returns a body that consists of the messages alone, and the protocol of these messages.
fn extract_messages(body: &[u8]) -> Result<(Vec<u8>, Protocol), CompressError> {
    for named in [Protocol::Chat, Protocol::Responses, Protocol::Gemini] {
        let scanned = RequestBody::scan(named, body)?;
        match scanned.pass_through_reason {
            Some(PassThroughReason::NoMessages | PassThroughReason::PlainText) => continue,
            Some(PassThroughReason::DuplicateField) => return Err(CompressError::FieldTwice),
            // These refer to state at a provider, and there is none here.
            Some(PassThroughReason::PreviousResponse | PassThroughReason::Conversation) | None => {}
        }
        let (first, last) = (scanned.messages.first(), scanned.messages.last());
        let list = first.zip(last).map_or(0..0, |(first, last)| first.start..last.end);
        let protocol = match named {
            Protocol::Chat => detect_protocol(body, &scanned.messages)?,
            named => named,
        };
        let list = [body_head(protocol).as_bytes(), &body[list], BODY_TAIL.as_bytes()].concat();
        return Ok((list, protocol));
    }
    Err(CompressError::NoMessages)
}

/// Returns the list of messages in such a body, with its brackets.
fn message_list(bytes: &[u8]) -> &[u8] {
    let start = memchr::memchr(b'[', bytes).unwrap_or_default();
    &bytes[start..bytes.len() - 1]
}

/// Words that every message with calls or results contains, in the spellings of all APIs.
const TOOL_MARKERS: [&[u8]; 3] = [b"tool", b"unction", b"_call"];

/// Returns the body with only the messages that hold calls or results, and the message counts
/// behind which a decision is due. All other messages are ignored, because some callers omit them
/// at first and send them later.
fn select_tool_messages(
    all: &RequestBody,
    bytes: &[u8],
) -> Result<(RequestBody, Vec<usize>), BodyError> {
    let mut body = all.clone();
    // Breakpoints are not moved along.
    body.breakpoints.clear();
    let finders = TOOL_MARKERS.map(memchr::memmem::Finder::new);
    let may_hold = |place: &Range<usize>| {
        finders.iter().any(|finder| finder.find(&bytes[place.clone()]).is_some())
    };
    body.messages.retain(may_hold);
    let mut kept = Vec::new();
    let mut ends = Vec::new();
    for (at, place) in body.messages.iter().enumerate() {
        let message = body.decode_message(bytes, at)?;
        let holds =
            |block: &ContentBlock| matches!(block, ContentBlock::Call(_) | ContentBlock::Result(_));
        if message.entries.iter().flat_map(|entry| &entry.blocks).any(holds) {
            kept.push(place.clone());
            if !message.slots.is_empty() {
                ends.push(kept.len());
            }
        }
    }
    body.messages = kept;
    Ok((body, ends))
}

fn message_tokens(
    body: &RequestBody,
    bytes: &[u8],
    at: usize,
    tokenizer: Tokenizer,
) -> Result<Tokens, BodyError> {
    let entries = body.decode_message(bytes, at)?.entries;
    let texts = entries.iter().flat_map(|entry| &entry.blocks).map(block_text);
    Ok(texts.map(|text| tokenizer.count(&text)).sum())
}

fn block_text(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.clone(),
        ContentBlock::Result(result) => result.content.clone(),
        ContentBlock::Call(call) => format!("{} {}", call.name, call.arguments),
        _ => String::new(),
    }
}

/// Returns the long spelling of a content's hash.
fn long_hash(content: &str) -> String {
    ContentHash::from_content(content.as_bytes()).to_long_hex()
}

/// Returns the handle at the beginning of a long hash; `None` if it is not a hash.
fn parse_handle(hash: &str) -> Option<Handle> {
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    (hash.len() == LONG_HEX_DIGITS && hash.bytes().all(is_digit))
        .then(|| hash[..LONG_HEX_DIGITS / 2].parse().ok())?
}
