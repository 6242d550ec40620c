use foveal_pricing::prices::PriceCard;
use foveal_transcript::Timestamp;
use proptest::prelude::*;

use super::{BreakpointInputs, BreakpointPlacement, BreakpointState, CachePrefix, CacheRates};

const MINUTE_MS: i64 = 60_000;

fn rates() -> CacheRates {
    CacheRates::from_price_card(&PriceCard::anthropic_5m()).expect("it caches")
}

/// A request: its pause after the previous one, the length of its prompt, and whether it continues.
#[derive(Debug, Clone, Copy)]
struct Asked {
    pause_ms: i64,
    tokens: u64,
    continues: bool,
    head: u32,
}

fn ask(pause_ms: i64, tokens: u64) -> Asked {
    Asked { pause_ms, tokens, continues: true, head: 1 }
}

/// Returns the breakpoints of each request, and the total costs up to it with these breakpoints and
/// without, in thousandths of a token's price, as a provider bills them.
fn run(asked: &[Asked]) -> (Vec<BreakpointPlacement>, Vec<(i64, i64)>) {
    let mut before: Option<BreakpointState> = None;
    let mut entry: Option<(u64, i64, u32)> = None;
    let (mut now, mut cost, mut plain) = (0, 0, 0);
    let (mut all, mut sums) = (Vec::new(), Vec::new());
    for (at, asked) in asked.iter().enumerate() {
        now += asked.pause_ms;
        let prefix = CachePrefix {
            time: Timestamp(now),
            messages: at + 1,
            tokens: asked.tokens,
            head: asked.head,
        };
        let next = BreakpointInputs { prefix, continues: asked.continues, is_last: false };
        let caching = BreakpointState::decide(before.as_ref(), &next, &rates());
        let tokens = asked.tokens as i64;
        entry = entry.filter(|_| asked.continues);
        let found =
            entry.filter(|(_, time, head)| *head == asked.head && now - time <= 5 * MINUTE_MS);
        let read = found.map_or(0, |(tokens, ..)| (tokens as i64).min(asked.tokens as i64));
        cost += match caching.marks {
            BreakpointPlacement::None => tokens * 1000,
            BreakpointPlacement::Old { .. } => read * 100 + (tokens - read) * 1000,
            BreakpointPlacement::All { .. } => read * 100 + (tokens - read) * 1250,
        };
        match caching.marks {
            BreakpointPlacement::None => {}
            BreakpointPlacement::Old { .. } => {
                entry = entry.map(|(tokens, _, head)| (tokens, now, head));
            }
            BreakpointPlacement::All { .. } => entry = Some((asked.tokens, now, asked.head)),
        }
        plain += tokens * 1000;
        sums.push((cost, plain));
        all.push(caching.marks);
        before = Some(caching);
    }
    (all, sums)
}

fn render(asked: &[Asked]) -> String {
    let (marks, _) = run(asked);
    let word = |marks: &BreakpointPlacement| match marks {
        BreakpointPlacement::None => "-".to_owned(),
        BreakpointPlacement::Old { messages } => format!("old {messages}"),
        BreakpointPlacement::All { old: None } => "all".to_owned(),
        BreakpointPlacement::All { old: Some(messages) } => format!("all+{messages}"),
    };
    marks.iter().map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_conversation_is_marked_from_its_second_request_on() {
    assert_eq!(render(&[ask(0, 10_000)]), "-");
    let quick = [ask(0, 10_000), ask(1000, 12_000), ask(1000, 13_000), ask(1000, 14_000)];
    assert_eq!(render(&quick), "- all all+2 all+3");
}

#[test]
fn what_grows_too_fast_waits() {
    assert_eq!(render(&[ask(0, 2_000), ask(1000, 10_000), ask(1000, 11_000)]), "- - all");
    // The written prefix is read; its extension costs more than was saved.
    let jumps = [ask(0, 2_000), ask(1000, 3_000), ask(1000, 60_000), ask(1000, 61_000)];
    assert_eq!(render(&jumps), "- all old 2 old 2");
}

#[test]
fn pauses_that_the_cache_does_not_outlive_are_not_paid_for() {
    let slow = |tokens| ask(6 * MINUTE_MS, tokens);
    assert_eq!(render(&[slow(10_000), slow(11_000), slow(12_000), slow(13_000)]), "- - - -");
    // The savings pay for one write after a pause, but not for the next one.
    let late = [
        ask(0, 10_000),
        ask(1000, 11_000),
        ask(1000, 12_000),
        ask(1000, 13_000),
        slow(14_000),
        slow(15_000),
        slow(16_000),
        ask(1000, 17_000),
    ];
    assert_eq!(render(&late), "- all all+2 all+3 all - - all");
}

#[test]
fn a_prompt_whose_beginning_changes_is_not_marked() {
    let other = |head| Asked { head, ..ask(1000, 10_000) };
    assert_eq!(render(&[other(1), other(2), other(3), other(4)]), "- - - -");
    let rewritten = Asked { continues: false, ..ask(1000, 10_000) };
    assert_eq!(render(&[rewritten; 4]), "- - - -");
}

#[test]
fn what_is_too_short_or_the_last_is_not_written() {
    assert_eq!(render(&[ask(0, 0), ask(1000, 0), ask(1000, 0)]), "- - -");
    let prefix = |messages, tokens| CachePrefix { time: Timestamp(0), messages, tokens, head: 1 };
    let next = |prefix, is_last| BreakpointInputs { prefix, continues: true, is_last };
    let first = BreakpointState::decide(None, &next(prefix(1, 5000), false), &rates());
    let second = BreakpointState::decide(Some(&first), &next(prefix(2, 6000), false), &rates());
    assert_eq!(second.marks, BreakpointPlacement::All { old: None });
    let last = BreakpointState::decide(Some(&second), &next(prefix(3, 7000), true), &rates());
    assert_eq!(last.marks, BreakpointPlacement::Old { messages: 2 });
    let only = BreakpointState::decide(Some(&first), &next(prefix(2, 6000), true), &rates());
    assert_eq!(only.marks, BreakpointPlacement::None);
}

/// Requests with pauses around the five minutes and prompts that grow by anything.
fn asked() -> impl Strategy<Value = Vec<Asked>> {
    let pause = prop_oneof![
        6 => 0..MINUTE_MS,
        1 => 4 * MINUTE_MS..6 * MINUTE_MS,
        2 => 6 * MINUTE_MS..60 * MINUTE_MS,
    ];
    let growth = prop_oneof![6 => 0..2_000_u64, 1 => 0..200_000_u64];
    let one = (pause, growth, 0..12_u8, 0..12_u8);
    prop::collection::vec(one, 1..40).prop_map(|all| {
        let mut tokens = 1_000;
        let request = |(pause_ms, growth, broken, other): (i64, u64, u8, u8)| {
            tokens += growth;
            let head = u32::from(other == 0);
            Asked { pause_ms, tokens, continues: broken > 0, head }
        };
        all.into_iter().map(request).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_conversation_is_dearer_by_more_than_a_write_that_was_due(asked in asked()) {
        let (_, sums) = run(&asked);
        for (cost, plain) in sums {
            prop_assert!(cost * 1000 <= plain * 1196, "{cost} for {plain}");
        }
    }

    #[test]
    fn what_is_decided_is_a_function_of_what_came(asked in asked(), cut in 0..40_usize) {
        let (all, _) = run(&asked);
        let cut = cut.min(asked.len());
        let (first, _) = run(&asked[..cut]);
        prop_assert_eq!(&first[..], &all[..cut]);
    }
}
