//! The words of a file's parts, as they are stored and searched.
//!
//! A word is its hash of 32 bits: no list of all words has to be kept in step by those who
//! write. Two words of a repository share one about once in 40,000 questions; then a few
//! parts rank higher than they should.

use foveal_code::terms::terms;
use serde::{Deserialize, Serialize};

use crate::packed::{pack, unpack};

/// Bytes of a part that are read for its words.
const CHUNK_BYTES_MAX: usize = 16 << 10;

/// A word, lower case and stemmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TermHash(pub(crate) u32);

impl TermHash {
    /// FNV-1a of 64 bits, folded.
    pub(crate) fn of(term: &str) -> Self {
        let hash = term.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self((hash ^ (hash >> 32)) as u32)
    }
}

/// The terms of `text` in order, with repetitions.
pub(crate) fn term_hashes(text: &str) -> Vec<TermHash> {
    let end = text.floor_char_boundary(CHUNK_BYTES_MAX);
    terms(&text[..end]).iter().map(|term| TermHash::of(term)).collect()
}

/// How often a term stands in one part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Posting {
    /// The part's place in its file.
    pub(crate) chunk: u16,
    pub(crate) frequency: u16,
}

/// The terms of all parts of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FileTerms {
    /// Sorted.
    hashes: Vec<TermHash>,
    /// Where the postings of each term end.
    ends: Vec<u32>,
    postings: Vec<Posting>,
    /// The number of terms of each part.
    pub(crate) lengths: Vec<u32>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Differences of the sorted hashes, each followed by its postings: their number, then
    /// for each the difference of the part's place times 4 plus how often less 1, up to 3,
    /// which is followed by what is more than that.
    numbers: Vec<u32>,
    lengths: Vec<u32>,
}

impl FileTerms {
    /// The terms of parts given as those of each, in order; at most 65,536 parts.
    pub(crate) fn of(parts: Vec<Vec<TermHash>>) -> Self {
        let mut all: Vec<(TermHash, Posting)> = Vec::new();
        let mut lengths = Vec::new();
        for (chunk, mut terms) in (0..=u16::MAX).zip(parts) {
            lengths.push(u32::try_from(terms.len()).unwrap_or(u32::MAX));
            terms.sort_unstable();
            for same in terms.chunk_by(|a, b| a == b) {
                let frequency = u16::try_from(same.len()).unwrap_or(u16::MAX);
                all.push((same[0], Posting { chunk, frequency }));
            }
        }
        // Stable, so that parts stay in order.
        all.sort_by_key(|(term, _)| *term);
        let mut terms = Self { lengths, ..Self::default() };
        for same in all.chunk_by(|a, b| a.0 == b.0) {
            terms.postings.extend(same.iter().map(|(_, posting)| *posting));
            terms.close(same[0].0);
        }
        terms
    }

    fn close(&mut self, term: TermHash) {
        self.hashes.push(term);
        self.ends.push(u32::try_from(self.postings.len()).unwrap_or(u32::MAX));
    }

    /// Where `term` stands in this file.
    pub(crate) fn postings(&self, term: TermHash) -> &[Posting] {
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
        let stored = Stored { numbers, lengths: self.lengths.clone() };
        pack(&postcard::to_allocvec(&stored).expect("numbers are always written"))
    }

    /// `None` where `bytes` are not what [`Self::encode`] writes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let stored: Stored = postcard::from_bytes(&unpack(bytes)?).ok()?;
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
                terms.postings.push(Posting { chunk: place, frequency });
            }
            terms.close(TermHash(hash));
        }
        Some(terms)
    }
}

#[cfg(test)]
mod tests;
