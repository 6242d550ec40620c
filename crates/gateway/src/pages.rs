//! What the gateway answers about itself.

use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Method, Response};

use crate::body::{self, Passed};
use crate::exchange::Observer;

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
        _ => None,
    }
}

const PLAIN: &str = "text/plain; charset=utf-8";

/// Prometheus' text format
/// (prometheus.io/docs/instrumenting/exposition_formats, "Text-based format").
const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

fn text(text: String, kind: &'static str) -> Response<Passed> {
    let mut response = Response::new(body::whole(text));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
