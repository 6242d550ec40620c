//! OTLP in JSON: the encoding of spans, and the response of a collector
//! (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding": names in lower camel case, ids in
//! hex digits, integers of 64 bits as text, enumerations as numbers).

use serde_json::{Map, Value as Json, json};

use super::span::{AttributeValue, TraceSpan};

/// The kind of a span for a request to a server.
const KIND_CLIENT: u32 = 3;

const STATUS_ERROR: u32 = 2;

/// The lowest bit: the trace is recorded. The two bits above the lowest byte: it is known whether
/// the parent belongs to another process, and it does (`SpanFlags` in `trace.proto`).
const FLAG_SAMPLED: u32 = 1;
const FLAG_KNOWS_REMOTE: u32 = 0x100;
const FLAG_IS_REMOTE: u32 = 0x200;

/// Encodes the request that exports `spans` of the service that `resource` describes.
pub(super) fn encode_request(resource: &[(String, String)], spans: &[TraceSpan]) -> Vec<u8> {
    let resource: Vec<Json> = resource
        .iter()
        .map(|(key, value)| json!({ "key": key, "value": { "stringValue": value } }))
        .collect();
    let spans: Vec<Json> = spans.iter().map(encode_span).collect();
    let scope = json!({ "name": "foveal", "version": env!("CARGO_PKG_VERSION") });
    let body = json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{ "scope": scope, "spans": spans }],
    }] });
    body.to_string().into_bytes()
}

fn encode_span(span: &TraceSpan) -> Json {
    let attributes: Vec<Json> = span
        .attributes
        .iter()
        .map(|(key, text)| json!({ "key": key, "value": encode_value(text) }))
        .collect();
    let mut object = Map::new();
    object.insert("traceId".to_owned(), span.trace.to_string().into());
    object.insert("spanId".to_owned(), span.id.to_string().into());
    let mut flags = FLAG_SAMPLED | FLAG_KNOWS_REMOTE;
    if let Some(parent) = span.parent {
        object.insert("parentSpanId".to_owned(), parent.to_string().into());
        flags |= FLAG_IS_REMOTE;
    }
    object.insert("flags".to_owned(), flags.into());
    object.insert("name".to_owned(), span.name.clone().into());
    object.insert("kind".to_owned(), KIND_CLIENT.into());
    object.insert("startTimeUnixNano".to_owned(), span.start_ns.to_string().into());
    object.insert("endTimeUnixNano".to_owned(), span.end_ns.to_string().into());
    object.insert("attributes".to_owned(), attributes.into());
    let status = if span.has_failed { json!({ "code": STATUS_ERROR }) } else { json!({}) };
    object.insert("status".to_owned(), status);
    Json::Object(object)
}

fn encode_value(value: &AttributeValue) -> Json {
    match value {
        AttributeValue::Text(text) => json!({ "stringValue": text }),
        AttributeValue::Count(count) => json!({ "intValue": count.to_string() }),
        AttributeValue::Number(number) => json!({ "doubleValue": number }),
        AttributeValue::Texts(texts) => {
            let values: Vec<Json> =
                texts.iter().map(|text| json!({ "stringValue": text })).collect();
            json!({ "arrayValue": { "values": values } })
        }
    }
}

/// Returns the number of spans of an accepted request that the collector rejected, and its message.
/// An unreadable response counts as no rejection, because the status decides.
pub(super) fn parse_rejection(answer: &[u8]) -> (u64, String) {
    let answer: Json = serde_json::from_slice(answer).unwrap_or_default();
    let partial = &answer["partialSuccess"];
    let count = &partial["rejectedSpans"];
    let count = count.as_u64().or_else(|| count.as_str()?.parse().ok()).unwrap_or(0);
    (count, partial["errorMessage"].as_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests;
