//! The pages that the gateway serves itself.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response};

use crate::body::{self, StreamingBody};
use crate::exchange::ExchangeObserver;

/// Returns whether a path requires the token. Health checks do not: their result is no secret, and
/// monitors have no token.
pub(crate) fn needs_token(path: &str) -> bool {
    !matches!(path, "/healthz" | "/readyz")
}

/// Returns the page at a path, if it is one of foveal's own.
pub(crate) fn own_page(
    method: &Method,
    path: &str,
    observer: &dyn ExchangeObserver,
) -> Option<Response<StreamingBody>> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    match path {
        // An answer here proves that the server can serve.
        "/healthz" | "/readyz" => Some(text_response("ok\n".to_owned(), PLAIN)),
        "/metrics" => Some(text_response(observer.metrics()?, PROMETHEUS_TEXT)),
        "/protocol" => Some(text_response(format!("{}\n", describe_protocol()), JSON)),
        _ => None,
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// The media type of Prometheus' text format (prometheus.io/docs/instrumenting/exposition_formats,
/// "Text-based format").
const PROMETHEUS_TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

const JSON: &str = "application/json";

fn text_response(text: String, kind: &'static str) -> Response<StreamingBody> {
    let mut response = Response::new(body::full_body(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Describes the gateway for programs: the APIs that it forwards, the paths that it answers itself,
/// and the features of other Claude Code gateways that it lacks.
fn describe_protocol() -> serde_json::Value {
    let shaped = |name: &str, endpoints: &[&str]| serde_json::json!({ "name": name, "endpoints": endpoints });
    serde_json::json!({
        "gateway": "foveal",
        "version": env!("CARGO_PKG_VERSION"),
        "formats": [
            shaped("anthropic-messages", &["POST /v1/messages", "POST /v1/messages/count_tokens"]),
            shaped("bedrock-invoke-model", &[
                "POST /model/{model}/invoke", "POST /model/{model}/invoke-with-response-stream",
            ]),
            shaped("vertex-raw-predict", &[
                "POST {path}:rawPredict", "POST {path}:streamRawPredict",
                "POST {path}/count-tokens:rawPredict",
            ]),
            shaped("openai-chat-completions", &["POST /v1/chat/completions"]),
            shaped("openai-responses", &["POST /v1/responses"]),
            shaped("gemini", &[
                "POST {path}:generateContent", "POST {path}:streamGenerateContent",
                "POST {path}:countTokens",
            ]),
        ],
        "answered_here": [
            "GET /protocol", "GET /healthz", "GET /readyz", "GET /metrics", "POST /v1/compress",
            "GET /v1/retrieve/{hash}",
        ],
        "passed_on": "everything else, GET /v1/models and HEAD /api/hello among it",
        "headers": {
            "forwarded": "all but those of one connection and those that begin with x-foveal",
            "read_here": ["x-foveal", "x-foveal-token", "x-foveal-upstream"],
        },
        "absent": ["sign-in", "managed settings", "telemetry"],
    })
}
