//! Cache breakpoints: marks up to which the provider is asked to cache the prompt's prefix.
//!
//! The rules are Anthropic's (platform.claude.com/docs/en/build-with-claude/prompt-caching): at
//! most four breakpoints; a prefix below a minimum that depends on the model is not cached; each
//! breakpoint finds earlier entries at most 20 blocks back; one-hour entries come before
//! five-minute entries. A client's own breakpoints are never moved.

use foveal_pricing::tokens::Tokens;

/// The lifetime of an unused cache entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CacheLifetime {
    /// Five minutes, the provider's default.
    FiveMinutes,
    /// One hour, at a higher price for writing.
    OneHour,
}

/// A mark up to which the provider is asked to cache the prefix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CacheBreakpoint {
    /// The last block of the prefix: its index among the prompt's blocks.
    pub block: usize,
    /// The requested lifetime of the entry.
    pub lifetime: CacheLifetime,
}

/// A content block of the prompt, in the order tools, system, messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheableBlock {
    /// Its size.
    pub tokens: Tokens,
    /// Whether a breakpoint may stand on it; not on thinking and empty text.
    pub markable: bool,
}

/// The prompt whose breakpoints are to be placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakpointLayout<'a> {
    /// The prompt's blocks.
    pub blocks: &'a [CacheableBlock],
    /// Number of leading blocks that are tools, system prompt and base files.
    pub system: usize,
    /// Number of leading blocks that the next rewrite will not change.
    pub stable: usize,
    /// The breakpoints of the client.
    pub client: &'a [CacheBreakpoint],
}

/// A provider's rules for breakpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheRules {
    /// Most breakpoints of one request, including the client's.
    pub breakpoints_max: usize,
    /// Number of blocks that a breakpoint looks back for an earlier entry.
    pub lookback_blocks: usize,
    /// The shortest prefix that is cached.
    pub minimum: Tokens,
    /// The lifetime requested at the end of the system blocks, which outlive the messages.
    pub system_lifetime: CacheLifetime,
}

impl CacheRules {
    /// Returns Anthropic's rules for `model`, with five minutes everywhere.
    pub fn anthropic(model: &str) -> Self {
        Self {
            breakpoints_max: 4,
            lookback_blocks: 20,
            minimum: minimum_cacheable(model),
            system_lifetime: CacheLifetime::FiveMinutes,
        }
    }
}

/// Shortest cached prefix by the start of the model's name, the more specific names first. From the
/// provider's documentation as of mid-2026. Sonnet 4.6 is listed with 1024 there, but was observed
/// to start at 2048 (github.com/anthropics/anthropic-sdk-python/issues/1194).
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

/// Returns the shortest prefix that is cached for `model`; for unknown models the largest known
/// minimum, since a breakpoint below the real one is silently wasted.
pub fn minimum_cacheable(model: &str) -> Tokens {
    // Gateways and clouds put a vendor before the name (`anthropic/`, `us.anthropic.`).
    let name = model.find("claude-").map_or(model, |start| &model[start..]);
    let known = MINIMUM_BY_MODEL.iter().find(|(start, _)| name.starts_with(start));
    Tokens(known.map_or(4096, |(_, minimum)| *minimum))
}

/// Returns all breakpoints of the request, by position: the client's, and further ones as far as
/// the provider allows, by importance: the latest block; the end of the system blocks; the end of
/// the stable blocks; and one at the look-back distance before the latest, so that an entry is
/// found although many blocks were added. A further breakpoint is omitted if its prefix is below
/// the minimum, if one stands there already, or if it would violate the provider's order of
/// lifetimes.
pub fn place_breakpoints(
    layout: &BreakpointLayout<'_>,
    rules: &CacheRules,
) -> Vec<CacheBreakpoint> {
    let mut placed = layout.client.to_vec();
    let latest = last_markable_block(layout.blocks, layout.blocks.len());
    let behind = latest.and_then(|latest| (latest + 1).checked_sub(rules.lookback_blocks));
    let wishes = [
        (latest, CacheLifetime::FiveMinutes),
        (last_markable_block(layout.blocks, layout.system), rules.system_lifetime),
        (last_markable_block(layout.blocks, layout.stable), CacheLifetime::FiveMinutes),
        (
            behind.and_then(|end| last_markable_block(layout.blocks, end)),
            CacheLifetime::FiveMinutes,
        ),
    ];
    for (block, lifetime) in wishes {
        let Some(block) = block else { continue };
        let prefix: Tokens = layout.blocks[..=block].iter().map(|block| block.tokens).sum();
        let is_free = placed.iter().all(|known| known.block != block);
        if placed.len() < rules.breakpoints_max && is_free && prefix >= rules.minimum {
            let lifetime = allowed_lifetime(&placed, block, lifetime);
            placed.extend(lifetime.map(|lifetime| CacheBreakpoint { block, lifetime }));
        }
    }
    placed.sort_by_key(|breakpoint| breakpoint.block);
    placed
}

/// Returns the last markable block among the first `end`.
fn last_markable_block(blocks: &[CacheableBlock], end: usize) -> Option<usize> {
    blocks.iter().take(end).rposition(|block| block.markable)
}

/// Returns the lifetime closest to `wish` that keeps one-hour entries before five-minute ones;
/// `None` if the known breakpoints allow neither.
fn allowed_lifetime(
    known: &[CacheBreakpoint],
    block: usize,
    wish: CacheLifetime,
) -> Option<CacheLifetime> {
    let hour_after =
        known.iter().any(|other| other.block > block && other.lifetime == CacheLifetime::OneHour);
    let minutes_before = known
        .iter()
        .any(|other| other.block < block && other.lifetime == CacheLifetime::FiveMinutes);
    match (hour_after, minutes_before) {
        (true, true) => None,
        (true, false) => Some(CacheLifetime::OneHour),
        (false, true) => Some(CacheLifetime::FiveMinutes),
        (false, false) => Some(wish),
    }
}

#[cfg(test)]
mod tests;
