//! Texts of lines as hashes and as numbers.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// Hash of one line's text. Equal hashes are confirmed on the text before anything is
/// pointed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineHash(pub u64);

impl LineHash {
    /// The hash of `line`, white space included.
    pub fn of(line: &str) -> Self {
        // Folded multiplication of sixteen bytes at a time, as in wyhash.
        let mut hash = KEYS[0];
        let mut chunks = line.as_bytes().chunks_exact(16);
        for chunk in &mut chunks {
            hash = fold(hash, chunk.try_into().expect("chunks have sixteen bytes"));
        }
        let mut rest = [0; 16];
        rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        let hash = fold(hash, &rest);
        LineHash(multiply(hash ^ KEYS[1], line.len() as u64 ^ KEYS[2]))
    }
}

/// Digits of the fractional part of pi.
const KEYS: [u64; 3] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344, 0xa409_3822_299f_31d0];

fn fold(hash: u64, bytes: &[u8; 16]) -> u64 {
    let wide = u128::from_le_bytes(*bytes);
    multiply(wide as u64 ^ KEYS[1], (wide >> 64) as u64 ^ hash)
}

fn multiply(one: u64, other: u64) -> u64 {
    let wide = u128::from(one) * u128::from(other);
    wide as u64 ^ (wide >> 64) as u64
}

/// Hashes a [`LineHash`], which is one already, for a map.
#[derive(Debug, Clone, Default)]
pub struct Prehashed(u64);

impl Hasher for Prehashed {
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
pub type HashMapOfLines<T> = HashMap<LineHash, T, BuildHasherDefault<Prehashed>>;

/// The number of a line's text in one conversation: two lines have the same if their hashes
/// are equal. Numbers count up from 0 without gaps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineId(pub u32);

impl LineId {
    /// The number as a place in a list.
    pub fn at(self) -> usize {
        self.0 as usize
    }
}
