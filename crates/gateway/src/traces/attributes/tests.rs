use std::collections::BTreeMap;
use std::time::Duration;

use foveal_protocols::Protocol;
use foveal_protocols::response::BilledUsage;
use foveal_proxy::request::RequestReport;
use foveal_transcript::Timestamp;
use hyper::header::HeaderMap;

use super::super::ids::IdGenerator;
use super::super::span::{AttributeValue, TraceSpan};
use super::{SpanDetails, provider_name};
use crate::exchange::{Exchange, ExchangeEnd, FailedOpen, Purpose, ResponseSummary};
use crate::trace_parent::TraceParent;

const BESIDE: SpanDetails<'_> = SpanDetails { profile: "balanced", costs: Some((0.25, 0.75)) };

fn exchange() -> Exchange {
    let billed = BilledUsage {
        uncached: Some(3),
        cache_read: Some(5_000),
        cache_write_5m: Some(40),
        cache_write_1h: Some(60),
        output: Some(10),
        reasoning: Some(4),
        ..BilledUsage::default()
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
        profile_override: None,
        report: RequestReport {
            model: Some("claude-opus-4-5".to_owned()),
            conversation: Some("0123abcd".to_owned()),
            messages: 7,
            tokens_received: 900,
            tokens_sent: 600,
            ..RequestReport::default()
        },
        failed_open: None,
        bytes_received: 10,
        bytes_sent: 9,
        status: 200,
        response: Some(ResponseSummary {
            billed,
            model: Some("claude-opus-4-5-20260101".to_owned()),
            stop_reason: Some("tool_use".to_owned()),
            error: None,
            overflow: None,
        }),
        end: ExchangeEnd::Complete,
        added_latency: Duration::from_micros(600),
        time_to_head: Duration::from_millis(30),
        duration: Duration::from_millis(50),
        response_bytes: 100,
    }
}

fn span(exchange: &Exchange) -> TraceSpan {
    super::build_span(exchange, BESIDE, &IdGenerator::default()).expect("a span")
}

fn said(span: &TraceSpan) -> BTreeMap<&'static str, AttributeValue> {
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
    let text = |text: &str| AttributeValue::Text(text.to_owned());
    let expected = BTreeMap::from([
        ("gen_ai.operation.name", text("chat")),
        ("gen_ai.provider.name", text("anthropic")),
        ("gen_ai.request.model", text("claude-opus-4-5")),
        ("gen_ai.response.model", text("claude-opus-4-5-20260101")),
        ("gen_ai.response.finish_reasons", AttributeValue::Texts(vec!["tool_use".to_owned()])),
        ("gen_ai.conversation.id", text("0123abcd")),
        // The whole prompt, cached or not.
        ("gen_ai.usage.input_tokens", AttributeValue::Count(5_103)),
        ("gen_ai.usage.output_tokens", AttributeValue::Count(10)),
        ("gen_ai.usage.cache_read.input_tokens", AttributeValue::Count(5_000)),
        ("gen_ai.usage.cache_creation.input_tokens", AttributeValue::Count(100)),
        ("gen_ai.usage.reasoning.output_tokens", AttributeValue::Count(4)),
        ("server.address", text("api.anthropic.com")),
        ("server.port", AttributeValue::Count(443)),
        ("http.response.status_code", AttributeValue::Count(200)),
        ("foveal.profile", text("balanced")),
        ("foveal.upstream", text("work")),
        ("foveal.messages", AttributeValue::Count(7)),
        ("foveal.end", text("whole")),
        ("foveal.added_ms", AttributeValue::Number(0.6)),
        ("foveal.head_ms", AttributeValue::Number(30.0)),
        ("foveal.tokens_asked", AttributeValue::Count(900)),
        ("foveal.tokens_sent", AttributeValue::Count(600)),
        ("foveal.tokens_saved", AttributeValue::Count(300)),
        ("foveal.cost_usd", AttributeValue::Number(0.25)),
        ("foveal.saved_usd", AttributeValue::Number(0.5)),
    ]);
    assert_eq!(said(&span), expected);
}

#[test]
fn reasons_are_told_and_no_words_of_the_client() {
    let mut one = exchange();
    one.report.inactive_reason = Some("the client says clear_tool_uses of /home/me".to_owned());
    one.report.inactive_kind = Some("server_edits");
    one.report.rewrite = Some("cold");
    one.failed_open = Some(FailedOpen::Late);
    one.report.profile = Some("max".to_owned());
    one.report.breakpoints = 3;
    one.report.model = Some("a model of\nmany words".to_owned());
    one.response.as_mut().expect("an answer").stop_reason = Some("because I said so".to_owned());
    let span = span(&one);
    assert_eq!(span.name, "chat");
    let said = said(&span);
    assert_eq!(said["foveal.inactive"], AttributeValue::from("server_edits"));
    assert_eq!(said["foveal.rewrite"], AttributeValue::from("cold"));
    assert_eq!(said["foveal.failed_open"], AttributeValue::from("late"));
    // Chosen by a rule, unlike the profile of other requests.
    assert_eq!(said["foveal.profile"], AttributeValue::from("max"));
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
        one.response.as_mut().expect("an answer").error = Some(kind.to_owned());
    };
    let text = |text: &str| Some(AttributeValue::from(text));
    assert_eq!(failed(&|_| {}), None);
    assert_eq!(failed(&|one| one.end = ExchangeEnd::ClientDisconnected), None);
    assert_eq!(failed(&|one| one.status = 529), text("529"));
    assert_eq!(failed(&|one| told(one, "overloaded_error")), text("overloaded_error"));
    assert_eq!(failed(&|one| told(one, "it said: no")), text("_OTHER"));
    assert_eq!(failed(&|one| one.end = ExchangeEnd::UpstreamAborted), text("upstream_broke"));
    let unreached =
        |one: &mut Exchange| (one.end, one.status) = (ExchangeEnd::UpstreamUnreachable, 502);
    assert_eq!(failed(&unreached), text("unreached"));
    assert_eq!(
        failed(&|one| (one.end, one.status) = (ExchangeEnd::AnsweredLocally, 408)),
        text("408")
    );
}

#[test]
fn only_questions_to_models_are_told() {
    let ids = IdGenerator::default();
    for purpose in [Purpose::Count, Purpose::WebSocket, Purpose::Other] {
        let one = Exchange { purpose, ..exchange() };
        assert_eq!(super::build_span(&one, BESIDE, &ids), None, "{purpose:?}");
    }
    let one = Exchange { protocol: None, ..exchange() };
    assert_eq!(super::build_span(&one, BESIDE, &ids), None);
}

#[test]
fn a_request_belongs_to_the_trace_of_its_client() {
    let parent = |flags: &str| {
        let mut headers = HeaderMap::new();
        let value = format!("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-{flags}");
        headers.insert("traceparent", value.parse().expect("a value"));
        Exchange { parent: TraceParent::from_headers(&headers), ..exchange() }
    };
    let child = span(&parent("01"));
    assert_eq!(child.trace.to_string(), "0af7651916cd43dd8448eb211c80319c");
    assert_eq!(child.parent.map(|it| it.to_string()).as_deref(), Some("b7ad6b7169203331"));
    // Traces that the client does not record are not exported.
    assert_eq!(super::build_span(&parent("00"), BESIDE, &IdGenerator::default()), None);
    let ids = IdGenerator::default();
    let [one, other] =
        [0, 1].map(|_| super::build_span(&exchange(), BESIDE, &ids).expect("a span"));
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
        assert_eq!(provider_name(host, protocol), expected, "{host}");
    }
    let one = Exchange { protocol: Some(Protocol::Gemini), ..exchange() };
    assert_eq!(span(&one).name, "generate_content claude-opus-4-5");
}
