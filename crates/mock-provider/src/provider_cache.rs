//! A provider's prompt cache by the documented rules.
//!
//! Anthropic (platform.claude.com/docs/en/build-with-claude/prompt-caching) writes the prefix up to
//! each cache breakpoint. From each breakpoint it searches the cache back over twenty blocks; a
//! read renews the entry; prefixes below the model's minimum are not cached. OpenAI
//! (developers.openai.com/api/docs/guides/prompt-caching) caches every prompt of 1,024 tokens or
//! more automatically, and reads come in steps of 128. From GPT-5.6 on, writes are billed, entries
//! live for 30 minutes, and reads have no steps. Google (ai.google.dev/gemini-api/docs/caching)
//! caches automatically too, from 2,048 (Gemini 2.5) or 4,096 tokens on.

use std::collections::HashMap;

use blake3::{Hash, Hasher};
use foveal_engine::placement::breakpoints::minimum_cacheable;
use foveal_protocols::Protocol;

use crate::prompt_parts::{EntryLifetime, PromptPart};

const MINUTE_MS: u64 = 60_000;

/// The number of blocks that a search from a breakpoint goes back.
const LOOKBACK_BLOCKS: usize = 20;

/// The most cached prefixes; beyond it, expired ones are removed.
const ENTRIES_MAX: usize = 1 << 20;

/// The billed tokens of one request: the parts of the prompt, and the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenBill {
    /// Tokens neither read from the cache nor written to it.
    pub uncached: u64,
    /// Tokens read from the cache.
    pub read: u64,
    /// Tokens written with the default lifetime.
    pub written_5m: u64,
    /// Tokens written with the lifetime of an hour.
    pub written_1h: u64,
    /// Tokens of the answer.
    pub output: u64,
}

impl TokenBill {
    /// Returns the tokens of the whole prompt.
    pub fn prompt_tokens(&self) -> u64 {
        self.uncached + self.read + self.written_5m + self.written_1h
    }
}

/// The cache of one provider.
#[derive(Debug, Default)]
pub(crate) struct ProviderCache {
    entries: HashMap<Hash, CachedPrefixEntry>,
}

#[derive(Debug, Clone, Copy)]
struct CachedPrefixEntry {
    lifetime_ms: u64,
    expires_ms: u64,
}

/// A prompt with the hashes and token counts of its prefixes.
struct PromptPrefixes<'a> {
    parts: &'a [PromptPart],
    hashes: Vec<Hash>,
    tokens: Vec<u64>,
}

impl<'a> PromptPrefixes<'a> {
    fn from_prompt_parts(root: &str, parts: &'a [PromptPart]) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(root.as_bytes());
        let (mut hashes, mut tokens, mut sum) = (Vec::new(), Vec::new(), 0);
        for part in parts {
            hasher.update(part.hash.as_bytes());
            hashes.push(hasher.finalize());
            sum += part.tokens;
            tokens.push(sum);
        }
        PromptPrefixes { parts, hashes, tokens }
    }

    fn total_tokens(&self) -> u64 {
        self.tokens.last().copied().unwrap_or(0)
    }
}

impl ProviderCache {
    /// Bills `prompt` at `now_ms` and caches the prefixes that the provider would cache.
    pub(crate) fn bill_prompt(
        &mut self,
        protocol: Protocol,
        model: &str,
        prompt: &[PromptPart],
        now_ms: u64,
    ) -> TokenBill {
        if self.entries.len() > ENTRIES_MAX {
            self.entries.retain(|_, entry| entry.expires_ms > now_ms);
        }
        let prefixes =
            PromptPrefixes::from_prompt_parts(&format!("{} {model}", protocol.name()), prompt);
        match protocol {
            Protocol::Messages => {
                self.bill_by_breakpoints(&prefixes, minimum_cacheable(model).0, now_ms)
            }
            Protocol::Chat | Protocol::Responses => {
                self.bill_automatically(&prefixes, &AutomaticCacheRules::openai(model), now_ms)
            }
            Protocol::Gemini => {
                self.bill_automatically(&prefixes, &AutomaticCacheRules::gemini(model), now_ms)
            }
        }
    }

    /// Bills by explicit cache breakpoints, as Anthropic does.
    fn bill_by_breakpoints(
        &mut self,
        prefixes: &PromptPrefixes<'_>,
        minimum: u64,
        now_ms: u64,
    ) -> TokenBill {
        let marks: Vec<(usize, EntryLifetime)> = prefixes
            .parts
            .iter()
            .enumerate()
            .filter_map(|(at, part)| Some((at, part.breakpoint?)))
            .filter(|(at, _)| prefixes.tokens[*at] >= minimum)
            .collect();
        let found = marks.iter().filter_map(|(mark, _)| {
            let first = (mark + 1).saturating_sub(LOOKBACK_BLOCKS);
            (first..=*mark).rev().find(|at| self.is_cached(prefixes.hashes[*at], now_ms))
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
        let (hour, all) = (last(EntryLifetime::Hour), last(EntryLifetime::Minutes));
        for (at, lifetime) in &marks {
            let lives_ms = match lifetime {
                EntryLifetime::Minutes => 5 * MINUTE_MS,
                EntryLifetime::Hour => 60 * MINUTE_MS,
            };
            self.write_entry(prefixes.hashes[*at], lives_ms, now_ms);
        }
        TokenBill {
            uncached: prefixes.total_tokens() - all,
            read,
            written_5m: all - hour,
            written_1h: hour - read,
            output: 0,
        }
    }

    /// Bills by automatic caching of message prefixes that were sent before.
    fn bill_automatically(
        &mut self,
        prefixes: &PromptPrefixes<'_>,
        rules: &AutomaticCacheRules,
        now_ms: u64,
    ) -> TokenBill {
        let total = prefixes.total_tokens();
        let hit = (0..prefixes.hashes.len())
            .rev()
            .find(|at| self.is_cached(prefixes.hashes[*at], now_ms));
        let common = hit.map_or(0, |at| prefixes.tokens[at]);
        let read = match common.checked_sub(rules.minimum) {
            Some(more) => rules.minimum + more / rules.step * rules.step,
            None => 0,
        };
        let is_cached = total >= rules.minimum;
        if is_cached {
            for hash in &prefixes.hashes {
                self.write_entry(*hash, rules.lifetime_ms, now_ms);
            }
        }
        let rest = total - read;
        let written = if is_cached && rules.bills_writes { rest } else { 0 };
        TokenBill { uncached: rest - written, read, written_5m: written, written_1h: 0, output: 0 }
    }

    fn is_cached(&self, prefix: Hash, now_ms: u64) -> bool {
        self.entries.get(&prefix).is_some_and(|entry| entry.expires_ms > now_ms)
    }

    fn renew(&mut self, prefix: Hash, now_ms: u64) {
        if let Some(entry) = self.entries.get_mut(&prefix) {
            entry.expires_ms = now_ms + entry.lifetime_ms;
        }
    }

    fn write_entry(&mut self, prefix: Hash, lives_ms: u64, now_ms: u64) {
        let entry = self
            .entries
            .entry(prefix)
            .or_insert(CachedPrefixEntry { lifetime_ms: lives_ms, expires_ms: 0 });
        if entry.expires_ms <= now_ms {
            entry.lifetime_ms = lives_ms;
        }
        entry.lifetime_ms = entry.lifetime_ms.max(lives_ms);
        entry.expires_ms = now_ms + entry.lifetime_ms;
    }
}

/// The rules of automatic caching of a provider.
struct AutomaticCacheRules {
    minimum: u64,
    step: u64,
    lifetime_ms: u64,
    bills_writes: bool,
}

impl AutomaticCacheRules {
    fn openai(model: &str) -> Self {
        // The families from 5.6 on, assuming version numbers below 9.9.
        let number = model.strip_prefix("gpt-").unwrap_or_default();
        let is_later = number.get(..3).is_some_and(|number| ("5.6".."9.9").contains(&number));
        if is_later {
            AutomaticCacheRules {
                minimum: 1024,
                step: 1,
                lifetime_ms: 30 * MINUTE_MS,
                bills_writes: true,
            }
        } else {
            AutomaticCacheRules {
                minimum: 1024,
                step: 128,
                lifetime_ms: 5 * MINUTE_MS,
                bills_writes: false,
            }
        }
    }

    /// The lifetime is undocumented; five minutes is an assumption.
    fn gemini(model: &str) -> Self {
        let minimum = if model.contains("2.5") { 2048 } else { 4096 };
        AutomaticCacheRules { minimum, step: 1, lifetime_ms: 5 * MINUTE_MS, bills_writes: false }
    }
}
