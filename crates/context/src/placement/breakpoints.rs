//! Cache breakpoints: where the provider is asked to keep the prompt's prefix.
//!
//! The rules are Anthropic's (platform.claude.com/docs/en/build-with-claude/prompt-caching):
//! at most four breakpoints; a prefix below a minimum that depends on the model is not
//! cached; each breakpoint finds earlier entries at most 20 blocks back; entries of one hour
//! come before entries of five minutes. A client's own breakpoints are never moved.

use crate::tokens::Tokens;

/// How long a cache entry lives unused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lifetime {
    /// Five minutes, the provider's default.
    FiveMinutes,
    /// One hour, at a higher price for writing.
    OneHour,
}

/// A position after which the provider is asked to keep the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Breakpoint {
    /// The last block of the prefix: position among the prompt's blocks, from 0.
    pub block: usize,
    /// How long the entry is to live.
    pub lifetime: Lifetime,
}

/// One content block of the prompt, in the order tools, system, messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PromptBlock {
    /// Its size.
    pub tokens: Tokens,
    /// Whether a breakpoint may stand on it; not on thinking and empty text.
    pub markable: bool,
}

/// What is to be cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout<'a> {
    /// The prompt's blocks.
    pub blocks: &'a [PromptBlock],
    /// How many leading blocks are tools, system prompt and base files.
    pub system: usize,
    /// How many leading blocks will not be rewritten at the next occasion.
    pub stable: usize,
    /// The breakpoints the client set.
    pub client: &'a [Breakpoint],
}

/// A provider's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRules {
    /// Most breakpoints of one request, the client's included.
    pub breakpoints_max: usize,
    /// Blocks that one breakpoint looks back for an earlier entry.
    pub lookback_blocks: usize,
    /// The shortest prefix that is cached.
    pub minimum: Tokens,
    /// The lifetime asked for at the end of the system blocks, which outlive the messages.
    pub system_lifetime: Lifetime,
}

impl CacheRules {
    /// Anthropic's rules for `model`, with five minutes everywhere.
    pub fn anthropic(model: &str) -> Self {
        Self {
            breakpoints_max: 4,
            lookback_blocks: 20,
            minimum: minimum_cacheable(model),
            system_lifetime: Lifetime::FiveMinutes,
        }
    }
}

/// Shortest cached prefix by the start of the model's name, the more special names first.
/// From the provider's documentation as of mid-2026. Sonnet 4.6 is listed with 1024 there,
/// but was seen to start at 2048 (github.com/anthropics/anthropic-sdk-python/issues/1194).
const MINIMUM_BY_MODEL: [(&str, u64); 17] = [
    ("claude-fable-5", 512),
    ("claude-mythos-5", 512),
    ("claude-opus-5", 512),
    ("claude-opus-4-8", 1024),
    ("claude-opus-4-7", 2048),
    ("claude-opus-4-6", 4096),
    ("claude-opus-4-5", 4096),
    ("claude-opus-4", 1024),
    ("claude-sonnet-5", 1024),
    ("claude-sonnet-4-6", 2048),
    ("claude-sonnet-4", 1024),
    ("claude-haiku-4-5", 4096),
    ("claude-3-7-sonnet", 1024),
    ("claude-3-5-sonnet", 1024),
    ("claude-3-5-haiku", 2048),
    ("claude-3-haiku", 2048),
    ("claude-3-opus", 1024),
];

/// The shortest prefix that is cached for `model`; for unknown models the largest known
/// minimum, since a breakpoint below the true one is silently wasted.
pub fn minimum_cacheable(model: &str) -> Tokens {
    // Gateways and clouds put a vendor before the name (`anthropic/`, `us.anthropic.`).
    let name = model.find("claude-").map_or(model, |start| &model[start..]);
    let known = MINIMUM_BY_MODEL.iter().find(|(start, _)| name.starts_with(start));
    Tokens(known.map_or(4096, |(_, minimum)| *minimum))
}

/// All breakpoints of the request, by position: the client's, and ours as far as there is
/// room, in this order of importance: the latest block; the end of the system blocks; the
/// end of what stays stable; one as far behind the latest as a breakpoint looks back, so
/// that an entry is found although many blocks came in since. Ours are left out where the
/// prefix is below the minimum, where one stands already, and where the provider's order of
/// lifetimes could not be kept.
pub fn place(layout: &Layout<'_>, rules: &CacheRules) -> Vec<Breakpoint> {
    let mut placed = layout.client.to_vec();
    let latest = markable_before(layout.blocks, layout.blocks.len());
    let behind = latest.and_then(|latest| (latest + 1).checked_sub(rules.lookback_blocks));
    let wishes = [
        (latest, Lifetime::FiveMinutes),
        (markable_before(layout.blocks, layout.system), rules.system_lifetime),
        (markable_before(layout.blocks, layout.stable), Lifetime::FiveMinutes),
        (behind.and_then(|end| markable_before(layout.blocks, end)), Lifetime::FiveMinutes),
    ];
    for (block, lifetime) in wishes {
        let Some(block) = block else { continue };
        let prefix: Tokens = layout.blocks[..=block].iter().map(|block| block.tokens).sum();
        let is_free = placed.iter().all(|known| known.block != block);
        if placed.len() < rules.breakpoints_max && is_free && prefix >= rules.minimum {
            let lifetime = fitting_lifetime(&placed, block, lifetime);
            placed.extend(lifetime.map(|lifetime| Breakpoint { block, lifetime }));
        }
    }
    placed.sort_by_key(|breakpoint| breakpoint.block);
    placed
}

/// The last markable block among the first `end`.
fn markable_before(blocks: &[PromptBlock], end: usize) -> Option<usize> {
    blocks.iter().take(end).rposition(|block| block.markable)
}

/// The lifetime nearest to `wish` that keeps one-hour entries before five-minute ones;
/// `None` if the order of those known leaves no room.
fn fitting_lifetime(known: &[Breakpoint], block: usize, wish: Lifetime) -> Option<Lifetime> {
    let hour_after =
        known.iter().any(|other| other.block > block && other.lifetime == Lifetime::OneHour);
    let minutes_before =
        known.iter().any(|other| other.block < block && other.lifetime == Lifetime::FiveMinutes);
    match (hour_after, minutes_before) {
        (true, true) => None,
        (true, false) => Some(Lifetime::OneHour),
        (false, true) => Some(Lifetime::FiveMinutes),
        (false, false) => Some(wish),
    }
}

#[cfg(test)]
mod tests;
