//! What the gateway answers about itself.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response};

use crate::body::{self, Passed};

/// The page at a path, if it is one of foveal's own.
pub(crate) fn page(method: &Method, path: &str) -> Option<Response<Passed>> {
    if method != Method::GET && method != Method::HEAD {
        return None;
    }
    match path {
        // Whoever gets an answer here could be served.
        "/healthz" | "/readyz" => Some(text("ok\n")),
        "/protocol" => Some(json(&protocol())),
        _ => None,
    }
}

fn text(text: &'static str) -> Response<Passed> {
    let mut response = Response::new(body::whole(text));
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn json(value: &serde_json::Value) -> Response<Passed> {
    let mut response = Response::new(body::whole(format!("{value}\n")));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
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
        "answered_here": ["GET /protocol", "GET /healthz", "GET /readyz"],
        "passed_on": "everything else, GET /v1/models and HEAD /api/hello among it",
        "headers": {
            "forwarded": "all but those of one connection and those that begin with x-foveal",
            "read_here": ["x-foveal", "x-foveal-token", "x-foveal-upstream"],
        },
        "absent": ["sign-in", "managed settings", "telemetry"],
    })
}
