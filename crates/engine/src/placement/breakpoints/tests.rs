use proptest::prelude::*;

use super::*;
use CacheLifetime::{FiveMinutes, OneHour};

fn rules(minimum: u64, system_lifetime: CacheLifetime) -> CacheRules {
    CacheRules { minimum: Tokens(minimum), system_lifetime, ..CacheRules::anthropic("") }
}

fn show(breakpoints: &[CacheBreakpoint]) -> String {
    let one = |breakpoint: &CacheBreakpoint| match breakpoint.lifetime {
        FiveMinutes => format!("{}", breakpoint.block),
        OneHour => format!("{}h", breakpoint.block),
    };
    breakpoints.iter().map(one).collect::<Vec<_>>().join(" ")
}

/// Breakpoints over `count` blocks of 100 tokens, three of them system blocks.
fn check(count: usize, stable: usize, client: &str, rules: &CacheRules, expected: &str) {
    let blocks = vec![CacheableBlock { tokens: Tokens(100), markable: true }; count];
    let client: Vec<CacheBreakpoint> = client
        .split_whitespace()
        .map(|word| CacheBreakpoint {
            block: word.trim_end_matches('h').parse().expect("a number"),
            lifetime: if word.ends_with('h') { OneHour } else { FiveMinutes },
        })
        .collect();
    let layout = BreakpointLayout { blocks: &blocks, system: 3, stable, client: &client };
    assert_eq!(show(&place_breakpoints(&layout, rules)), expected);
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
    let blocks: Vec<CacheableBlock> = [true, false, true, false, false]
        .map(|markable| CacheableBlock { tokens: Tokens(5000), markable })
        .to_vec();
    let layout = BreakpointLayout { blocks: &blocks, system: 2, stable: 2, client: &[] };
    assert_eq!(show(&place_breakpoints(&layout, &rules(0, FiveMinutes))), "0 2");
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
        let blocks: Vec<CacheableBlock> = sizes
            .iter()
            .map(|(tokens, markable)| CacheableBlock { tokens: Tokens(*tokens), markable: *markable })
            .collect();
        // The client keeps the order of lifetimes: its first `hours` are of one hour.
        let client: Vec<CacheBreakpoint> = client
            .into_iter()
            .filter(|block| *block < blocks.len())
            .enumerate()
            .map(|(at, block)| {
                CacheBreakpoint { block, lifetime: if at < hours { OneHour } else { FiveMinutes } }
            })
            .collect();
        let layout = BreakpointLayout { blocks: &blocks, system, stable, client: &client };
        let placed = place_breakpoints(&layout, &rules(minimum, OneHour));

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
