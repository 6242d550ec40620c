//! A provider's prompt cache, with the rules that its documentation states.
//!
//! Anthropic (platform.claude.com/docs/en/build-with-claude/prompt-caching): what stands up to a
//! mark is written; from each mark the cache is searched back over twenty blocks; a read renews
//! the entry; prefixes below the model's minimum are not cached. OpenAI
//! (developers.openai.com/api/docs/guides/prompt-caching): every prompt of 1,024 tokens or more is
//! cached by itself, and reads come in steps of 128; from GPT-5.6 on writes are billed, live for
//! 30 minutes, and reads have no steps. Google (ai.google.dev/gemini-api/docs/caching): by itself
//! too, from 2,048 (Gemini 2.5) or 4,096 tokens on.

use std::collections::HashMap;

use blake3::{Hash, Hasher};
use foveal_context::placement::breakpoints::minimum_cacheable;
use foveal_wire::Protocol;

use crate::prompt::{Lifetime, Part};

const MINUTE_MS: u64 = 60_000;

/// Blocks over which a mark looks back.
const LOOKBACK_BLOCKS: usize = 20;

/// Prefixes that are held; when there are more, those that have expired are forgotten.
const ENTRIES_MAX: usize = 1 << 20;

/// What one request is billed for: the parts of the prompt, and the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Bill {
    /// Tokens neither read from the cache nor written to it.
    pub uncached: u64,
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written for the usual time.
    pub written_5m: u64,
    /// Tokens written for an hour.
    pub written_1h: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl Bill {
    /// Tokens of the whole prompt.
    pub fn prompt(&self) -> u64 {
        self.uncached + self.read + self.written_5m + self.written_1h
    }
}

/// The cache of one provider.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    entries: HashMap<Hash, Entry>,
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    lives_ms: u64,
    ends_ms: u64,
}

/// A prompt with the hashes and the tokens of its prefixes.
struct Prefixes<'a> {
    parts: &'a [Part],
    hashes: Vec<Hash>,
    tokens: Vec<u64>,
}

impl<'a> Prefixes<'a> {
    fn of(root: &str, parts: &'a [Part]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(root.as_bytes());
        let (mut hashes, mut tokens, mut sum) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            hasher.update(part.hash.as_bytes());
            hashes.push(hasher.finalize());
            sum += part.tokens;
            tokens.push(sum);
        }
        Prefixes { parts, hashes, tokens }
    }

    fn total(&self) -> u64 {
        self.tokens.last().copied().unwrap_or(0)
    }
}

impl Cache {
    /// Bills `prompt` at `now_ms` and keeps of it what the provider would.
    pub(crate) fn bill(
        &mut self,
        protocol: Protocol,
        model: &str,
        prompt: &[Part],
        now_ms: u64,
    ) -> Bill {
        if self.entries.len() > ENTRIES_MAX {
            self.entries.retain(|_, entry| entry.ends_ms > now_ms);
        }
        let prefixes = Prefixes::of(&format!("{} {model}", protocol.name()), prompt);
        match protocol {
            Protocol::Messages => self.by_marks(&prefixes, minimum_cacheable(model).0, now_ms),
            Protocol::Chat | Protocol::Responses => {
                self.by_itself(&prefixes, &Automatic::openai(model), now_ms)
            }
            Protocol::Gemini => self.by_itself(&prefixes, &Automatic::gemini(model), now_ms),
        }
    }

    /// Anthropic's way.
    fn by_marks(&mut self, prefixes: &Prefixes<'_>, minimum: u64, now_ms: u64) -> Bill {
        let marks: Vec<(usize, Lifetime)> = prefixes
            .parts
            .iter()
            .enumerate()
            .filter_map(|(at, part)| Some((at, part.mark?)))
            .filter(|(at, _)| prefixes.tokens[*at] >= minimum)
            .collect();
        let found = marks.iter().filter_map(|(mark, _)| {
            let first = (mark + 1).saturating_sub(LOOKBACK_BLOCKS);
            (first..=*mark).rev().find(|at| self.lives(prefixes.hashes[*at], now_ms))
        });
        let hit = found.max();
        let read = hit.map_or(0, |at| prefixes.tokens[at]);
        if let Some(at) = hit {
            self.renew(prefixes.hashes[at], now_ms);
        }
        let last = |lifetime| {
            let ends = marks.iter().filter(|(_, each)| *each >= lifetime);
            ends.map(|(at, _)| prefixes.tokens[*at]).max().unwrap_or(0).max(read)
        };
        let (hour, all) = (last(Lifetime::Hour), last(Lifetime::Minutes));
        for (at, lifetime) in &marks {
            let lives_ms = match lifetime {
                Lifetime::Minutes => 5 * MINUTE_MS,
                Lifetime::Hour => 60 * MINUTE_MS,
            };
            self.write(prefixes.hashes[*at], lives_ms, now_ms);
        }
        Bill {
            uncached: prefixes.total() - all,
            read,
            written_5m: all - hour,
            written_1h: hour - read,
            output: 0,
        }
    }

    /// The way of those who cache without being asked: whole messages that were sent before.
    fn by_itself(&mut self, prefixes: &Prefixes<'_>, rules: &Automatic, now_ms: u64) -> Bill {
        let total = prefixes.total();
        let hit =
            (0..prefixes.hashes.len()).rev().find(|at| self.lives(prefixes.hashes[*at], now_ms));
        let common = hit.map_or(0, |at| prefixes.tokens[at]);
        let read = match common.checked_sub(rules.minimum) {
            Some(more) => rules.minimum + more / rules.step * rules.step,
            None => 0,
        };
        let is_cached = total >= rules.minimum;
        if is_cached {
            for hash in &prefixes.hashes {
                self.write(*hash, rules.lives_ms, now_ms);
            }
        }
        let rest = total - read;
        let written = if is_cached && rules.bills_writes { rest } else { 0 };
        Bill { uncached: rest - written, read, written_5m: written, written_1h: 0, output: 0 }
    }

    fn lives(&self, prefix: Hash, now_ms: u64) -> bool {
        self.entries.get(&prefix).is_some_and(|entry| entry.ends_ms > now_ms)
    }

    fn renew(&mut self, prefix: Hash, now_ms: u64) {
        if let Some(entry) = self.entries.get_mut(&prefix) {
            entry.ends_ms = now_ms + entry.lives_ms;
        }
    }

    fn write(&mut self, prefix: Hash, lives_ms: u64, now_ms: u64) {
        let entry = self.entries.entry(prefix).or_insert(Entry { lives_ms, ends_ms: 0 });
        if entry.ends_ms <= now_ms {
            entry.lives_ms = lives_ms;
        }
        entry.lives_ms = entry.lives_ms.max(lives_ms);
        entry.ends_ms = now_ms + entry.lives_ms;
    }
}

/// How a provider caches by itself.
struct Automatic {
    minimum: u64,
    step: u64,
    lives_ms: u64,
    bills_writes: bool,
}

impl Automatic {
    fn openai(model: &str) -> Self {
        // The families from 5.6 on, of which only the numbers up to 9 are known.
        let number = model.strip_prefix("gpt-").unwrap_or_default();
        let is_later = number.get(..3).is_some_and(|number| ("5.6".."9.9").contains(&number));
        if is_later {
            Automatic { minimum: 1024, step: 1, lives_ms: 30 * MINUTE_MS, bills_writes: true }
        } else {
            Automatic { minimum: 1024, step: 128, lives_ms: 5 * MINUTE_MS, bills_writes: false }
        }
    }

    /// No lifetime is documented; five minutes is an assumption.
    fn gemini(model: &str) -> Self {
        let minimum = if model.contains("2.5") { 2048 } else { 4096 };
        Automatic { minimum, step: 1, lives_ms: 5 * MINUTE_MS, bills_writes: false }
    }
}
