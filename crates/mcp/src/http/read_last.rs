//! The bytes that were read last from a connection: the head of the request that has just come is
//! among them.

/// Bytes of the longest head of a request.
pub(super) const HEAD_BYTES_MAX: usize = 64 << 10;

/// Bytes that are kept: as many as a head may have, and some before it.
const KEPT_BYTES: usize = HEAD_BYTES_MAX + (32 << 10);

/// What was read since this was last asked, as far as it is kept.
#[derive(Debug, Default)]
pub(super) struct ReadLast(Vec<u8>);

impl ReadLast {
    /// So much more was read.
    pub(super) fn add(&mut self, read: &[u8]) {
        self.0.extend_from_slice(read);
        if self.0.len() > 2 * KEPT_BYTES {
            let excess = self.0.len() - KEPT_BYTES;
            self.0.drain(..excess);
        }
    }

    /// All of it.
    pub(super) fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.0)
    }
}
