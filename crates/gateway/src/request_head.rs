//! The heads of requests: of a client's request with its upstream, and of the request to it.

use hyper::header::HeaderMap;
use hyper::http::Extensions;
use hyper::http::request::Parts;
use hyper::{Method, Request, Uri};

use crate::body::StreamingBody;
use crate::request_purpose::RequestRoute;
use crate::upstream_selection::Upstream;

/// A client's request without its body, and where it goes.
pub(crate) struct RoutedRequest {
    pub(crate) head: Parts,
    pub(crate) route: RequestRoute,
    pub(crate) upstream: Upstream,
    /// The path for the upstream, with its query.
    pub(crate) path: String,
}

/// All parts of a request but its body, for one request or for equal ones.
#[derive(Clone)]
pub(crate) struct RequestHead {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// The client's spelling of header names.
    pub(crate) extensions: Extensions,
}

impl RequestHead {
    /// Returns the request with this body.
    pub(crate) fn into_request(self, body: StreamingBody) -> Request<StreamingBody> {
        let Self { method, uri, headers, extensions } = self;
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        *request.extensions_mut() = extensions;
        request
    }
}
