//! Everything of a request that goes upstream but its body.

use hyper::header::HeaderMap;
use hyper::http::Extensions;
use hyper::{Method, Request, Uri};

use crate::body::Passed;

/// What stands before a body, for one request or several that are alike.
#[derive(Clone)]
pub(crate) struct Head {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// How the client spelled the names of its headers.
    pub(crate) extensions: Extensions,
}

impl Head {
    /// The request with this body.
    pub(crate) fn request(self, body: Passed) -> Request<Passed> {
        let Self { method, uri, headers, extensions } = self;
        let mut request = Request::new(body);
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        *request.extensions_mut() = extensions;
        request
    }
}
