//! Contents in their stored form, compressed.

use std::borrow::Cow;
use std::io;

use foveal_transcript::ContentHash;

use crate::error::StoreError;
use crate::records::NewContent;

/// The default level of zstd. Its output is a tenth smaller than that of level 1, and it is much
/// faster than the work around it.
const COMPRESSION_LEVEL: i32 = 3;

/// Shorter contents are not compressed: the frame of zstd would dominate.
const COMPRESSED_BYTES_MIN: usize = 128;

/// A compressor for several contents, or the error of its creation.
pub(super) type ContentCompressor = io::Result<zstd::bulk::Compressor<'static>>;

/// Creates a compressor. This takes as long as the compression of a short content.
pub(super) fn new_compressor() -> ContentCompressor {
    zstd::bulk::Compressor::new(COMPRESSION_LEVEL)
}

/// Content in its stored form.
#[derive(Debug)]
pub(super) struct PackedContent<'a> {
    /// The hash of the original.
    pub(super) hash: ContentHash,
    /// The size before compression.
    pub(super) bytes: usize,
    pub(super) secrets: u32,
    pub(super) compressed: bool,
    pub(super) stored: Cow<'a, [u8]>,
}

impl<'a> PackedContent<'a> {
    /// Compresses `content`.
    ///
    /// # Errors
    /// The error of zstd.
    pub(super) fn compress(content: NewContent<'a>) -> Result<Self, StoreError> {
        Self::compress_with(&mut new_compressor(), content)
    }

    /// Compresses `content` with a compressor of [`new_compressor`].
    ///
    /// # Errors
    /// The error of zstd.
    pub(super) fn compress_with(
        compressor: &mut ContentCompressor,
        content: NewContent<'a>,
    ) -> Result<Self, StoreError> {
        let NewContent { hash, bytes: plain, secrets } = content;
        let bytes = plain.len();
        let small = if bytes < COMPRESSED_BYTES_MIN {
            None
        } else {
            let compressor = compressor.as_mut().map_err(|error| {
                StoreError::Compression(io::Error::new(error.kind(), error.to_string()))
            })?;
            let small = compressor.compress(&plain).map_err(StoreError::Compression)?;
            Some(small).filter(|small| small.len() < bytes)
        };
        let compressed = small.is_some();
        Ok(Self { hash, bytes, secrets, compressed, stored: small.map_or(plain, Cow::Owned) })
    }
}

impl PackedContent<'_> {
    /// Returns the stored size in bytes.
    pub(super) fn len(&self) -> usize {
        self.stored.len()
    }

    /// Converts the content into one that borrows nothing.
    pub(super) fn into_owned(self) -> PackedContent<'static> {
        let Self { hash, bytes, secrets, compressed, stored } = self;
        PackedContent { hash, bytes, secrets, compressed, stored: Cow::Owned(stored.into_owned()) }
    }
}
