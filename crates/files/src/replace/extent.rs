//! What a file is expected to hold.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;

use foveal_transcript::ContentHash;
use serde::{Deserialize, Serialize};

/// Bytes read at once.
const CHUNK_BYTES: usize = 256 * 1024;

/// So many bytes with this hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    pub(super) hash: ContentHash,
}

impl Extent {
    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { bytes: bytes.len() as u64, hash: ContentHash::of(bytes) }
    }

    /// Whether `file` holds it and nothing else; not where the file cannot be read.
    pub(super) fn is_content_of(&self, file: &File) -> bool {
        self.matches(file).unwrap_or_default()
    }

    fn matches(&self, file: &File) -> io::Result<bool> {
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
