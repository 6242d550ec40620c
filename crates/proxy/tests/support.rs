//! Clients that send a conversation request by request, and the shaped bodies.

use std::sync::Arc;

use foveal_engine::conversation_record::ConversationRecord;
use foveal_engine::policies::Policy;
use foveal_engine::policies::content_reset::ResetMarks;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::Protocol;
use foveal_protocols::request_body::{CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H, RequestBody};
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::{InMemoryRecorder, Recorder};
use foveal_proxy::request::{DecisionSlot, ShapeOutcome, ShapeRequest};
use foveal_proxy::rules::ShapingRules;
use foveal_testkit::generate::ConversationScript;
use foveal_testkit::request_bodies::{self, ModelApi};
use foveal_testkit::{client_requests, laws};
use foveal_transcript::{Conversation, MessageRole, Timestamp};

/// The model of the clients: its thinking is not bound, so that rewrites happen.
pub(crate) const MODEL: &str = "claude-opus-4-5";

pub(crate) fn protocol(api: ModelApi) -> Protocol {
    match api {
        ModelApi::Messages => Protocol::Messages,
        ModelApi::Chat => Protocol::Chat,
        ModelApi::Responses => Protocol::Responses,
        ModelApi::Gemini => Protocol::Gemini,
    }
}

/// One request of a client.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) api: ModelApi,
    pub(crate) now: Timestamp,
    pub(crate) body: Vec<u8>,
}

/// Returns all requests of a generated conversation, with its pauses.
pub(crate) fn requests(script: &ConversationScript, api: ModelApi) -> Vec<Sent> {
    requests_of(&script.build_conversation(), api)
}

/// Returns all requests of a conversation.
pub(crate) fn requests_of(conversation: &Conversation, api: ModelApi) -> Vec<Sent> {
    let record = ConversationRecord::from_conversation(
        conversation.clone(),
        foveal_pricing::tokens::Tokenizer::Bytes,
    );
    let mut sent = Vec::new();
    let mut now = Timestamp(0);
    for answer in laws::answers_to_plan(&record) {
        let mut so_far = conversation.without_entries();
        for entry in &conversation.entries()[..answer.as_usize()] {
            so_far.push(entry.clone());
        }
        let entries = client_requests::client_messages(&so_far);
        now = laws::request_time(&record, answer).unwrap_or(now);
        let body = request_bodies::build_request_body(api, MODEL, &entries);
        sent.push(Sent { api, now, body });
    }
    sent
}

/// Returns a shaper that records in memory.
pub(crate) fn conversations(profile: &str) -> RequestShaper {
    over(profile, Arc::new(InMemoryRecorder::default()))
}

/// Returns the rules of a profile, with early content resets for short conversations.
pub(crate) fn rules(profile: &str) -> ShapingRules {
    let mut rules = ShapingRules::from_profile(profile).expect("a profile");
    if let Some(Policy::ContentReset(_)) = rules.policy {
        let (high, low) = (Tokens(600), Tokens(300));
        rules.policy = Some(Policy::ContentReset(ResetMarks { high, low }));
    }
    rules
}

pub(crate) fn over(profile: &str, recorder: Arc<dyn Recorder>) -> RequestShaper {
    RequestShaper::new(rules(profile), recorder)
}

/// Shapes a request.
pub(crate) fn shaped(conversations: &RequestShaper, sent: &Sent) -> ShapeOutcome {
    shaped_for(conversations, sent, &DecisionSlot::default())
}

pub(crate) fn shaped_for(
    conversations: &RequestShaper,
    sent: &Sent,
    wait: &DecisionSlot,
) -> ShapeOutcome {
    conversations.shape(&asked(sent, wait))
}

/// Returns a request with this body.
pub(crate) fn asked<'a>(sent: &'a Sent, wait: &'a DecisionSlot) -> ShapeRequest<'a> {
    ShapeRequest {
        protocol: protocol(sent.api),
        counts_tokens: false,
        model: Some(MODEL),
        body: &sent.body,
        now: sent.now,
        profile_override: None,
        agents: &[],
        upstream: "",
        decision: wait,
    }
}

/// Returns the sent bytes.
pub(crate) fn bytes(shaped: ShapeOutcome, sent: &Sent) -> Vec<u8> {
    shaped.body.unwrap_or_else(|| sent.body.clone())
}

/// Returns the messages of a body, without cache breakpoints.
pub(crate) fn messages(api: ModelApi, body: &[u8]) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let scanned = RequestBody::scan(protocol(api), body).expect("a body");
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let messages = scanned.messages.iter().map(|range| text(&body[range.clone()]));
    messages.map(|message| message.replace(mark, "")).collect()
}

/// Returns a body with empty results.
pub(crate) fn without_results(api: ModelApi, body: &[u8]) -> Vec<u8> {
    let scanned = RequestBody::scan(protocol(api), body).expect("a body");
    let mut rest = Vec::new();
    let mut at = 0;
    for (message, range) in scanned.messages.iter().enumerate() {
        for slot in scanned.decode_message(body, message).expect("a message").slots {
            rest.extend_from_slice(&body[at..range.start + slot.string.start]);
            at = range.start + slot.string.end;
        }
    }
    rest.extend_from_slice(&body[at..]);
    rest
}

/// Returns the number of breakpoints in a body.
pub(crate) fn marks(api: ModelApi, body: &[u8]) -> usize {
    RequestBody::scan(protocol(api), body).expect("a body").breakpoints.len()
}

/// Returns the sent body without the breakpoint that foveal added behind the latest answer, if it
/// did.
pub(crate) fn without_own_mark(sent: &Sent, went: &[u8]) -> Vec<u8> {
    if marks(sent.api, &sent.body) == marks(sent.api, went) {
        return went.to_vec();
    }
    let scanned = RequestBody::scan(protocol(sent.api), went).expect("a body");
    let is_answer = |at: &usize| {
        let message = scanned.decode_message(went, *at).expect("a message");
        message.entries.iter().any(|entry| entry.role == MessageRole::Assistant)
    };
    let answer = (0..scanned.messages.len()).rev().find(is_answer).expect("an answer");
    let range = scanned.messages[answer].clone();
    let text = std::str::from_utf8(&went[range.clone()]).expect("it is text");
    let found = [CACHE_CONTROL_MEMBER, CACHE_CONTROL_MEMBER_1H]
        .iter()
        .find_map(|mark| Some((text.rfind(mark)?, mark)));
    let (at, mark) = found.expect("a mark");
    [&went[..range.start + at], &went[range.start + at + mark.len()..]].concat()
}
