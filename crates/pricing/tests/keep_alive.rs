//! Keeping caches warm: what pauses and refreshes are worth, and when a refresh pays.

use foveal_pricing::bill::BillAmount;
use foveal_pricing::keep_alive::{
    CachedPrefix, JUDGED_PAUSES, KeepAliveEstimate, Pause, PauseTracker, estimate_keep_alive,
    is_unprofitable, refresh_pays,
};
use foveal_pricing::prices::PriceCard;
use foveal_transcript::{Timestamp, Usage};
use proptest::prelude::*;

const MINUTE: i64 = 60_000;

fn usage(cached: u64) -> Usage {
    Usage { cache_read: cached, ..Usage::default() }
}

fn prefix(at: i64) -> CachedPrefix {
    let prices = PriceCard::anthropic_5m();
    CachedPrefix::from_usage(Timestamp(at * MINUTE), &usage(100_000), false, &prices)
        .expect("it is cached")
}

/// A pause that begins at a minute and lasts so many.
fn pause(at: i64, lasted: Option<i64>) -> Pause {
    let lasted_ms = lasted.map(|minutes| minutes * MINUTE);
    let worth = if lasted.is_some_and(|minutes| minutes > 5) { 1.0 } else { 0.0 };
    Pause { lasted_ms, worth, ..Pause::new(prefix(at)) }
}

/// Pauses one after the other, an hour apart.
fn pauses(lasted: impl IntoIterator<Item = Option<i64>>) -> Vec<Pause> {
    (0..).map(|hour| hour * 60).zip(lasted).map(|(at, lasted)| pause(at, lasted)).collect()
}

fn saved(estimate: &KeepAliveEstimate) -> f64 {
    estimate.rule.net_saving() / prefix(0).rewrite
}

#[test]
fn a_prefix_is_worth_what_writing_costs_more_than_reading() {
    let prices = PriceCard {
        input: 10.0,
        cache_write: 12.5,
        cache_read: 1.0,
        output: 50.0,
        ..PriceCard::anthropic_5m()
    };
    let of = |usage: &Usage, hour| CachedPrefix::from_usage(Timestamp(0), usage, hour, &prices);
    let billed =
        Usage { input: 1_000, cache_read: 90_000, cache_write: 10_000, ..Usage::default() };
    let five = of(&billed, false).expect("it is cached");
    // 100k read again, 1k not cached, and 4 tokens of output.
    assert!((five.refresh - (0.1 + 0.01 + 0.0002)).abs() < 1e-9, "{five:?}");
    assert!((five.rewrite - 1.15).abs() < 1e-9, "{five:?}");
    assert_eq!((five.lifetime_ms, five.refresh_offset_ms(2)), (5 * MINUTE, 9 * MINUTE));
    assert_eq!(five.expiry_offset_ms(2), 14 * MINUTE);
    let hour = of(&billed, true).expect("it is cached");
    assert!((hour.rewrite - 1.9).abs() < 1e-9, "{hour:?}");
    assert_eq!(hour.refresh_offset_ms(1), 54 * MINUTE);
    assert_eq!(of(&Usage { input: 5_000, ..Usage::default() }, false), None, "nothing is cached");
    let free = PriceCard { cache_write: 10.0, ..prices.clone() };
    assert_eq!(
        CachedPrefix::from_usage(Timestamp(0), &billed, false, &free),
        None,
        "writing costs nothing"
    );
}

#[test]
fn pauses_are_known_by_the_request_after_them() {
    let prices = PriceCard::anthropic_5m();
    let mut all = PauseTracker::default();
    let none = BillAmount::default();
    assert_eq!(all.add_request(Timestamp(0), &usage(100_000), none, &prices), None);
    let short =
        all.add_request(Timestamp(MINUTE), &usage(100_000), none, &prices).expect("a pause");
    assert!(short.is_short() && short.worth == 0.0, "{short:?}");
    all.add_refresh();
    // Half of it had expired.
    let paid = BillAmount { tokens: 50_000, dollars: 50_000.0 * prices.cache_write / 1e6 };
    let long = all.add_request(Timestamp(11 * MINUTE), &usage(100_000), paid, &prices);
    let long = long.expect("a pause");
    assert_eq!((long.lasted_ms, long.refreshes), (Some(10 * MINUTE), 1));
    assert!((long.worth - 0.5).abs() < 1e-9, "{long:?}");
    assert!(all.current().is_some_and(|pause| pause.refreshes == 0));
}

#[test]
fn refreshes_are_counted_to_the_end_of_a_pause() {
    // They come after 4.5, 9 and 13.5 minutes, and cover 9.5, 14 and 18.5.
    for (lasted, made, helps_from) in
        [(4, 0, None), (5, 1, None), (8, 1, Some(1)), (12, 2, Some(2)), (30, 3, None)]
    {
        let pause = pause(0, Some(lasted));
        assert_eq!(pause.refreshes_before_end(3), made, "{lasted} minutes");
        let helps = (1..=3).find(|most| pause.saving(pause.refreshes_before_end(*most)) > 0.0);
        assert_eq!(helps, helps_from, "{lasted} minutes");
    }
    assert_eq!(pause(0, None).refreshes_before_end(3), 3, "nobody came");
}

#[test]
fn in_hindsight_the_best_number_is_known() {
    let all = estimate_keep_alive(&pauses([Some(12), Some(12), Some(2), Some(8), None]));
    assert_eq!((all.pauses, all.ends, all.best_refresh_count()), (3, 1, 2));
    let two = all.at_most[2];
    // Two each for the long ones and the one that ended, one for the shorter one.
    assert_eq!((two.refreshes, two.hits), (7, 3));
    let (refresh, rewrite) = (prefix(0).refresh, prefix(0).rewrite);
    assert!((two.net_saving() - (3.0 * rewrite - 7.0 * refresh)).abs() < 1e-9, "{two:?}");
    assert_eq!(estimate_keep_alive(&[]).best_refresh_count(), 0);
    assert_eq!(estimate_keep_alive(&pauses([None, None, None])).best_refresh_count(), 0);
}

#[test]
fn the_rule_learns_from_pauses() {
    // Who comes back after eight minutes gets one refresh each time, and nearly all that can be had.
    let back = estimate_keep_alive(&pauses([Some(8); 30]));
    assert!(saved(&back) > 0.9 * back.at_most[1].net_saving() / prefix(0).rewrite, "{back:?}");
    assert!(!back.is_off);
    // Who never comes back pays little for it, and soon nothing more.
    let gone = estimate_keep_alive(&pauses([None; 60]));
    assert!(saved(&gone) > -3.0, "{gone:?}");
    let longer = estimate_keep_alive(&pauses([None; 200]));
    assert_eq!(gone.rule, longer.rule);
    // Who comes back later than is worth waiting for.
    assert!(saved(&estimate_keep_alive(&pauses([Some(59); 60]))) > -4.0);
}

#[test]
fn what_has_not_paid_ends_for_good() {
    let refreshed = |lasted| Pause { refreshes: 2, ..pause(0, lasted) };
    let late = Timestamp(1_000 * MINUTE);
    let many = |lasted| vec![refreshed(lasted); JUDGED_PAUSES];
    assert!(is_unprofitable(many(None).iter(), late));
    assert!(!is_unprofitable(many(Some(12)).iter(), late));
    assert!(!is_unprofitable(many(None)[1..].iter(), late), "too few to judge");
    // It is not known yet whether they pay.
    assert!(!is_unprofitable(many(None).iter(), Timestamp(10 * MINUTE)));
    // One in twenty is not enough, four are.
    for (good, is_off) in [(1, true), (8, false)] {
        let mut mixed = many(None);
        mixed[..good].fill(refreshed(Some(12)));
        assert_eq!(is_unprofitable(mixed.iter(), late), is_off, "{good}");
    }
}

fn some_pauses() -> impl Strategy<Value = Vec<Pause>> {
    let lasted = prop_oneof![Just(None), (1i64..200).prop_map(Some)];
    prop::collection::vec((0i64..3_000, lasted), 0..40)
        .prop_map(|all| all.into_iter().map(|(at, lasted)| pause(at, lasted)).collect())
}

proptest! {
    /// Refreshing never costs more than letting the entry expire once.
    #[test]
    fn no_pause_costs_more_than_writing_anew(seen in some_pauses(), cached in 1u64..1_000_000, hour: bool) {
        let prices = PriceCard::anthropic_5m();
        let prefix = CachedPrefix::from_usage(Timestamp(0), &usage(cached), hour, &prices).expect("it is cached");
        let paid = (1..50).filter(|nth| refresh_pays(&seen.iter(), &prefix, *nth, Timestamp(90_000 * MINUTE)));
        prop_assert!(paid.count() as f64 * prefix.refresh <= prefix.rewrite);
    }

    /// What is not known yet decides about nothing.
    #[test]
    fn the_rule_does_not_look_ahead(seen in some_pauses(), now in 0i64..3_000, nth in 1u32..12) {
        let now = Timestamp(now * MINUTE);
        let prefix = CachedPrefix { time: Timestamp(now.0 - 5 * MINUTE), ..prefix(0) };
        let known = seen.iter().filter(|pause| pause.prefix.time <= now).map(|pause| {
            let ends = pause.lasted_ms.map(|lasted| pause.prefix.time.0 + lasted);
            if ends.is_some_and(|ends| ends <= now.0) { *pause } else { Pause::new(pause.prefix) }
        });
        let known: Vec<Pause> = known.collect();
        prop_assert_eq!(refresh_pays(&seen.iter(), &prefix, nth, now), refresh_pays(&known.iter(), &prefix, nth, now));
    }

    /// Each pause is refreshed from its beginning on without a gap, and the sums agree.
    #[test]
    fn an_estimate_adds_up(seen in some_pauses()) {
        let all = estimate_keep_alive(&seen);
        let refresh = prefix(0).refresh;
        for sum in all.at_most.iter().chain([&all.rule]) {
            prop_assert!((sum.cost - sum.refreshes as f64 * refresh).abs() < 1e-6);
            prop_assert!((sum.spared - sum.hits as f64 * prefix(0).rewrite).abs() < 1e-6);
        }
        let most = all.at_most.last().copied().unwrap_or_default();
        prop_assert!(all.rule.refreshes <= most.refreshes && all.rule.hits <= most.hits);
        let best = all.at_most.get(all.best_refresh_count()).copied().unwrap_or_default();
        prop_assert!(all.at_most.iter().all(|sum| sum.net_saving() <= best.net_saving() + 1e-9));
    }
}
