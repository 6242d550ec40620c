//! The bytes most recently read from a connection, which include the head of the current request.

/// Longest head of a request, in bytes.
pub(super) const HEAD_BYTES_MAX: usize = 64 << 10;

/// Bytes kept: a head of maximum length and some bytes before it.
const RETAINED_BYTES: usize = HEAD_BYTES_MAX + (32 << 10);

/// The bytes read since [`Self::take`], of which the last are kept.
#[derive(Debug, Default)]
pub(super) struct RecentBytes(Vec<u8>);

impl RecentBytes {
    /// Appends bytes that were read.
    pub(super) fn push(&mut self, read: &[u8]) {
        self.0.extend_from_slice(read);
        if self.0.len() > 2 * RETAINED_BYTES {
            let excess = self.0.len() - RETAINED_BYTES;
            self.0.drain(..excess);
        }
    }

    /// Takes the bytes.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}
