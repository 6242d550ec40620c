use std::collections::BTreeMap;
use std::time::Duration;

use foveal_live::request::About;
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use foveal_wire::response::Billed;
use hyper::header::HeaderMap;

use super::super::ids::Ids;
use super::super::span::{Span, Value};
use super::{Beside, provider};
use crate::exchange::{Answered, End, Exchange, FailedOpen, Purpose};
use crate::trace_parent::TraceParent;

const BESIDE: Beside<'_> = Beside { profile: "balanced", dollars: Some((0.25, 0.75)) };

fn exchange() -> Exchange {
    let billed = Billed {
        uncached: Some(3),
        cache_read: Some(5_000),
        cache_write_5m: Some(40),
        cache_write_1h: Some(60),
        output: Some(10),
        reasoning: Some(4),
        ..Billed::default()
    };
    Exchange {
        number: 1,
        time: Timestamp(1_700_000_000_123),
        protocol: Some(Protocol::Messages),
        purpose: Purpose::Answer,
        refresh: None,
        upstream: "work".to_owned(),
        server: "api.anthropic.com".to_owned(),
        port: 443,
        parent: None,
        wish: None,
        about: About {
            model: Some("claude-opus-4-5".to_owned()),
            conversation: Some("0123abcd".to_owned()),
            messages: 7,
            tokens_asked: 900,
            tokens_sent: 600,
            ..About::default()
        },
        failed_open: None,
        bytes_asked: 10,
        bytes_sent: 9,
        status: 200,
        answered: Some(Answered {
            billed,
            model: Some("claude-opus-4-5-20260101".to_owned()),
            stop_reason: Some("tool_use".to_owned()),
            error: None,
            overflow: None,
        }),
        end: End::Whole,
        added: Duration::from_micros(600),
        head: Duration::from_millis(30),
        whole: Duration::from_millis(50),
        bytes_answered: 100,
    }
}

fn span(exchange: &Exchange) -> Span {
    super::span(exchange, BESIDE, &Ids::default()).expect("a span")
}

fn said(span: &Span) -> BTreeMap<&'static str, Value> {
    let all: BTreeMap<_, _> = span.attributes.iter().cloned().collect();
    assert_eq!(all.len(), span.attributes.len(), "a name stands there twice");
    all
}

#[test]
fn a_request_is_told_by_the_names_of_the_conventions() {
    let span = span(&exchange());
    assert_eq!(span.name, "chat claude-opus-4-5");
    assert_eq!(span.start_ns, 1_700_000_000_123_000_000);
    assert_eq!(span.end_ns, span.start_ns + 50_000_000);
    assert!(!span.has_failed);
    let text = |text: &str| Value::Text(text.to_owned());
    let expected = BTreeMap::from([
        ("gen_ai.operation.name", text("chat")),
        ("gen_ai.provider.name", text("anthropic")),
        ("gen_ai.request.model", text("claude-opus-4-5")),
        ("gen_ai.response.model", text("claude-opus-4-5-20260101")),
        ("gen_ai.response.finish_reasons", Value::Texts(vec!["tool_use".to_owned()])),
        ("gen_ai.conversation.id", text("0123abcd")),
        // All of the prompt, cached or not.
        ("gen_ai.usage.input_tokens", Value::Count(5_103)),
        ("gen_ai.usage.output_tokens", Value::Count(10)),
        ("gen_ai.usage.cache_read.input_tokens", Value::Count(5_000)),
        ("gen_ai.usage.cache_creation.input_tokens", Value::Count(100)),
        ("gen_ai.usage.reasoning.output_tokens", Value::Count(4)),
        ("server.address", text("api.anthropic.com")),
        ("server.port", Value::Count(443)),
        ("http.response.status_code", Value::Count(200)),
        ("foveal.profile", text("balanced")),
        ("foveal.upstream", text("work")),
        ("foveal.messages", Value::Count(7)),
        ("foveal.end", text("whole")),
        ("foveal.added_ms", Value::Number(0.6)),
        ("foveal.head_ms", Value::Number(30.0)),
        ("foveal.tokens_asked", Value::Count(900)),
        ("foveal.tokens_sent", Value::Count(600)),
        ("foveal.tokens_saved", Value::Count(300)),
        ("foveal.cost_usd", Value::Number(0.25)),
        ("foveal.saved_usd", Value::Number(0.5)),
    ]);
    assert_eq!(said(&span), expected);
}

#[test]
fn reasons_are_told_and_no_words_of_the_client() {
    let mut one = exchange();
    one.about.inactive = Some("the client says clear_tool_uses of /home/me".to_owned());
    one.about.inactive_kind = Some("server_edits");
    one.about.rewrite = Some("cold");
    one.failed_open = Some(FailedOpen::Late);
    one.about.profile = Some("max".to_owned());
    one.about.marks = 3;
    one.about.model = Some("a model of\nmany words".to_owned());
    one.answered.as_mut().expect("an answer").stop_reason = Some("because I said so".to_owned());
    let span = span(&one);
    assert_eq!(span.name, "chat");
    let said = said(&span);
    assert_eq!(said["foveal.inactive"], Value::from("server_edits"));
    assert_eq!(said["foveal.rewrite"], Value::from("cold"));
    assert_eq!(said["foveal.failed_open"], Value::from("late"));
    // By a rule, and not that of all other requests.
    assert_eq!(said["foveal.profile"], Value::from("max"));
    assert_eq!(said["foveal.marks"], 3.into());
    for absent in ["gen_ai.request.model", "gen_ai.response.finish_reasons", "error.type"] {
        assert!(!said.contains_key(absent), "{absent}");
    }
    let all = format!("{said:?}");
    assert!(!all.contains("words") && !all.contains("/home/me") && !all.contains("because"));
}

#[test]
fn failures_have_a_type() {
    let failed = |change: &dyn Fn(&mut Exchange)| {
        let mut one = exchange();
        change(&mut one);
        let span = span(&one);
        let error = said(&span).get("error.type").cloned();
        assert_eq!(span.has_failed, error.is_some());
        error
    };
    let told = |one: &mut Exchange, kind: &str| {
        one.answered.as_mut().expect("an answer").error = Some(kind.to_owned());
    };
    let text = |text: &str| Some(Value::from(text));
    assert_eq!(failed(&|_| {}), None);
    assert_eq!(failed(&|one| one.end = End::ClientLeft), None);
    assert_eq!(failed(&|one| one.status = 529), text("529"));
    assert_eq!(failed(&|one| told(one, "overloaded_error")), text("overloaded_error"));
    assert_eq!(failed(&|one| told(one, "it said: no")), text("_OTHER"));
    assert_eq!(failed(&|one| one.end = End::UpstreamBroke), text("upstream_broke"));
    let unreached = |one: &mut Exchange| (one.end, one.status) = (End::Unreached, 502);
    assert_eq!(failed(&unreached), text("unreached"));
    assert_eq!(failed(&|one| (one.end, one.status) = (End::Own, 408)), text("408"));
}

#[test]
fn only_questions_to_models_are_told() {
    let ids = Ids::default();
    for purpose in [Purpose::Count, Purpose::WebSocket, Purpose::Other] {
        let one = Exchange { purpose, ..exchange() };
        assert_eq!(super::span(&one, BESIDE, &ids), None, "{purpose:?}");
    }
    let one = Exchange { protocol: None, ..exchange() };
    assert_eq!(super::span(&one, BESIDE, &ids), None);
}

#[test]
fn a_request_belongs_to_the_trace_of_its_client() {
    let parent = |flags: &str| {
        let mut headers = HeaderMap::new();
        let value = format!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{flags}");
        headers.insert("traceparent", value.parse().expect("a value"));
        Exchange { parent: TraceParent::of(&headers), ..exchange() }
    };
    let child = span(&parent("01"));
    assert_eq!(child.trace.to_string(), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(child.parent.map(|it| it.to_string()).as_deref(), Some("b7ad6b7169203331"));
    // What the client does not record is told to nobody.
    assert_eq!(super::span(&parent("00"), BESIDE, &Ids::default()), None);
    let ids = Ids::default();
    let [one, other] = [0, 1].map(|_| super::span(&exchange(), BESIDE, &ids).expect("a span"));
    assert_eq!(one.parent, None);
    assert!(one.trace != other.trace && one.id != other.id);
}

#[test]
fn providers_are_known_by_their_hosts() {
    for (host, protocol, expected) in [
        ("api.anthropic.com", Protocol::Messages, "anthropic"),
        ("bedrock-runtime.us-east-1.amazonaws.com", Protocol::Messages, "aws.bedrock"),
        ("us-east5-aiplatform.googleapis.com", Protocol::Messages, "gcp.vertex_ai"),
        ("team.openai.azure.com", Protocol::Chat, "azure.ai.openai"),
        ("openrouter.ai", Protocol::Messages, "openrouter"),
        ("notopenrouter.ai", Protocol::Chat, "openai"),
        ("127.0.0.1", Protocol::Gemini, "gcp.gemini"),
    ] {
        assert_eq!(provider(host, protocol), expected, "{host}");
    }
    let one = Exchange { protocol: Some(Protocol::Gemini), ..exchange() };
    assert_eq!(span(&one).name, "generate_content claude-opus-4-5");
}
