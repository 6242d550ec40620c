use serde_json::{Value as Json, json};

use super::super::span::{AttributeValue, TraceSpan};
use super::{encode_request, parse_rejection};
use crate::trace_parent::{SpanId, TraceId};

fn span() -> TraceSpan {
    TraceSpan {
        trace: TraceId([0x5b; 16]),
        id: SpanId([0xee; 8]),
        parent: Some(SpanId([0x0a; 8])),
        name: "chat m".to_owned(),
        start_ns: 1_544_712_660_000_000_000,
        end_ns: 1_544_712_661_000_000_001,
        attributes: vec![
            ("text", AttributeValue::from("a \"b\"\n")),
            ("texts", AttributeValue::Texts(vec!["stop".to_owned()])),
            ("count", AttributeValue::from(u64::MAX)),
            ("number", AttributeValue::from(0.5)),
        ],
        has_failed: true,
    }
}

#[test]
fn spans_have_the_shape_of_the_specification() {
    let resource = [("service.name".to_owned(), "my service".to_owned())];
    let body = encode_request(&resource, &[span()]);
    let body: Json = serde_json::from_slice(&body).expect("JSON");
    let expected = json!({ "resourceSpans": [{
        "resource": { "attributes": [
            { "key": "service.name", "value": { "stringValue": "my service" } },
        ] },
        "scopeSpans": [{
            "scope": { "name": "foveal", "version": env!("CARGO_PKG_VERSION") },
            "spans": [{
                "traceId": "5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b",
                "spanId": "eeeeeeeeeeeeeeee",
                "parentSpanId": "0a0a0a0a0a0a0a0a",
                "flags": 0x301,
                "name": "chat m",
                "kind": 3,
                "startTimeUnixNano": "1544712660000000000",
                "endTimeUnixNano": "1544712661000000001",
                "attributes": [
                    { "key": "text", "value": { "stringValue": "a \"b\"\n" } },
                    { "key": "texts",
                      "value": { "arrayValue": { "values": [{ "stringValue": "stop" }] } } },
                    { "key": "count", "value": { "intValue": "18446744073709551615" } },
                    { "key": "number", "value": { "doubleValue": 0.5 } },
                ],
                "status": { "code": 2 },
            }],
        }],
    }] });
    assert_eq!(body, expected);
}

#[test]
fn a_root_names_no_parent_and_success_no_status() {
    let body = encode_request(&[], &[TraceSpan { parent: None, has_failed: false, ..span() }]);
    let body: Json = serde_json::from_slice(&body).expect("JSON");
    let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!(span.get("parentSpanId"), None);
    assert_eq!((&span["flags"], &span["status"]), (&json!(0x101), &json!({})));
}

#[test]
fn a_collector_says_what_it_did_not_take() {
    let said = |text: &str| parse_rejection(text.as_bytes());
    let partial = r#"{"partialSuccess":{"rejectedSpans":"3","errorMessage":"too old"}}"#;
    assert_eq!(said(partial), (3, "too old".to_owned()));
    assert_eq!(said(r#"{"partialSuccess":{"rejectedSpans":2}}"#).0, 2);
    for nothing in ["{}", "", "no JSON", "[1]"] {
        assert_eq!(said(nothing), (0, String::new()), "{nothing}");
    }
}
