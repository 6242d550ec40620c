//! Cached token counts for texts that share most of their lines, such as one result shaped in
//! several ways: counts are cached chunk by chunk.

use std::ops::Range;

use foveal_pricing::tokens::{Tokenizer, Tokens};

use crate::entry_facts::LineHash;

/// Fewest slots.
const SLOTS_MIN: usize = 1 << 9;

/// Most slots: bounds the memory of one conversation under one profile.
const SLOTS_MAX: usize = 1 << 16;

/// A part that two texts have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommonPart {
    /// Offset in the first text.
    pub at: usize,
    /// Offset in the other text.
    pub at_in_other: usize,
    /// Length in bytes.
    pub bytes: usize,
}

impl CommonPart {
    fn range(&self) -> Range<usize> {
        self.at..self.at + self.bytes
    }

    fn range_in_other(&self) -> Range<usize> {
        self.at_in_other..self.at_in_other + self.bytes
    }

    /// Returns the largest part of it at whose ends both texts have a token boundary, regardless of
    /// the surrounding text.
    fn trim_to_piece_boundaries(&self, text: &str) -> Option<Self> {
        let part = &text[self.range()];
        let begins = |at: &usize| is_piece_boundary(&part[*at..]);
        let first = part.match_indices('\n').map(|(at, _)| at + 1).find(begins)?;
        let last = part.rmatch_indices('\n').map(|(at, _)| at + 1).find(begins)?;
        let (at, at_in_other) = (self.at + first, self.at_in_other + first);
        (first < last).then_some(Self { at, at_in_other, bytes: last - first })
    }
}

/// Counts of chunks and texts by their hashes. Each is in one of the two slots that its hash names;
/// if both are taken, a new count replaces the first.
#[derive(Debug, Clone, Default)]
pub struct TokenCache {
    hashes: Vec<LineHash>,
    /// 0 where the slot is free.
    counts: Vec<u16>,
    used_slots: usize,
    /// Whether new chunks are no longer cached, only texts.
    is_frozen: bool,
}

impl TokenCache {
    /// Counts the tokens of `text`, with the result of [`Tokenizer::count`] unless two chunks share
    /// a 64-bit hash. A cache serves one tokenizer.
    pub fn count(&mut self, tokenizer: Tokenizer, text: &str) -> Tokens {
        tokenizer.scale_count(self.count_chunks(tokenizer, text))
    }

    /// Stops or resumes the caching of new chunks.
    pub fn set_frozen(&mut self, is_full: bool) {
        self.is_frozen = is_full;
    }

    /// Returns the tokens of a text that was added by [`remember_text`](Self::remember_text).
    pub fn cached_text(&self, tokenizer: Tokenizer, text: &str) -> Option<Tokens> {
        self.cached_count(LineHash::from_text(text)).map(|count| tokenizer.scale_count(count))
    }

    /// Caches the tokens of a whole text.
    pub fn remember_text(&mut self, tokenizer: Tokenizer, text: &str, tokens: Tokens) {
        let count = tokenizer.unscale_count(tokens).and_then(|count| u16::try_from(count).ok());
        if let Some(count) = count.filter(|count| *count > 0) {
            self.remember(LineHash::from_text(text), count);
        }
    }

    /// Counts the tokens of `text`, which has parts in common with `other`, a text of `known`
    /// tokens. The result is that of [`TokenCache::count`] but for long runs that are counted in
    /// parts. If both texts have most in common, only the rest of both is counted.
    pub fn count_similar(
        &mut self,
        tokenizer: Tokenizer,
        text: &str,
        other: &str,
        known: Tokens,
        common: &[CommonPart],
    ) -> Tokens {
        let common: Vec<CommonPart> =
            common.iter().filter_map(|part| part.trim_to_piece_boundaries(text)).collect();
        let bytes: usize = common.iter().map(|part| part.bytes).sum();
        let is_less = other.len() < 2 * bytes;
        let Some(known) = tokenizer.unscale_count(known).filter(|_| is_less) else {
            return self.count(tokenizer, text);
        };
        let own = self.count_between(tokenizer, text, common.iter().map(|part| part.range()));
        let others = common.iter().map(|part| part.range_in_other());
        let without = self.count_between(tokenizer, other, others);
        tokenizer.scale_count((known + own).saturating_sub(without))
    }

    /// Counts the tokens before, between and behind some parts, in the underlying vocabulary.
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
        let hash = LineHash::from_text(chunk);
        if let Some(count) = self.cached_count(hash) {
            return count;
        }
        let count = tokenizer.vocabulary_count(chunk);
        if let (Ok(short), false) = (u16::try_from(count), self.is_frozen) {
            self.remember(hash, short);
        }
        count
    }

    /// Returns the cached count for a hash.
    fn cached_count(&self, hash: LineHash) -> Option<u64> {
        let holds = |slot: &usize| self.counts[*slot] > 0 && self.hashes[*slot] == hash;
        self.slots(hash).find(holds).map(|slot| u64::from(self.counts[slot]))
    }

    /// Returns the slots in which a hash may be; none while there are no slots.
    fn slots(&self, hash: LineHash) -> impl Iterator<Item = usize> + use<> {
        let slots = self.hashes.len();
        let first = hash.0 as usize & slots.wrapping_sub(1);
        [first, first ^ 1].into_iter().filter(move |_| slots > 0)
    }

    fn remember(&mut self, hash: LineHash, count: u16) {
        if self.used_slots * 2 >= self.hashes.len() && self.hashes.len() < SLOTS_MAX {
            self.grow();
        }
        let mut slots = self.slots(hash);
        let first = slots.next();
        let free = first.into_iter().chain(slots).find(|slot| self.counts[*slot] == 0);
        if let Some(slot) = free.or(first) {
            self.used_slots += usize::from(self.counts[slot] == 0);
            (self.hashes[slot], self.counts[slot]) = (hash, count);
        }
    }

    fn grow(&mut self) {
        let slots = (self.hashes.len() * 2).max(SLOTS_MIN);
        let hashes = std::mem::replace(&mut self.hashes, vec![LineHash(0); slots]);
        let counts = std::mem::replace(&mut self.counts, vec![0; slots]);
        self.used_slots = 0;
        for (hash, count) in hashes.into_iter().zip(counts).filter(|(_, count)| *count > 0) {
            self.remember(hash, count);
        }
    }
}

/// Returns the length up to the first position in `text` at which every tokenizer begins a new
/// piece regardless of the surrounding text, so that counts before and after it add up.
///
/// Tokens never cross the pieces of both vocabularies. A piece begins after a line break, unless
/// another line break follows, perhaps after white space, or a slash (o200k joins slashes to line
/// breaks).
fn chunk_len(text: &str) -> usize {
    let mut from = 0;
    while let Some(found) = text[from..].find('\n') {
        from += found + 1;
        if is_piece_boundary(&text[from..]) {
            return from;
        }
    }
    text.len()
}

fn is_piece_boundary(rest: &str) -> bool {
    let text = rest.trim_start_matches(|c: char| c.is_whitespace() && c != '\n' && c != '\r');
    !text.is_empty() && !text.starts_with(['\n', '\r']) && !rest.starts_with('/')
}

#[cfg(test)]
mod tests;
