//! A scanned request body and its bytes.

use foveal_wire::request_body::RequestBody;

/// The scan of a body, with the bytes that it refers to.
#[derive(Clone, Copy)]
pub(crate) struct ScannedBody<'a> {
    pub(crate) body: &'a RequestBody,
    pub(crate) bytes: &'a [u8],
}
