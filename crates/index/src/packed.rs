//! Bytes made smaller, and made again.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// Fast; higher levels save a few percent more.
const LEVEL: u8 = 2;

/// Bytes that come out of one stored value at most. A file has at most a mebibyte.
const UNPACKED_BYTES_MAX: usize = 64 << 20;

/// `bytes` without what repeats in them.
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, LEVEL)
}

/// What [`pack`] was given; `None` where `bytes` are something else.
pub(crate) fn unpack(bytes: &[u8]) -> Option<Vec<u8>> {
    decompress_to_vec_with_limit(bytes, UNPACKED_BYTES_MAX).ok()
}

/// The first `length` bytes of what [`pack`] was given; `None` where there are fewer, or
/// `bytes` are something else.
pub(crate) fn unpack_beginning(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let limit = length.min(UNPACKED_BYTES_MAX);
    let mut begun = match decompress_to_vec_with_limit(bytes, limit) {
        Ok(all) => all,
        Err(error) if error.status == TINFLStatus::HasMoreOutput => error.output,
        Err(_) => return None,
    };
    begun.truncate(length);
    (begun.len() == length).then_some(begun)
}
