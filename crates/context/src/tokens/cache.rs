//! Token counts of texts that share most of their lines, such as one result shaped in
//! several ways: what was counted before is remembered, chunk by chunk.

use super::{Tokenizer, Tokens};
use crate::facts::LineHash;

/// Fewest slots.
const SLOTS_MIN: usize = 1 << 9;

/// Most slots: the memory of one conversation under one profile is bounded.
const SLOTS_MAX: usize = 1 << 16;

/// Counts of chunks by their hashes, each in one of the two slots that its hash names; where
/// both are taken, what comes later takes the first over.
#[derive(Debug, Clone, Default)]
pub struct TokenCache {
    hashes: Vec<LineHash>,
    /// 0 where the slot is free.
    counts: Vec<u16>,
    taken: usize,
}

impl TokenCache {
    /// Tokens of `text`: the same as [`Tokenizer::count`], unless two chunks have the same
    /// hash of 64 bits. One cache is for one tokenizer.
    pub fn count(&mut self, tokenizer: Tokenizer, text: &str) -> Tokens {
        let mut count = 0;
        let mut rest = text;
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(chunk_len(rest));
            count += self.count_chunk(tokenizer, chunk);
            rest = after;
        }
        tokenizer.charged(count)
    }

    fn count_chunk(&mut self, tokenizer: Tokenizer, chunk: &str) -> u64 {
        let hash = LineHash::of(chunk);
        let holds = |slot: &usize| self.counts[*slot] > 0 && self.hashes[*slot] == hash;
        if let Some(slot) = self.slots(hash).find(holds) {
            return u64::from(self.counts[slot]);
        }
        let count = tokenizer.vocabulary_count(chunk);
        if let Ok(short) = u16::try_from(count) {
            self.remember(hash, short);
        }
        count
    }

    /// The slots in which a hash may be; none while there are no slots.
    fn slots(&self, hash: LineHash) -> impl Iterator<Item = usize> + use<> {
        let slots = self.hashes.len();
        let first = hash.0 as usize & slots.wrapping_sub(1);
        [first, first ^ 1].into_iter().filter(move |_| slots > 0)
    }

    fn remember(&mut self, hash: LineHash, count: u16) {
        if self.taken * 2 >= self.hashes.len() && self.hashes.len() < SLOTS_MAX {
            self.grow();
        }
        let mut slots = self.slots(hash);
        let first = slots.next();
        let free = first.into_iter().chain(slots).find(|slot| self.counts[*slot] == 0);
        if let Some(slot) = free.or(first) {
            self.taken += usize::from(self.counts[slot] == 0);
            (self.hashes[slot], self.counts[slot]) = (hash, count);
        }
    }

    fn grow(&mut self) {
        let slots = (self.hashes.len() * 2).max(SLOTS_MIN);
        let hashes = std::mem::replace(&mut self.hashes, vec![LineHash(0); slots]);
        let counts = std::mem::replace(&mut self.counts, vec![0; slots]);
        self.taken = 0;
        for (hash, count) in hashes.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
            self.remember(hash, count);
        }
    }
}

/// Bytes up to the first place in `text` at which every tokenizer here begins a new piece,
/// whatever stands around it, so that counts before and after add up.
///
/// The pieces of both vocabularies, which tokens never cross, begin anew after a line break,
/// unless what follows is another line break, perhaps after white space, or a slash (o200k
/// takes slashes along with line breaks).
fn chunk_len(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find('\n') {
        from += found + 1;
        if begins_line(&text[from..]) {
            return from;
        }
    }
    text.len()
}

fn begins_line(rest: &str) -> bool {
    let text = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
    !text.is_empty() && !text.starts_with(['\n', '\r']) && !rest.starts_with('/')
}

#[cfg(test)]
mod tests;
