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
        _ => None,
    }
}

fn text(text: &'static str) -> Response<Passed> {
    let mut response = Response::new(body::whole(text));
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}
