//! Hashes and numbers of line texts.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hash of a line's text. Equal texts are confirmed byte by byte before a pointer refers to them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineHash(pub u64);

impl LineHash {
    /// Hashes `line`, white space included.
    pub fn from_text(line: &str) -> Self {
        // Folded multiplication of sixteen bytes at a time, as in wyhash.
        let mut hash = KEYS[0];
        let mut chunks = line.as_bytes().chunks_exact(16);
        for chunk in &mut chunks {
            hash = mix_chunk(hash, chunk.try_into().expect("chunks have sixteen bytes"));
        }
        let mut rest = [0; 16];
        rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        let hash = mix_chunk(hash, &rest);
        LineHash(multiply_fold(hash ^ KEYS[1], line.len() as u64 ^ KEYS[2]))
    }
}

/// Digits of the fractional part of pi.
const KEYS: [u64; 3] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0];

fn mix_chunk(hash: u64, bytes: &[u8; 16]) -> u64 {
    let wide = u128::from_le_bytes(*bytes);
    multiply_fold(wide as u64 ^ KEYS[1], (wide >> 64) as u64 ^ hash)
}

fn multiply_fold(one: u64, other: u64) -> u64 {
    let wide = u128::from(one) * u128::from(other);
    wide as u64 ^ (wide >> 64) as u64
}

/// A hasher that passes a [`LineHash`] through unchanged, for maps.
#[derive(Debug, Clone, Default)]
pub struct PrehashedHasher(u64);

impl Hasher for PrehashedHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = self.0.rotate_left(8) ^ hash;
    }
}

/// A map by [`LineHash`].
pub type LineHashMap<T> = HashMap<LineHash, T, BuildHasherDefault<PrehashedHasher>>;

/// The number of a line's text in one conversation: equal hashes have equal numbers. Numbers count
/// up from 0 without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(pub u32);

impl LineId {
    /// Returns the number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
