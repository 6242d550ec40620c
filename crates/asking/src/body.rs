//! Bodies as they are passed on.

use std::error::Error;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Bytes};

/// Why a body breaks off.
pub type Broken = Box<dyn Error + Send + Sync>;

/// A body that is passed on.
pub type Passed = BoxBody<Bytes, Broken>;

/// A body that is there already.
pub fn whole(bytes: impl Into<Bytes>) -> Passed {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed()
}

/// A body that comes as it comes.
pub fn coming<B>(body: B) -> Passed
where
    B: Body<Data = Bytes> + Send + Sync + 'static,
    B::Error: Into<Broken>,
{
    body.map_err(Into::into).boxed()
}
