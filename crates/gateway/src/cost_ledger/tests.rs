use std::sync::Arc;
use std::time::Duration;

use foveal_protocols::Protocol;
use foveal_protocols::response::BilledUsage;
use foveal_proxy::price_overrides::{PriceOverride, PriceOverrideRule, PriceOverrides};
use foveal_proxy::request::{ChangedPart, PrefixDivergence, RequestReport};
use foveal_store::{SqliteStore, Store};
use foveal_transcript::Timestamp;

use super::{BillingContext, CostLedger};
use crate::exchange::{Exchange, ExchangeEnd, Purpose, ResponseSummary};
use crate::request_record::{self, ShapedResults, gateway_request};

/// Returns a request at this number of seconds, with its billed usage.
pub(crate) fn exchange(at: i64, billed: BilledUsage, about: RequestReport) -> Exchange {
    Exchange {
        number: 1,
        time: Timestamp(at * 1000),
        protocol: Some(Protocol::Messages),
        purpose: Purpose::Answer,
        refresh: None,
        upstream: "anthropic".to_owned(),
        server: "api.anthropic.com".to_owned(),
        port: 443,
        parent: None,
        profile_override: None,
        report: RequestReport {
            model: Some("claude-opus-4-5".to_owned()),
            conversation: Some("abc".to_owned()),
            ..about
        },
        failed_open: None,
        bytes_received: 10_000,
        bytes_sent: 9_000,
        status: 200,
        response: Some(ResponseSummary {
            billed,
            model: None,
            stop_reason: None,
            error: None,
            overflow: None,
        }),
        end: ExchangeEnd::Complete,
        added_latency: Duration::from_micros(600),
        time_to_head: Duration::from_millis(30),
        duration: Duration::from_millis(50),
        response_bytes: 100,
    }
}

pub(crate) fn billed(read: u64, written: u64) -> BilledUsage {
    BilledUsage {
        uncached: Some(0),
        cache_read: Some(read),
        cache_write_5m: Some(written),
        output: Some(10),
        ..BilledUsage::default()
    }
}

fn about(asked: u64, sent: u64) -> RequestReport {
    RequestReport { tokens_received: asked, tokens_sent: sent, ..RequestReport::default() }
}

/// Returns the requests of a conversation with a pause and a message that its client changed.
fn requests() -> Vec<Exchange> {
    let departed = PrefixDivergence {
        changed: ChangedPart::Message,
        messages: 2,
        tokens: 1_000,
        bytes: Some(120..240),
        bytes_before: Some(300),
    };
    let changed = RequestReport { divergence: Some(departed), ..about(12_000, 7_000) };
    vec![
        exchange(0, billed(0, 5_000), about(8_000, 5_000)),
        exchange(10, billed(5_000, 1_000), about(10_000, 6_000)),
        exchange(900, billed(0, 6_500), about(11_000, 6_500)),
        exchange(910, billed(590, 6_410), changed),
    ]
}

/// Returns the bill of the last request, with or without a restart of the gateway before each
/// request.
fn check(restarts: bool) -> (String, String) {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
    let mut books = CostLedger::new(Arc::clone(&store));
    let mut text = String::new();
    for exchange in requests() {
        if restarts {
            books = CostLedger::new(Arc::clone(&store));
        }
        let charged = books.charge_exchange(&exchange).expect("a bill");
        let parts = |bill: &foveal_pricing::bill::Bill| {
            let parts = bill.parts().into_iter().filter(|(_, part)| part.tokens > 0);
            parts
                .map(|(name, part)| format!("{name} {}", part.tokens))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (with, without) = (parts(&charged.priced.billed), parts(&charged.priced.otherwise));
        text.push_str(&format!("{with} | {without}\n"));
        books.store_request(&gateway_request(&exchange, Some(charged)), ShapedResults::default());
    }
    let mut last = None;
    let session = request_record::gateway_session_id("abc");
    request_record::for_each_request(&*store, &session, &mut |kept| last = Some(kept))
        .expect("a log");
    let last = last.expect("requests are kept");
    let changed = last.request.changed.expect("it changed").describe();
    (text, format!("{} requests, {changed}", last.so_far.requests))
}

#[test]
fn a_conversation_is_billed_the_same_after_a_restart() {
    let expected = "\
written 5000 output 10 | written 8000 output 10
read 5000 written 1000 output 10 | read 8000 written 2000 output 10
written 500 expired 6000 output 10 | written 1000 expired 10000 output 10
read 590 written 500 client 5910 output 10 | read 1000 written 1000 client 10000 output 10
";
    let (text, last) = check(false);
    assert_eq!(text, expected);
    assert_eq!(last, "4 requests, message 3 (bytes 120 to 240, 300 bytes before)");
    assert_eq!(check(true), (text, last));
}

#[test]
fn what_keeps_a_cache_warm_is_a_part_of_the_bill() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
    let mut books = CostLedger::new(Arc::clone(&store));
    let mut refresh = exchange(270, billed(5_000, 0), RequestReport::default());
    refresh.refresh = Some(1);
    let all = [
        exchange(0, billed(0, 5_000), about(5_000, 5_000)),
        refresh,
        exchange(480, billed(5_000, 1_000), about(6_000, 6_000)),
    ];
    for exchange in &all {
        let charged = books.charge_exchange(exchange);
        books.store_request(&gateway_request(exchange, charged), ShapedResults::default());
    }
    let mut kept = Vec::new();
    let session = request_record::gateway_session_id("abc");
    request_record::for_each_request(&*store, &session, &mut |one| kept.push(one)).expect("a log");
    let warm = kept[1].request.bill.expect("it was charged");
    // 5,000 cache-read tokens and 10 of output, at the prices of Claude Opus 4.5.
    assert!((warm.dollars() - (0.0025 + 0.00025)).abs() < 1e-9, "{warm:?}");
    assert_eq!((warm.warm.tokens, kept[1].request.refresh), (5_000, Some(1)));
    let (so_far, without) = (kept[2].so_far, kept[2].request.without.expect("it was charged"));
    assert_eq!(so_far.requests, 2);
    assert!(without.expired.tokens > 0 && so_far.without > so_far.cost, "{without:?}");
    let sum: f64 = kept
        .iter()
        .filter_map(|one| one.request.billed_and_baseline_dollars())
        .map(|it| it.0)
        .sum();
    assert!((sum - so_far.cost).abs() < 1e-9);
}

#[test]
fn what_belongs_to_no_conversation_is_kept_by_the_day() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
    let mut books = CostLedger::new(Arc::clone(&store));
    let mut exchange = exchange(0, billed(0, 1), RequestReport::default());
    exchange.report.conversation = None;
    let charged = books.charge_exchange(&exchange);
    books.store_request(&gateway_request(&exchange, charged), ShapedResults::default());
    let mut pages = exchange;
    pages.protocol = None;
    books.store_request(&gateway_request(&pages, None), ShapedResults::default());
    let sessions = store.sessions().expect("sessions");
    let sessions: Vec<_> = sessions.iter().map(|it| (&*it.id.0, it.event_count)).collect();
    assert_eq!(sessions, [("gateway other-1970-01-01", 1)]);
}

/// A request that asks no model is stored and numbered like others, costs nothing, and changes no
/// bill.
#[test]
fn what_asks_no_model_is_kept_apart() {
    let bill = |with_counts: bool| {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
        let (mut number, mut sums, mut dollars) = (0, Vec::new(), Vec::new());
        // A gateway that is restarted each time continues where the last one ended.
        for at in 0..3 {
            let mut books = CostLedger::new(Arc::clone(&store));
            let mut ask = |purpose: Purpose, end: ExchangeEnd| {
                let mut one = exchange(at, billed(5_000 * at as u64, 5_000), about(900, 600));
                (one.purpose, one.end) = (purpose, end);
                if purpose == Purpose::WebSocket {
                    one.status = 426;
                }
                let charged = books.charge_exchange(&one);
                assert_eq!(charged.is_some(), purpose == Purpose::Answer);
                let mut request = gateway_request(&one, charged);
                request.of_conversation = books.next_request_number(&request);
                number += 1;
                assert_eq!(request.of_conversation, number);
                books.store_request(&request, ShapedResults::default());
                request.billed_and_baseline_dollars()
            };
            if with_counts {
                ask(Purpose::Count, ExchangeEnd::Complete);
                ask(Purpose::WebSocket, ExchangeEnd::AnsweredLocally);
            }
            dollars.push(ask(Purpose::Answer, ExchangeEnd::Complete));
        }
        for session in store.sessions().expect("sessions") {
            let last = request_record::last_request(&*store, &session)
                .expect("a store")
                .expect("a request");
            sums.push(last.so_far);
        }
        (dollars, sums)
    };
    assert_eq!(bill(true), bill(false));
    assert_eq!(bill(true).1[0].requests, 3);
}

/// A model without a known price is billed by the user's own price, under the requested name or the
/// name of the upstream.
#[test]
fn the_users_own_prices_are_billed() {
    let own = |model: Option<&str>, upstream: Option<&str>| {
        let (name, cache_lifetime_ms) = ("mine".to_owned(), None);
        let (cached, written) = (Some(0.5), Some(3.0));
        let said = PriceOverride {
            name,
            input: 2.0,
            cache_read: cached,
            cache_write: written,
            output: 8.0,
            cache_lifetime_ms,
        };
        PriceOverrides(vec![PriceOverrideRule::new(model, upstream, said).expect("a glob")])
    };
    let charge = |prices: PriceOverrides| {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
        let learners = BillingContext { prices: Arc::new(prices), ..BillingContext::default() };
        let mut books = CostLedger::new(store).with_billing(learners);
        let mut one = exchange(0, billed(1_000, 2_000), about(3_000, 3_000));
        (one.upstream, one.protocol) = ("work".to_owned(), Some(Protocol::Chat));
        one.report.model = Some("glm-5".to_owned());
        if let Some(answered) = &mut one.response {
            answered.model = Some("GLM 5, of today".to_owned());
        }
        let charged = books.charge_exchange(&one)?;
        Some((charged.priced.billed.dollars(), charged.prices))
    };
    assert_eq!(charge(PriceOverrides::default()), None);
    assert_eq!(charge(own(Some("glm"), None)), None);
    assert_eq!(charge(own(Some("glm-*"), Some("other"))), None);
    let expected = (1_000.0 * 0.5 + 2_000.0 * 3.0 + 10.0 * 8.0) / 1e6;
    for prices in [own(Some("glm-*"), None), own(None, Some("work")), own(Some("glm 5*"), None)] {
        let (dollars, name) = charge(prices).expect("a bill");
        assert!((dollars - expected).abs() < 1e-12, "{dollars}");
        assert_eq!(name, "mine");
    }
}
