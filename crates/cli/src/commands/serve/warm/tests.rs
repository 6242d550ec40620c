use std::time::Duration;

use foveal_context::bill::{Amount, Bill, Priced};
use foveal_gateway::warm::KeepsWarm;
use foveal_live::prices::OwnPrices;
use foveal_live::request::About;
use foveal_transcript::Timestamp;

use super::{Warmth, prefix};
use crate::commands::serve::books::tests::{billed, exchange};
use crate::commands::serve::charges;

const NOW: Duration = Duration::ZERO;

/// A request of its own conversation each time, which nobody takes up again after two refreshes.
fn gone(warmth: &Warmth, at: i64) {
    let mut request = exchange(at, billed(100_000, 0), About::default());
    request.about.conversation = Some(format!("conversation {at}"));
    let usage = charges::usage(&billed(100_000, 0));
    let prices = charges::prices(
        &OwnPrices::default(),
        ("claude-opus-4-5", "anthropic"),
        foveal_wire::Protocol::Messages,
    );
    let priced = Priced::default();
    warmth.note(&request, &usage, &priced, &prices);
    for nth in 1..=2 {
        request.refresh = Some(nth);
        warmth.note(&request, &usage, &priced, &prices);
    }
}

#[test]
fn refreshes_come_before_the_entry_expires_and_never_after() {
    let warmth = Warmth::new(None, false, Timestamp(0));
    let request = exchange(0, billed(100_000, 1_000), About::default());
    assert_eq!(warmth.after(&request, 1), Some(Duration::from_secs(270)));
    assert!(warmth.pays(&request, 1, NOW));
    assert!(!warmth.pays(&request, 1, Duration::from_secs(20)), "it may have expired");
    assert!(!warmth.pays(&request, 12, NOW), "it would cost more than writing anew");
    let empty = exchange(0, billed(0, 0), About::default());
    assert_eq!(warmth.after(&empty, 1), None);
    let mut hour = billed(100_000, 0);
    hour.cache_write_1h = Some(1_000);
    let hour = exchange(0, hour, About::default());
    assert_eq!(warmth.after(&hour, 1), Some(Duration::from_secs(54 * 60)));
}

#[test]
fn what_has_not_paid_stays_off_until_it_is_to_begin_anew() {
    let folder = std::env::temp_dir().join(format!("foveal-warmth-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("keep-warm");
    let start = |anew| Warmth::new(Some(file.clone()), anew, Timestamp(900_000_000));
    let loses = |warmth: &Warmth, from: i64| {
        (0..foveal_context::warm::JUDGED as i64).for_each(|at| gone(warmth, from + at * 3_600));
    };
    let warmth = start(false);
    loses(&warmth, 0);
    let request = |at| exchange(at, billed(100_000, 0), About::default());
    assert!(warmth.after(&request(800_000), 1).is_some());
    assert!(!warmth.pays(&request(800_000), 1, NOW));
    assert!(super::has_not_paid_before(&file));
    assert_eq!(warmth.after(&request(800_000), 1), None, "it is off");
    assert_eq!(start(false).after(&request(900_000), 1), None, "for good");
    // What it lost before is not held against it, after a restart neither.
    for anew in [true, false] {
        let warmth = start(anew);
        loses(&warmth, 0);
        assert!(!super::has_not_paid_before(&file));
        let _ = warmth.pays(&request(950_000), 1, NOW);
        assert!(warmth.after(&request(950_000), 1).is_some(), "{anew}");
    }
    let warmth = start(false);
    loses(&warmth, 950_000);
    assert!(!warmth.pays(&request(2_000_000), 1, NOW) && super::has_not_paid_before(&file));
    std::fs::remove_dir_all(folder).expect("it is there");
}

#[test]
fn a_pause_is_worth_what_would_have_expired() {
    let warmth = Warmth::new(None, false, Timestamp(0));
    let prices = charges::prices(
        &OwnPrices::default(),
        ("claude-opus-4-5", "anthropic"),
        foveal_wire::Protocol::Messages,
    );
    let usage = charges::usage(&billed(100_000, 0));
    let first = exchange(0, billed(100_000, 0), About::default());
    warmth.note(&first, &usage, &Priced::default(), &prices);
    let expired = Amount { tokens: 100_000, dollars: 0.1 * prices.cache_write };
    let otherwise = Bill { expired, ..Bill::default() };
    let priced = Priced { otherwise, ..Priced::default() };
    let second = exchange(480, billed(100_000, 0), About::default());
    warmth.note(&second, &usage, &priced, &prices);
    let pauses = warmth.state().pauses();
    assert_eq!((pauses.len(), pauses[0].lasted_ms), (2, Some(480_000)));
    assert!((pauses[0].worth - 1.0).abs() < 1e-9, "{pauses:?}");
    assert_eq!(
        prefix(&OwnPrices::default(), &second).map(|prefix| prefix.time),
        Some(Timestamp(480_000))
    );
}
