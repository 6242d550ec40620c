//! What requests cost, and what they would have cost.

use foveal_pricing::bill::{
    Bill, BilledRequest, CostMeter, RequestCosts, RetainedPrefix, SentPrompt,
};
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{Timestamp, Usage};
use proptest::prelude::*;

/// A request in one line of a test: seconds, prompts, what stayed, and what was billed.
#[derive(Debug, Clone, Copy)]
struct Asked {
    at: i64,
    raw: u64,
    shaped: u64,
    client: RetainedPrefix,
    foveal: RetainedPrefix,
    usage: Usage,
}

fn usage(uncached: u64, read: u64, written: u64) -> Usage {
    Usage {
        input: uncached,
        cache_read: read,
        cache_write: written,
        cache_write_hour: 0,
        output: 100,
    }
}

fn asked(at: i64, raw: u64, shaped: u64, usage: Usage) -> Asked {
    Asked { at, raw, shaped, client: RetainedPrefix::All, foveal: RetainedPrefix::All, usage }
}

impl Asked {
    fn request(&self) -> BilledRequest<'_> {
        BilledRequest {
            time: Some(Timestamp(self.at * 1000)),
            usage: &self.usage,
            charged: None,
            raw: Tokens(self.raw),
            shaped: Tokens(self.shaped),
            client: self.client,
            foveal: self.foveal,
            has_no_client_breakpoints: false,
        }
    }
}

fn priced(went: SentPrompt, prices: &PriceCard, requests: &[Asked]) -> Vec<RequestCosts> {
    let mut meter = CostMeter::new(went);
    let take = |asked: &Asked| meter.add_request(&asked.request(), prices);
    requests.iter().map(take).collect()
}

/// The parts of a bill that hold anything, in tokens.
fn parts(bill: &Bill) -> String {
    let parts =
        bill.parts().into_iter().filter(|(name, part)| *name != "output" && part.tokens > 0);
    parts.map(|(name, part)| format!("{name} {}", part.tokens)).collect::<Vec<_>>().join(", ")
}

/// The last of some requests: as billed, and otherwise.
fn check(went: SentPrompt, requests: &[Asked], billed: &str, otherwise: &str) {
    let all = priced(went, &PriceCard::anthropic_5m(), requests);
    let last = all.last().expect("there is a request");
    assert_eq!((&*parts(&last.billed), &*parts(&last.otherwise)), (billed, otherwise));
}

/// What is paid after eight minutes, with a refresh in between that read so much.
fn after_a_refresh(read: u64) -> [String; 4] {
    let prices = PriceCard::anthropic_5m();
    let mut meter = CostMeter::new(SentPrompt::Shaped);
    let take = |meter: &mut CostMeter, asked: &Asked| meter.add_request(&asked.request(), &prices);
    take(&mut meter, &asked(0, 3_000, 2_000, usage(0, 4_000, 6_000)));
    let refresh = usage(0, read, 10_000 - read);
    let refreshed = meter.add_refresh(Timestamp(270_000), &refresh, &prices);
    let next = match read {
        0 => usage(0, 0, 11_000),
        _ => usage(0, 10_000, 1_000),
    };
    let next = take(&mut meter, &asked(480, 4_000, 3_000, next));
    [refreshed.billed, refreshed.otherwise, next.billed, next.otherwise].map(|bill| parts(&bill))
}

#[test]
fn a_cache_that_is_kept_warm_would_have_expired_without() {
    // Others had written the first 4,000 tokens, and may have done so again.
    assert_eq!(
        after_a_refresh(10_000),
        ["warm 10000", "", "read 10000, written 1000", "read 4000, written 1000, expired 7000",]
    );
    // What was not found when it was to be refreshed had expired all the same.
    let [refreshed, _, billed, otherwise] = after_a_refresh(0);
    assert_eq!(refreshed, "warm 10000");
    assert_eq!(billed, "written 1000, expired 10000");
    assert_eq!(otherwise, "written 1000, expired 11000");
}

#[test]
fn what_is_new_is_written_and_the_rest_is_read() {
    let first = asked(0, 2_000, 1_500, usage(5, 8_000, 3_000));
    check(
        SentPrompt::Shaped,
        &[first],
        "uncached 5, read 8000, written 3000",
        "uncached 5, read 8000, written 3500",
    );
    // The uncached end of the last prompt is written for the first time now.
    let next = asked(60, 4_000, 2_500, usage(5, 11_000, 1_005));
    check(
        SentPrompt::Shaped,
        &[first, next],
        "uncached 5, read 11000, written 1005",
        "uncached 5, read 11500, written 2005",
    );
}

#[test]
fn a_client_without_marks_would_have_paid_for_all() {
    let mut meter = CostMeter::new(SentPrompt::Shaped);
    let mut take = |at, raw, shaped, usage| {
        let request = BilledRequest {
            time: Some(Timestamp(at)),
            usage: &usage,
            charged: None,
            raw: Tokens(raw),
            shaped: Tokens(shaped),
            client: RetainedPrefix::All,
            foveal: RetainedPrefix::All,
            has_no_client_breakpoints: true,
        };
        meter.add_request(&request, &PriceCard::anthropic_5m())
    };
    let first = take(0, 2_000, 1_500, usage(9_500, 0, 0));
    assert_eq!(
        (&*parts(&first.billed), &*parts(&first.otherwise)),
        ("uncached 9500", "uncached 10000")
    );
    take(1, 3_000, 2_000, usage(0, 0, 10_000));
    let third = take(2, 4_000, 2_500, usage(0, 10_000, 500));
    assert_eq!(parts(&third.billed), "read 10000, written 500");
    assert_eq!(parts(&third.otherwise), "uncached 12000");
    assert!((third.otherwise.input().dollars - 0.06).abs() < 1e-9, "{third:?}");
}

#[test]
fn a_pause_makes_both_prompts_cold() {
    let first = asked(0, 4_000, 2_000, usage(0, 0, 10_000));
    // 8 000 stand in front of the messages, and are read: others use them too.
    let next = asked(301, 5_000, 3_000, usage(0, 8_000, 3_000));
    check(
        SentPrompt::Shaped,
        &[first, next],
        "read 8000, written 1000, expired 2000",
        "read 8000, written 1000, expired 4000",
    );
    let in_time = Asked { at: 300, ..next };
    check(
        SentPrompt::Shaped,
        &[first, in_time],
        "read 8000, written 1000, missed 2000",
        "read 8000, written 1000, missed 4000",
    );
}

#[test]
fn a_cache_for_an_hour_lives_for_an_hour_and_costs_more() {
    let hour = Usage { cache_write_hour: 10_000, ..usage(0, 0, 10_000) };
    let next = usage(0, 0, 10_000);
    let requests = |at| [asked(0, 0, 0, hour), asked(at, 0, 0, next)];
    check(SentPrompt::Raw, &requests(3_600), "missed 10000", "missed 10000");
    check(SentPrompt::Raw, &requests(3_601), "expired 10000", "expired 10000");
    let priced = priced(SentPrompt::Raw, &PriceCard::anthropic_5m(), &requests(1));
    assert!((priced[0].billed.written.dollars - 0.1).abs() < 1e-9, "{:?}", priced[0]);
    assert!((priced[1].billed.missed.dollars - 0.0625).abs() < 1e-9, "{:?}", priced[1]);
}

#[test]
fn what_the_client_changes_is_paid_for_with_both_prompts() {
    let first = asked(0, 4_000, 2_000, usage(0, 0, 10_000));
    let next = Asked {
        client: RetainedPrefix::First(Tokens(1_000)),
        ..asked(60, 4_500, 2_500, usage(0, 8_500, 2_000))
    };
    check(
        SentPrompt::Shaped,
        &[first, next],
        "read 8500, written 500, client 1500",
        "read 9000, written 500, client 3000",
    );
    let tools =
        Asked { client: RetainedPrefix::Nothing, ..asked(60, 4_500, 2_500, usage(0, 0, 10_500)) };
    check(
        SentPrompt::Shaped,
        &[first, tools],
        "written 500, client 10000",
        "written 500, client 12000",
    );
}

#[test]
fn what_foveal_rewrites_is_paid_for_with_its_own_prompt_alone() {
    let first = asked(0, 4_000, 3_000, usage(0, 0, 11_000));
    // It went back to 8 000 + 1 000; the provider found a mark 200 before that.
    let next = Asked {
        foveal: RetainedPrefix::First(Tokens(1_000)),
        ..asked(60, 5_000, 2_500, usage(0, 8_800, 1_700))
    };
    check(SentPrompt::Shaped, &[first, next], "read 8800, foveal 1700", "read 12000, written 1000");
    let recorded = Asked { usage: usage(0, 12_000, 1_000), ..next };
    let first = Asked { usage: usage(0, 0, 12_000), ..first };
    check(
        SentPrompt::Raw,
        &[first, recorded],
        "read 12000, written 1000",
        "read 9000, foveal 1500",
    );
}

#[test]
fn what_is_read_behind_a_change_was_none_to_the_provider() {
    let first = asked(0, 4_000, 2_000, usage(0, 0, 10_000));
    let next =
        Asked { client: RetainedPrefix::Nothing, ..asked(60, 4_500, 2_500, usage(0, 10_000, 500)) };
    check(SentPrompt::Shaped, &[first, next], "read 10000, written 500", "read 12000, written 500");
}

#[test]
fn without_a_fee_for_writes_what_is_new_is_uncached() {
    let card = PriceCard::find("openai-before").expect("a built-in card");
    let requests = [asked(0, 0, 0, usage(5_000, 0, 0)), asked(9, 0, 0, usage(1_100, 4_992, 0))];
    let all = priced(SentPrompt::Raw, &card, &requests);
    assert_eq!(parts(&all[0].billed), "uncached 5000");
    assert_eq!(parts(&all[1].billed), "uncached 1092, read 4992, missed 8");
    let flat = PriceCard::find("flat").expect("a built-in card");
    let all = priced(SentPrompt::Raw, &flat, &[requests[0], asked(9, 0, 0, usage(6_000, 0, 0))]);
    assert_eq!(parts(&all[1].billed), "uncached 6000");
}

#[test]
fn what_a_provider_says_it_charged_counts() {
    let mut meter = CostMeter::new(SentPrompt::Shaped);
    let usage = usage(0, 0, 10_000);
    let request = BilledRequest {
        time: None,
        usage: &usage,
        charged: Some(0.13),
        raw: Tokens(10_000),
        shaped: Tokens(5_000),
        client: RetainedPrefix::All,
        foveal: RetainedPrefix::All,
        has_no_client_breakpoints: false,
    };
    let priced = meter.add_request(&request, &PriceCard::anthropic_5m());
    assert!((priced.billed.dollars() - 0.13).abs() < 1e-12);
    assert!((priced.otherwise.input().dollars / priced.billed.input().dollars - 1.5).abs() < 1e-9);
}

#[test]
fn a_request_without_a_bill_is_passed_over() {
    let prices = PriceCard::anthropic_5m();
    let mut meter = CostMeter::new(SentPrompt::Raw);
    let request = |usage| BilledRequest {
        time: None,
        usage,
        charged: None,
        raw: Tokens(0),
        shaped: Tokens(0),
        client: RetainedPrefix::All,
        foveal: RetainedPrefix::All,
        has_no_client_breakpoints: false,
    };
    let (first, next) = (usage(0, 0, 1_000), usage(0, 0, 1_100));
    meter.add_request(&request(&first), &prices);
    meter.skip_unbilled(RetainedPrefix::Nothing, RetainedPrefix::All);
    let priced = meter.add_request(&request(&next), &prices);
    assert_eq!(parts(&priced.billed), "written 100, client 1000");
}

fn kept() -> impl Strategy<Value = RetainedPrefix> {
    prop_oneof![
        5 => Just(RetainedPrefix::All),
        1 => Just(RetainedPrefix::Nothing),
        2 => (0..60_000u64).prop_map(|count| RetainedPrefix::First(Tokens(count))),
    ]
}

fn request() -> impl Strategy<Value = Asked> {
    let usage = (0..50_000u64, 0..50_000u64, 0..50_000u64, 0..60_000u64, 0..900u64);
    let usage =
        usage.prop_map(|(input, cache_read, cache_write, cache_write_hour, output)| Usage {
            input,
            cache_read,
            cache_write: if cache_write % 3 == 0 { 0 } else { cache_write },
            cache_write_hour: if output % 2 == 0 { 0 } else { cache_write_hour },
            output,
        });
    (0..9_000i64, 0..90_000u64, 0..90_000u64, kept(), kept(), usage).prop_map(
        |(at, raw, shaped, client, foveal, usage)| Asked { at, raw, shaped, client, foveal, usage },
    )
}

/// What the provider charges by its own counts alone.
fn charged(usage: &Usage, prices: &PriceCard) -> f64 {
    let hour = usage.cache_write_hour.min(usage.cache_write);
    let sum = usage.input as f64 * prices.input
        + usage.cache_read as f64 * prices.cache_read
        + (usage.cache_write - hour) as f64 * prices.cache_write
        + hour as f64 * prices.input * 2.0
        + usage.output as f64 * prices.output;
    sum / 1e6
}

proptest! {
    #[test]
    fn the_parts_add_up_to_what_was_billed(
        mut requests in proptest::collection::vec(request(), 1..12),
        is_raw: bool,
        card in 0..7usize,
    ) {
        requests.sort_by_key(|asked| asked.at);
        let went = if is_raw { SentPrompt::Raw } else { SentPrompt::Shaped };
        let prices = &PriceCard::built_in_cards()[card];
        for (asked, priced) in requests.iter().zip(priced(went, prices, &requests)) {
            let (usage, bill) = (asked.usage, priced.billed);
            prop_assert_eq!(bill.input().tokens, usage.prompt_tokens());
            prop_assert_eq!(bill.read.tokens, usage.cache_read);
            prop_assert_eq!(bill.output.tokens, usage.output);
            let charged = charged(&usage, prices);
            prop_assert!((bill.dollars() - charged).abs() < 1e-9, "{} {charged}", bill.dollars());
            prop_assert_eq!(priced.otherwise.output, bill.output);
        }
    }

    #[test]
    fn with_nothing_replaced_both_prompts_cost_the_same(
        mut requests in proptest::collection::vec(request(), 1..12),
        is_raw: bool,
        card in 0..7usize,
    ) {
        requests.sort_by_key(|asked| asked.at);
        for asked in &mut requests {
            (asked.shaped, asked.foveal) = (asked.raw, RetainedPrefix::All);
        }
        let went = if is_raw { SentPrompt::Raw } else { SentPrompt::Shaped };
        for priced in priced(went, &PriceCard::built_in_cards()[card], &requests) {
            prop_assert_eq!(priced.billed, priced.otherwise);
        }
    }

    #[test]
    fn the_other_prompt_is_longer_by_what_is_counted(
        mut requests in proptest::collection::vec(request(), 1..12),
    ) {
        requests.sort_by_key(|asked| asked.at);
        for asked in &mut requests {
            asked.shaped = asked.shaped.min(asked.usage.prompt_tokens());
        }
        for (asked, priced) in requests.iter().zip(priced(SentPrompt::Shaped, &PriceCard::anthropic_5m(), &requests)) {
            let billed = asked.usage.prompt_tokens();
            prop_assert_eq!(priced.otherwise.input().tokens, billed - asked.shaped + asked.raw);
        }
    }
}
