//! The words of a file's chunks, stored and in searchable form.
//!
//! A word is stored as a 32-bit hash, so that writers need not share a dictionary. Two words of a
//! repository collide about once in 40,000 queries, and then a few chunks rank too high.

use foveal_relevance::terms::search_terms;
use serde::{Deserialize, Serialize};

use crate::compression::{compress, decompress};

/// The number of bytes of a chunk whose words are indexed.
const CHUNK_BYTES_MAX: usize = 16 << 10;

/// The hash of a lower-case, stemmed word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TermHash(pub(crate) u32);

impl TermHash {
    /// Computes the 64-bit FNV-1a hash, folded to 32 bits.
    pub(crate) fn from_term(term: &str) -> Self {
        let hash = term.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self((hash ^ (hash >> 32)) as u32)
    }
}

/// Returns the terms of `text` in order, with repetitions.
pub(crate) fn term_hashes(text: &str) -> Vec<TermHash> {
    let end = text.floor_char_boundary(CHUNK_BYTES_MAX);
    search_terms(&text[..end]).iter().map(|term| TermHash::from_term(term)).collect()
}

/// The frequency of a term in one chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TermPosting {
    /// The position of the chunk in its file.
    pub(crate) chunk: u16,
    pub(crate) frequency: u16,
}

/// The terms of all chunks of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileTerms {
    /// Sorted.
    hashes: Vec<TermHash>,
    /// The end of each term's postings.
    ends: Vec<u32>,
    postings: Vec<TermPosting>,
    /// The number of terms of each chunk.
    pub(crate) lengths: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct EncodedTerms {
    /// The differences of the sorted hashes, each followed by its postings: their number, and for
    /// each posting the difference of the chunk position times 4 plus the frequency minus 1, up to
    /// 3. The value 3 is followed by the excess.
    numbers: Vec<u32>,
    lengths: Vec<u32>,
}

impl FileTerms {
    /// Creates the postings from the terms of each chunk, in order; at most 65,536 chunks.
    pub(crate) fn from_chunks(parts: Vec<Vec<TermHash>>) -> Self {
        let mut all: Vec<(TermHash, TermPosting)> = Vec::new();
        let mut lengths = Vec::new();
        for (chunk, mut terms) in (0..=u16::MAX).zip(parts) {
            lengths.push(u32::try_from(terms.len()).unwrap_or(u32::MAX));
            terms.sort_unstable();
            for same in terms.chunk_by(|a, b| a == b) {
                let frequency = u16::try_from(same.len()).unwrap_or(u16::MAX);
                all.push((same[0], TermPosting { chunk, frequency }));
            }
        }
        // The sort is stable, so chunks stay in order.
        all.sort_by_key(|(term, _)| *term);
        let mut terms = Self { lengths, ..Self::default() };
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            terms.postings.extend(same.iter().map(|(_, posting)| *posting));
            terms.finish_term(same[0].0);
        }
        terms
    }

    fn finish_term(&mut self, term: TermHash) {
        self.hashes.push(term);
        self.ends.push(u32::try_from(self.postings.len()).unwrap_or(u32::MAX));
    }

    /// Returns the postings of `term` in this file.
    pub(crate) fn postings(&self, term: TermHash) -> &[TermPosting] {
        let Ok(at) = self.hashes.binary_search(&term) else { return &[] };
        let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.postings[start as usize..self.ends[at] as usize]
    }

    pub(crate) fn encode(&self) -> Vec<u8> {
        let mut numbers = Vec::new();
        let mut before = 0;
        let mut start = 0;
        for (hash, end) in self.hashes.iter().zip(&self.ends) {
            numbers.push(hash.0 - before);
            numbers.push(end - start);
            let mut chunk = 0;
            for posting in &self.postings[start as usize..*end as usize] {
                let more = u32::from(posting.frequency) - 1;
                numbers.push(u32::from(posting.chunk - chunk) << 2 | more.min(3));
                if more >= 3 {
                    numbers.push(more - 3);
                }
                chunk = posting.chunk;
            }
            (before, start) = (hash.0, *end);
        }
        let stored = EncodedTerms { numbers, lengths: self.lengths.clone() };
        compress(&postcard::to_allocvec(&stored).expect("numbers are always written"))
    }

    /// Decodes the output of [`Self::encode`]. Returns `None` for other bytes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let stored: EncodedTerms = postcard::from_bytes(&decompress(bytes)?).ok()?;
        let mut terms = Self { lengths: stored.lengths, ..Self::default() };
        let mut numbers = stored.numbers.into_iter();
        let mut hash = 0_u32;
        while let Some(difference) = numbers.next() {
            hash = hash.checked_add(difference)?;
            let mut chunk = 0_u32;
            for _ in 0..numbers.next()? {
                let packed = numbers.next()?;
                let more = packed & 3;
                let more = if more == 3 { numbers.next()?.checked_add(3)? } else { more };
                chunk = chunk.checked_add(packed >> 2)?;
                let place = u16::try_from(chunk).ok()?;
                if chunk as usize >= terms.lengths.len() {
                    return None;
                }
                let frequency = u16::try_from(more.checked_add(1)?).ok()?;
                terms.postings.push(TermPosting { chunk: place, frequency });
            }
            terms.finish_term(TermHash(hash));
        }
        Some(terms)
    }
}

#[cfg(test)]
mod tests;
