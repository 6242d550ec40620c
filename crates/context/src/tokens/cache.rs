//! Token counts of texts that share most of their lines, such as one result shaped in
//! several ways: what was counted before is remembered, chunk by chunk.

use std::ops::Range;

use super::{Tokenizer, Tokens};
use crate::facts::LineHash;

/// Fewest slots.
const SLOTS_MIN: usize = 1 << 9;

/// Most slots: the memory of one conversation under one profile is bounded.
const SLOTS_MAX: usize = 1 << 16;

/// A part that two texts have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Common {
    /// Where it begins in one.
    pub at: usize,
    /// Where it begins in the other.
    pub at_in_other: usize,
    /// How long it is.
    pub bytes: usize,
}

impl Common {
    fn range(&self) -> Range<usize> {
        self.at..self.at + self.bytes
    }

    fn range_in_other(&self) -> Range<usize> {
        self.at_in_other..self.at_in_other + self.bytes
    }

    /// The same as far as tokens of both texts begin and end with it, whatever stands around it.
    fn whole_chunks(&self, text: &str) -> Option<Self> {
        let part = &text[self.range()];
        let begins = |at: &usize| begins_line(&part[*at..]);
        let first = part.match_indices('\n').map(|(at, _)| at + 1).find(begins)?;
        let last = part.rmatch_indices('\n').map(|(at, _)| at + 1).find(begins)?;
        let (at, at_in_other) = (self.at + first, self.at_in_other + first);
        (first < last).then_some(Self { at, at_in_other, bytes: last - first })
    }
}

/// Counts of chunks, and of texts, by their hashes, each in one of the two slots that its hash
/// names; where both are taken, what comes later takes the first over.
#[derive(Debug, Clone, Default)]
pub struct TokenCache {
    hashes: Vec<LineHash>,
    /// 0 where the slot is free.
    counts: Vec<u16>,
    taken: usize,
    /// Whether no more chunks are remembered, only texts.
    is_full: bool,
}

impl TokenCache {
    /// Tokens of `text`: the same as [`Tokenizer::count`], unless two chunks have the same
    /// hash of 64 bits. One cache is for one tokenizer.
    pub fn count(&mut self, tokenizer: Tokenizer, text: &str) -> Tokens {
        tokenizer.charged(self.count_chunks(tokenizer, text))
    }

    /// Has chunks that are counted from now on not remembered, or remembered again.
    pub fn set_full(&mut self, is_full: bool) {
        self.is_full = is_full;
    }

    /// The tokens of a text that were [remembered](Self::remember_text).
    pub fn of_text(&self, tokenizer: Tokenizer, text: &str) -> Option<Tokens> {
        self.known(LineHash::of(text)).map(|count| tokenizer.charged(count))
    }

    /// Remembers the tokens of a whole text, as they were counted.
    pub fn remember_text(&mut self, tokenizer: Tokenizer, text: &str, tokens: Tokens) {
        let count = tokenizer.uncharged(tokens).and_then(|count| u16::try_from(count).ok());
        if let Some(count) = count.filter(|count| *count > 0) {
            self.remember(LineHash::of(text), count);
        }
    }

    /// Tokens of `text`, which has parts in common with one that has `known` tokens: as
    /// [`TokenCache::count`] says, but for long stretches that are counted in parts. Where most of
    /// both is in common, only the rest of both is counted.
    pub fn count_like(
        &mut self,
        tokenizer: Tokenizer,
        text: &str,
        (other, known): (&str, Tokens),
        common: &[Common],
    ) -> Tokens {
        let common: Vec<Common> =
            common.iter().filter_map(|part| part.whole_chunks(text)).collect();
        let bytes: usize = common.iter().map(|part| part.bytes).sum();
        let is_less = other.len() < 2 * bytes;
        let Some(known) = tokenizer.uncharged(known).filter(|_| is_less) else {
            return self.count(tokenizer, text);
        };
        let own = self.count_between(tokenizer, text, common.iter().map(|part| part.range()));
        let others = common.iter().map(|part| part.range_in_other());
        let without = self.count_between(tokenizer, other, others);
        tokenizer.charged((known + own).saturating_sub(without))
    }

    /// Tokens of the vocabulary of what stands before, between and behind some parts.
    fn count_between(
        &mut self,
        tokenizer: Tokenizer,
        text: &str,
        parts: impl Iterator<Item = Range<usize>>,
    ) -> u64 {
        let (mut count, mut from) = (0, 0);
        for part in parts {
            count += self.count_chunks(tokenizer, &text[from..part.start]);
            from = part.end;
        }
        count + self.count_chunks(tokenizer, &text[from..])
    }

    fn count_chunks(&mut self, tokenizer: Tokenizer, text: &str) -> u64 {
        let (mut count, mut rest) = (0, text);
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(chunk_len(rest));
            count += self.count_chunk(tokenizer, chunk);
            rest = after;
        }
        count
    }

    fn count_chunk(&mut self, tokenizer: Tokenizer, chunk: &str) -> u64 {
        let hash = LineHash::of(chunk);
        if let Some(count) = self.known(hash) {
            return count;
        }
        let count = tokenizer.vocabulary_count(chunk);
        if let (Ok(short), false) = (u16::try_from(count), self.is_full) {
            self.remember(hash, short);
        }
        count
    }

    /// The count of a chunk that has this hash.
    fn known(&self, hash: LineHash) -> Option<u64> {
        let holds = |slot: &usize| self.counts[*slot] > 0 && self.hashes[*slot] == hash;
        self.slots(hash).find(holds).map(|slot| u64::from(self.counts[slot]))
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
