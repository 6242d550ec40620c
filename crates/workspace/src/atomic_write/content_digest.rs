//! Digests of file content.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use foveal_transcript::ContentHash;
use serde::{Deserialize, Serialize};

/// Bytes per read.
const CHUNK_BYTES: usize = 256 * 1024;

/// The size and hash of file content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ContentDigest {
    pub(super) bytes: u64,
    pub(super) hash: ContentHash,
}

impl ContentDigest {
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, hash: ContentHash::from_content(bytes) }
    }

    /// Returns whether `file` has exactly this content; false if it cannot be read.
    pub(super) fn matches_file(&self, file: &File) -> bool {
        self.compare_with_file(file).unwrap_or_default()
    }

    fn compare_with_file(&self, file: &File) -> io::Result<bool> {
        if file.metadata()?.len() != self.bytes {
            return Ok(false);
        }
        let mut hasher = blake3::Hasher::new();
        let mut chunk = vec![0; CHUNK_BYTES];
        while hasher.count() < self.bytes {
            let left = usize::try_from(self.bytes - hasher.count()).unwrap_or(CHUNK_BYTES);
            match file.read_at(&mut chunk[..left.min(CHUNK_BYTES)], hasher.count()) {
                Ok(0) => return Ok(false),
                Ok(read) => drop(hasher.update(&chunk[..read])),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(ContentHash::from_bytes(*hasher.finalize().as_bytes()) == self.hash)
    }
}
