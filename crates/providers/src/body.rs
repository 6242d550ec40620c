//! Bodies of requests and responses.

use std::error::Error;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes};

/// The error of a body that breaks off.
pub type BodyStreamError = Box<dyn Error + Send + Sync>;

/// A body of known bytes or of a stream.
pub type StreamingBody = BoxBody<Bytes, BodyStreamError>;

/// Creates a body of bytes that are complete.
pub fn full_body(bytes: impl Into<Bytes>) -> StreamingBody {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed()
}

/// Creates a body that passes on another one as it arrives.
pub fn streaming_body<B>(body: B) -> StreamingBody
where
    B: Body<Data = Bytes> + Send + Sync + 'static,
    B::Error: Into<BodyStreamError>,
{
    body.map_err(Into::into).boxed()
}
