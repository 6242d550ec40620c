use std::time::Duration;

use foveal_pricing::bill::{Bill, BillAmount, RequestCosts};
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_proxy::request::RequestReport;
use foveal_transcript::Timestamp;

use super::{AdaptiveKeepAlive, cached_prefix, was_judged_unprofitable};
use crate::cost_ledger::tests::{billed, exchange};
use crate::keep_alive_policy::KeepAlivePolicy;
use crate::request_prices;

const NOW: Duration = Duration::ZERO;

/// A request of a new conversation each time, which is not continued after two refreshes.
fn gone(warmth: &AdaptiveKeepAlive, at: i64) {
    let mut request = exchange(at, billed(100_000, 0), RequestReport::default());
    request.report.conversation = Some(format!("conversation {at}"));
    let usage = request_prices::billed_usage(&billed(100_000, 0));
    let prices = request_prices::upstream_price_card(
        &PriceOverrides::default(),
        "claude-opus-4-5",
        "anthropic",
        foveal_protocols::Protocol::Messages,
    );
    let priced = RequestCosts::default();
    warmth.learn_from_exchange(&request, &usage, &priced, &prices);
    for nth in 1..=2 {
        request.refresh = Some(nth);
        warmth.learn_from_exchange(&request, &usage, &priced, &prices);
    }
}

#[test]
fn refreshes_come_before_the_entry_expires_and_never_after() {
    let warmth = AdaptiveKeepAlive::new(None, false, Timestamp(0), |_| {});
    let request = exchange(0, billed(100_000, 1_000), RequestReport::default());
    assert_eq!(warmth.refresh_delay(&request, 1), Some(Duration::from_secs(270)));
    assert!(warmth.is_worthwhile(&request, 1, NOW));
    assert!(!warmth.is_worthwhile(&request, 1, Duration::from_secs(20)), "it may have expired");
    assert!(!warmth.is_worthwhile(&request, 12, NOW), "it would cost more than writing anew");
    let empty = exchange(0, billed(0, 0), RequestReport::default());
    assert_eq!(warmth.refresh_delay(&empty, 1), None);
    let mut hour = billed(100_000, 0);
    hour.cache_write_1h = Some(1_000);
    let hour = exchange(0, hour, RequestReport::default());
    assert_eq!(warmth.refresh_delay(&hour, 1), Some(Duration::from_secs(54 * 60)));
}

#[test]
fn what_has_not_paid_stays_off_until_it_is_to_begin_anew() {
    let folder = std::env::temp_dir().join(format!("foveal-warmth-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("keep-warm");
    let start =
        |anew| AdaptiveKeepAlive::new(Some(file.clone()), anew, Timestamp(900_000_000), |_| {});
    let loses = |warmth: &AdaptiveKeepAlive, from: i64| {
        (0..foveal_pricing::keep_alive::JUDGED_PAUSES as i64)
            .for_each(|at| gone(warmth, from + at * 3_600));
    };
    let warmth = start(false);
    loses(&warmth, 0);
    let request = |at| exchange(at, billed(100_000, 0), RequestReport::default());
    assert!(warmth.refresh_delay(&request(800_000), 1).is_some());
    assert!(!warmth.is_worthwhile(&request(800_000), 1, NOW));
    assert!(was_judged_unprofitable(&file));
    assert_eq!(warmth.refresh_delay(&request(800_000), 1), None, "it is off");
    assert_eq!(start(false).refresh_delay(&request(900_000), 1), None, "for good");
    // Earlier losses do not count for the new verdict, nor after a restart.
    for anew in [true, false] {
        let warmth = start(anew);
        loses(&warmth, 0);
        assert!(!was_judged_unprofitable(&file));
        let _ = warmth.is_worthwhile(&request(950_000), 1, NOW);
        assert!(warmth.refresh_delay(&request(950_000), 1).is_some(), "{anew}");
    }
    let warmth = start(false);
    loses(&warmth, 950_000);
    assert!(!warmth.is_worthwhile(&request(2_000_000), 1, NOW) && was_judged_unprofitable(&file));
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn a_pause_is_worth_what_would_have_expired() {
    let warmth = AdaptiveKeepAlive::new(None, false, Timestamp(0), |_| {});
    let prices = request_prices::upstream_price_card(
        &PriceOverrides::default(),
        "claude-opus-4-5",
        "anthropic",
        foveal_protocols::Protocol::Messages,
    );
    let usage = request_prices::billed_usage(&billed(100_000, 0));
    let first = exchange(0, billed(100_000, 0), RequestReport::default());
    warmth.learn_from_exchange(&first, &usage, &RequestCosts::default(), &prices);
    let expired = BillAmount { tokens: 100_000, dollars: 0.1 * prices.cache_write };
    let otherwise = Bill { expired, ..Bill::default() };
    let priced = RequestCosts { otherwise, ..RequestCosts::default() };
    let second = exchange(480, billed(100_000, 0), RequestReport::default());
    warmth.learn_from_exchange(&second, &usage, &priced, &prices);
    let pauses = warmth.state().pauses_by_start();
    assert_eq!((pauses.len(), pauses[0].lasted_ms), (2, Some(480_000)));
    assert!((pauses[0].worth - 1.0).abs() < 1e-9, "{pauses:?}");
    assert_eq!(
        cached_prefix(&PriceOverrides::default(), &second).map(|prefix| prefix.time),
        Some(Timestamp(480_000))
    );
}
