//! Clients that send a conversation request by request, and what goes in place of what they sent.

use std::sync::Arc;

use foveal_context::record::Record;
use foveal_context::retention::strategy::{ResetMarks, Strategy};
use foveal_context::tokens::Tokens;
use foveal_live::Conversations;
use foveal_live::recorder::{InMemory, Recorder};
use foveal_live::request::{Asked, Shaped, Wait};
use foveal_live::rules::Rules;
use foveal_testkit::bodies::{self, Api};
use foveal_testkit::generate::Script;
use foveal_testkit::{laws, requests};
use foveal_transcript::{Conversation, Role, Timestamp};
use foveal_wire::Protocol;
use foveal_wire::body::{Body, MARK, MARK_FOR_AN_HOUR};

/// The model that clients ask for: one whose thinking is not bound, so that rewrites happen.
pub(crate) const MODEL: &str = "claude-opus-4-5";

pub(crate) fn protocol(api: Api) -> Protocol {
    match api {
        Api::Messages => Protocol::Messages,
        Api::Chat => Protocol::Chat,
        Api::Responses => Protocol::Responses,
        Api::Gemini => Protocol::Gemini,
    }
}

/// One request as a client sends it.
#[derive(Debug, Clone)]
pub(crate) struct Sent {
    pub(crate) api: Api,
    pub(crate) now: Timestamp,
    pub(crate) body: Vec<u8>,
}

/// All requests of a generated conversation. A pause is where it has one.
pub(crate) fn requests(script: &Script, api: Api) -> Vec<Sent> {
    requests_of(&script.conversation(), api)
}

/// The same of any conversation.
pub(crate) fn requests_of(conversation: &Conversation, api: Api) -> Vec<Sent> {
    let record = Record::of(conversation.clone(), foveal_context::tokens::Tokenizer::Bytes);
    let mut sent = Vec::new();
    let mut now = Timestamp(0);
    for answer in laws::answers(&record) {
        let mut so_far = conversation.emptied();
        for entry in &conversation.entries()[..answer.at()] {
            so_far.push(entry.clone());
        }
        let entries = requests::sent(&so_far);
        now = laws::request_time(&record, answer).unwrap_or(now);
        let body = bodies::body(api, MODEL, &entries);
        sent.push(Sent { api, now, body });
    }
    sent
}

/// Decides about requests, keeping decisions in memory.
pub(crate) fn conversations(profile: &str) -> Conversations {
    over(profile, Arc::new(InMemory::default()))
}

/// The rules of a profile; contents are reset soon, for conversations that are short.
pub(crate) fn rules(profile: &str) -> Rules {
    let mut rules = Rules::named(profile).expect("a profile");
    if let Some(Strategy::ContentReset(_)) = rules.strategy {
        let (high, low) = (Tokens(600), Tokens(300));
        rules.strategy = Some(Strategy::ContentReset(ResetMarks { high, low }));
    }
    rules
}

pub(crate) fn over(profile: &str, recorder: Arc<dyn Recorder>) -> Conversations {
    Conversations::new(rules(profile), recorder)
}

/// What becomes of a request.
pub(crate) fn shaped(conversations: &Conversations, sent: &Sent) -> Shaped {
    shaped_for(conversations, sent, &Wait::default())
}

pub(crate) fn shaped_for(conversations: &Conversations, sent: &Sent, wait: &Wait) -> Shaped {
    conversations.shape(&asked(sent, wait))
}

/// A request as it came.
pub(crate) fn asked<'a>(sent: &'a Sent, wait: &'a Wait) -> Asked<'a> {
    Asked {
        protocol: protocol(sent.api),
        counts: false,
        model: Some(MODEL),
        body: &sent.body,
        now: sent.now,
        wish: None,
        upstream: "",
        wait,
    }
}

/// The bytes that go.
pub(crate) fn bytes(shaped: Shaped, sent: &Sent) -> Vec<u8> {
    shaped.body.unwrap_or_else(|| sent.body.clone())
}

/// The messages of a body, without cache marks.
pub(crate) fn messages(api: Api, body: &[u8]) -> Vec<String> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let scanned = Body::scan(protocol(api), body).expect("a body");
    let mark = r#","cache_control":{"type":"ephemeral"}"#;
    let messages = scanned.messages.iter().map(|range| text(&body[range.clone()]));
    messages.map(|message| message.replace(mark, "")).collect()
}

/// A body with nothing in the texts of its results.
pub(crate) fn without_results(api: Api, body: &[u8]) -> Vec<u8> {
    let scanned = Body::scan(protocol(api), body).expect("a body");
    let mut rest = Vec::new();
    let mut at = 0;
    for (message, range) in scanned.messages.iter().enumerate() {
        for slot in scanned.message(body, message).expect("a message").slots {
            rest.extend_from_slice(&body[at..range.start + slot.string.start]);
            at = range.start + slot.string.end;
        }
    }
    rest.extend_from_slice(&body[at..]);
    rest
}

/// How many marks a body has.
pub(crate) fn marks(api: Api, body: &[u8]) -> usize {
    Body::scan(protocol(api), body).expect("a body").marks.len()
}

/// What went without the mark that foveal set beside the client's, if it did: it stands in the
/// latest answer.
pub(crate) fn without_own_mark(sent: &Sent, went: &[u8]) -> Vec<u8> {
    if marks(sent.api, &sent.body) == marks(sent.api, went) {
        return went.to_vec();
    }
    let scanned = Body::scan(protocol(sent.api), went).expect("a body");
    let is_answer = |at: &usize| {
        let message = scanned.message(went, *at).expect("a message");
        message.entries.iter().any(|entry| entry.role == Role::Assistant)
    };
    let answer = (0..scanned.messages.len()).rev().find(is_answer).expect("an answer");
    let range = scanned.messages[answer].clone();
    let text = std::str::from_utf8(&went[range.clone()]).expect("it is text");
    let found = [MARK, MARK_FOR_AN_HOUR].iter().find_map(|mark| Some((text.rfind(mark)?, mark)));
    let (at, mark) = found.expect("a mark");
    [&went[..range.start + at], &went[range.start + at + mark.len()..]].concat()
}
