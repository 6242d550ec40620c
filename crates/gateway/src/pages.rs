//! What the gateway answers about itself.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response};

use crate::body::{self, Passed};
use crate::exchange::Observer;

/// Whether a path is only for clients that show the token. Whether the server runs is no secret, and
/// those who watch over it have no token.
pub(crate) fn needs_token(path: &str) -> bool {
    !matches!(path, "/healthz" | "/readyz")
}

/// The page at a path, if it is one of foveal's own.
pub(crate) fn page(
    method: &Method,
    path: &str,
    observer: &dyn Observer,
) -> Option<Response<Passed>> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    match path {
        // Whoever gets an answer here could be served.
        "/healthz" | "/readyz" => Some(text("ok\n".to_owned(), PLAIN)),
        "/metrics" => Some(text(observer.metrics()?, PROMETHEUS)),
        "/protocol" => Some(text(format!("{}\n", protocol()), JSON)),
        _ => None,
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// Prometheus' text format
/// (prometheus.io/docs/instrumenting/exposition_formats, "Text-based format").
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

const JSON: &str = "application/json";

fn text(text: String, kind: &'static str) -> Response<Passed> {
    let mut response = Response::new(body::whole(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// What may be asked of it, for programs: which APIs it passes on, what it answers itself, and what
/// of other gateways of Claude Code it does not have.
fn protocol() -> serde_json::Value {
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
