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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Lifetime::{FiveMinutes, OneHour};

    fn rules(minimum: u64, system_lifetime: Lifetime) -> CacheRules {
        CacheRules { minimum: Tokens(minimum), system_lifetime, ..CacheRules::anthropic("") }
    }

    fn show(breakpoints: &[Breakpoint]) -> String {
        let one = |breakpoint: &Breakpoint| match breakpoint.lifetime {
            FiveMinutes => format!("{}", breakpoint.block),
            OneHour => format!("{}h", breakpoint.block),
        };
        breakpoints.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Breakpoints over `count` blocks of 100 tokens, three of them system blocks.
    fn check(count: usize, stable: usize, client: &str, rules: &CacheRules, expected: &str) {
        let blocks = vec![PromptBlock { tokens: Tokens(100), markable: true }; count];
        let client: Vec<Breakpoint> = client
            .split_whitespace()
            .map(|word| Breakpoint {
                block: word.trim_end_matches('h').parse().expect("a number"),
                lifetime: if word.ends_with('h') { OneHour } else { FiveMinutes },
            })
            .collect();
        let layout = Layout { blocks: &blocks, system: 3, stable, client: &client };
        assert_eq!(show(&place(&layout, rules)), expected);
    }

    #[test]
    fn breakpoints_stand_at_the_ends_of_what_stays() {
        let five = rules(0, FiveMinutes);
        check(0, 0, "", &five, "");
        check(3, 3, "", &five, "2");
        check(10, 6, "", &five, "2 5 9");
        check(40, 10, "", &five, "2 9 19 39");
        check(40, 10, "", &rules(0, OneHour), "2h 9 19 39");
        // The client's stay, ours take the room that is left.
        check(40, 10, "1", &five, "1 2 9 39");
        check(40, 10, "2 39", &five, "2 9 19 39");
        check(40, 10, "0 1 2 3", &five, "0 1 2 3");
        check(40, 10, "0 1 2 3 4", &five, "0 1 2 3 4");
        // One-hour entries come first: ours follow the client's order.
        check(40, 10, "12h", &five, "2h 9h 12h 39");
        check(40, 10, "1", &rules(0, OneHour), "1 2 9 39");
        check(40, 10, "1 39h", &five, "1 39h");
        // Below the minimum nothing would be cached.
        check(40, 10, "", &rules(1000, FiveMinutes), "9 19 39");
        check(40, 10, "", &rules(1001, FiveMinutes), "19 39");
        check(9, 3, "", &rules(1000, FiveMinutes), "");
    }

    #[test]
    fn blocks_that_cannot_bear_a_breakpoint_are_passed_over() {
        let blocks: Vec<PromptBlock> = [true, false, true, false, false]
            .map(|markable| PromptBlock { tokens: Tokens(5000), markable })
            .to_vec();
        let layout = Layout { blocks: &blocks, system: 2, stable: 2, client: &[] };
        assert_eq!(show(&place(&layout, &rules(0, FiveMinutes))), "0 2");
    }

    #[test]
    fn minimums_are_known_by_model() {
        for (model, minimum) in [
            ("claude-opus-4-5-20251101", 4096),
            ("claude-opus-4-1", 1024),
            ("anthropic/claude-sonnet-4-5", 1024),
            ("us.anthropic.claude-opus-4-6-v1:0", 4096),
            ("claude-opus-5-5", 512),
            ("gpt-5", 4096),
        ] {
            assert_eq!(minimum_cacheable(model), Tokens(minimum), "{model}");
        }
    }

    proptest! {
        #[test]
        fn the_providers_rules_hold(
            sizes in prop::collection::vec((0u64..2000, any::<bool>()), 0..80),
            system in 0usize..90, stable in 0usize..90, minimum in 0u64..5000,
            client in prop::collection::btree_set(0usize..80, 0..5), hours in 0usize..5,
        ) {
            let blocks: Vec<PromptBlock> = sizes
                .iter()
                .map(|(tokens, markable)| PromptBlock { tokens: Tokens(*tokens), markable: *markable })
                .collect();
            // The client keeps the order of lifetimes: its first `hours` are of one hour.
            let client: Vec<Breakpoint> = client
                .into_iter()
                .filter(|block| *block < blocks.len())
                .enumerate()
                .map(|(at, block)| {
                    Breakpoint { block, lifetime: if at < hours { OneHour } else { FiveMinutes } }
                })
                .collect();
            let layout = Layout { blocks: &blocks, system, stable, client: &client };
            let placed = place(&layout, &rules(minimum, OneHour));

            prop_assert!(placed.len() <= client.len().max(4));
            prop_assert!(client.iter().all(|kept| placed.contains(kept)));
            for pair in placed.windows(2) {
                prop_assert!(pair[0].block < pair[1].block);
                prop_assert!(
                    pair[0].lifetime == OneHour || pair[1].lifetime == FiveMinutes,
                    "one hour after five minutes"
                );
            }
            for own in placed.iter().filter(|one| !client.contains(one)) {
                let prefix: u64 = sizes[..=own.block].iter().map(|(tokens, _)| tokens).sum();
                prop_assert!(prefix >= minimum && blocks[own.block].markable);
            }
        }
    }
}
