//! Definitions of tools that are shortened at a conversation's first request, and stay so.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use foveal_context::tool_use::{SESSIONS_MIN, ToolUse};
use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::request::{Asked, Wait};
use foveal_live::shorter::{Knowledge, ShorterTools};
use foveal_live::waiting::Waiting;
use foveal_testkit::bodies::Api;
use foveal_testkit::scripts;
use foveal_transcript::Timestamp;
use foveal_wire::body::{Body, MARK, before_answers};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{MODEL, Sent, bytes, over, protocol, requests, shaped};

/// Tools of which sessions called the first alone.
fn tools(api: Api) -> Value {
    let long = "It says more than anybody has to know who calls it. ".repeat(12);
    let tool = |name: &str| {
        let description = format!("Does {name}. {long}");
        let schema = json!({"type": "object", "properties": {"path": {"title": "Path"}}});
        match api {
            Api::Messages => {
                json!({"name": name, "description": description, "input_schema": schema})
            }
            Api::Chat => json!({"type": "function", "function": {
                "name": name, "description": description, "parameters": schema}}),
            Api::Responses => json!({"type": "function", "name": name,
                "description": description, "parameters": schema}),
            Api::Gemini => json!({"functionDeclarations": [{"name": name,
                "description": description, "parameters": schema}]}),
        }
    };
    json!([tool("read"), tool("fetch")])
}

fn with_tools(sent: &Sent, tools: &Value) -> Sent {
    let mut body: Value = serde_json::from_slice(&sent.body).expect("a body");
    body["tools"] = tools.clone();
    Sent { body: body.to_string().into_bytes(), ..sent.clone() }
}

/// What is known when these tools were called in enough sessions.
fn known(called: &[&str]) -> ToolUse {
    let mut known = ToolUse::default();
    let called = called.iter().map(|name| (*name).to_owned()).collect();
    (0..SESSIONS_MIN).for_each(|_| known.add(&called));
    known
}

fn knowledge(known: &Arc<Mutex<Option<ToolUse>>>) -> Knowledge {
    let known = Arc::clone(known);
    Arc::new(move || known.lock().expect("a lock").clone().map(Arc::new))
}

fn asked<'a>(sent: &'a Sent, wait: &'a Wait) -> Asked<'a> {
    let (protocol, now) = (protocol(sent.api), sent.now);
    let body = &sent.body;
    let (model, upstream, wish, shortens) = (Some(MODEL), "", None, None);
    Asked { protocol, counts: false, model, upstream, body, now, wish, shortens, wait }
}

/// What becomes of a request's tools.
fn shortened(conversations: &Conversations, asked: &Asked<'_>) -> Option<ShorterTools> {
    conversations.shorten(asked, &Waiting::default()).expect("a store")
}

fn shorter(conversations: &Conversations, sent: &Sent) -> ShorterTools {
    shortened(conversations, &asked(sent, &Wait::default())).expect("tools")
}

/// The tools of a body, and all else.
fn apart(sent: &Sent, body: &[u8]) -> (String, Vec<u8>) {
    let tools = Body::scan(protocol(sent.api), body).expect("a body").tools.expect("tools");
    let text = String::from_utf8(body[tools.clone()].to_vec()).expect("text");
    (text, [&body[..tools.start], &body[tools.end..]].concat())
}

/// What a conversation is known by: its messages before the first answer.
fn beginning(sent: &Sent) -> (usize, Vec<u8>) {
    let body = Body::scan(protocol(sent.api), &sent.body).expect("a body");
    let first = before_answers(&body, &sent.body).expect("messages");
    (first, body.prefix_fingerprint(&sent.body, first).as_bytes().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is learned meanwhile, and with a restart before any request.
    #[test]
    fn a_conversation_has_the_same_tools_to_its_end(
        script in scripts(16),
        api in (0..4usize).prop_map(|at| Api::ALL[at]),
        restarts in prop::collection::vec(any::<bool>(), 64),
        learned in prop::collection::vec(0..4usize, 64),
        marked in any::<bool>(),
    ) {
        let kept = Arc::new(InMemory::default());
        let now = Arc::new(Mutex::new(None));
        let start = || over("balanced", kept.clone()).shortening(Some(knowledge(&now)));
        let mut conversations = start();
        let mut seen: HashMap<(usize, Vec<u8>), String> = HashMap::new();
        let (mut restarts, mut learned) = (restarts.iter().cycle(), learned.iter().cycle());
        for sent in requests(&script, api) {
            let mut sent = with_tools(&sent, &tools(api));
            if !marked {
                let text = String::from_utf8(sent.body).expect("text");
                sent.body = text.replace(MARK, "").into_bytes();
            }
            let all = [None, Some(known(&["read"])), Some(known(&["read", "fetch"])), Some(known(&[]))];
            *now.lock().expect("a lock") = all[*learned.next().expect("a cycle")].clone();
            if *restarts.next().expect("a cycle") {
                conversations = start();
            }
            let Some(shorter) = shortened(&conversations, &asked(&sent, &Wait::default())) else {
                prop_assert_eq!(beginning(&sent).0, 0);
                continue;
            };
            let went = shorter.body.clone().unwrap_or_else(|| sent.body.clone());
            let (own, rest) = apart(&sent, &went);
            let (whole, rest_before) = apart(&sent, &sent.body);
            prop_assert_eq!(rest, rest_before);
            prop_assert!(own.len() <= whole.len());
            prop_assert_eq!(shorter.about.left_out.0 > 0, own != whole);
            let key = beginning(&sent);
            let before = seen.entry(key).or_insert_with(|| own.clone());
            prop_assert_eq!(&own, &*before);
            // What is decided about results and marks is put into what is left.
            let shorter = Sent { body: went, ..sent.clone() };
            let whole = bytes(shaped(&conversations, &shorter), &shorter);
            let (tools, _) = apart(&sent, &whole);
            prop_assert_eq!(tools.replace(MARK, ""), own);
        }
    }
}

/// A request of a conversation, after so many answers that called `fetch`.
fn request(answers: usize, now: i64) -> Sent {
    let mut messages = vec![json!({"role": "user", "content": "go"})];
    for at in 0..answers {
        let call =
            json!([{"type": "tool_use", "id": format!("c{at}"), "name": "fetch", "input": {}}]);
        let result =
            json!([{"type": "tool_result", "tool_use_id": format!("c{at}"), "content": "a"}]);
        messages.push(json!({"role": "assistant", "content": call}));
        messages.push(json!({"role": "user", "content": result}));
    }
    let body = json!({"model": MODEL, "max_tokens": 9, "messages": messages,
                      "tools": tools(Api::Messages)});
    Sent { api: Api::Messages, now: Timestamp(now), body: body.to_string().into_bytes() }
}

#[test]
fn what_is_called_comes_whole_in_the_next_conversation() {
    let now = Arc::new(Mutex::new(Some(known(&["read"]))));
    let conversations =
        over("balanced", Arc::new(InMemory::default())).shortening(Some(knowledge(&now)));
    let first = shorter(&conversations, &request(0, 0));
    let (texts, _) = apart(&request(0, 0), first.body.as_deref().expect("shorter"));
    assert_eq!(texts.matches("characters left out]").count(), 1, "{texts}");
    assert!(!texts.contains("title"), "{texts}");
    assert!(first.about.called.is_empty() && !first.about.called_shortened);
    *now.lock().expect("a lock") = Some(known(&["read", "fetch"]));
    let second = shorter(&conversations, &request(1, 1));
    assert_eq!(apart(&request(1, 1), second.body.as_deref().expect("shorter")).0, texts);
    assert!(second.about.called.contains("fetch") && second.about.called_shortened);
    // A day later the same words begin another conversation.
    const DAY_MS: i64 = 24 * 60 * 60 * 1000;
    let next = shorter(&conversations, &request(0, DAY_MS + 1));
    let (texts, _) = apart(&request(0, 0), next.body.as_deref().expect("without noise"));
    assert!(!texts.contains("left out]") && !texts.contains("title"), "{texts}");
    assert!(!next.about.called_shortened);
}

#[test]
fn requests_that_cannot_be_known_have_their_own_tools() {
    let known = Arc::new(Mutex::new(Some(known(&["read"]))));
    let kept = Arc::new(InMemory::default());
    let conversations = over("balanced", kept).shortening(Some(knowledge(&known)));
    // One that was under way, and one that wants nothing.
    assert_eq!(shorter(&conversations, &request(1, 0)).body, None);
    let (sent, wait) = (request(0, 0), Wait::default());
    let off = shortened(&conversations, &Asked { wish: Some("off"), ..asked(&sent, &wait) });
    assert_eq!(off, None);
    let ruled = shortened(&conversations, &Asked { shortens: Some(false), ..asked(&sent, &wait) });
    assert_eq!(ruled, None);
    // Counting decides nothing for good, and counts what would go.
    let counted = shortened(&conversations, &Asked { counts: true, ..asked(&sent, &wait) });
    assert!(counted.expect("tools").body.is_some());
    assert_eq!(shorter(&conversations, &request(1, 0)).body, None);
    let went = shorter(&conversations, &sent);
    let counted = shortened(&conversations, &Asked { counts: true, ..asked(&sent, &wait) });
    assert_eq!(counted.expect("tools").body, went.body);
    // A tool that is to be called, and one that the system prompt quotes, stay whole.
    let mut body: Value = serde_json::from_slice(&sent.body).expect("JSON");
    body["messages"][0]["content"] = json!("other");
    body["tool_choice"] = json!({"type": "tool", "name": "fetch"});
    let chosen = Sent { body: body.to_string().into_bytes(), ..sent };
    body["messages"][0]["content"] = json!("another");
    body["tool_choice"] = json!({"type": "auto"});
    body["system"] = json!([{"type": "text", "text": body["tools"][1]["description"]}]);
    let quoted = Sent { body: body.to_string().into_bytes(), ..chosen };
    for sent in [chosen, quoted] {
        let body = shorter(&conversations, &sent).body.expect("without noise");
        assert!(!apart(&sent, &body).0.contains("left out]"));
    }
}
