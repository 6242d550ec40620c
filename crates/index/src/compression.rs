//! Compression of stored bytes.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

/// A fast level. Higher ones save a few percent more.
const DEFLATE_LEVEL: u8 = 2;

/// The size limit of one decompressed value, in bytes. A file has at most one mebibyte.
const DECOMPRESSED_BYTES_MAX: usize = 64 << 20;

/// Compresses `bytes`.
pub(crate) fn compress(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, DEFLATE_LEVEL)
}

/// Decompresses the output of [`compress`]. Returns `None` for other bytes.
pub(crate) fn decompress(bytes: &[u8]) -> Option<Vec<u8>> {
    decompress_to_vec_with_limit(bytes, DECOMPRESSED_BYTES_MAX).ok()
}

/// Decompresses the first `length` bytes of a value. Returns `None` if there are fewer, or for
/// bytes that [`compress`] did not write.
pub(crate) fn decompress_prefix(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    let limit = length.min(DECOMPRESSED_BYTES_MAX);
    let mut begun = match decompress_to_vec_with_limit(bytes, limit) {
        Ok(all) => all,
        Err(error) if error.status == TINFLStatus::HasMoreOutput => error.output,
        Err(_) => return None,
    };
    begun.truncate(length);
    (begun.len() == length).then_some(begun)
}
