use std::sync::Arc;
use std::time::Duration;

use foveal_gateway::exchange::{Answered, End, Exchange, Purpose};
use foveal_live::prices::{OwnPrice, OwnPrices, Said};
use foveal_live::request::{About, Changed, Departed};
use foveal_store::{SqliteStore, Store};
use foveal_transcript::Timestamp;
use foveal_wire::Protocol;
use foveal_wire::response::Billed;

use super::Books;
use crate::commands::serve::learners::Learners;
use crate::commands::serve::told::request;
use crate::requests::{self, ShapedResults};

/// A request after so many seconds, with what the provider billed.
pub(in crate::commands::serve) fn exchange(at: i64, billed: Billed, about: About) -> Exchange {
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
        wish: None,
        about: About {
            model: Some("claude-opus-4-5".to_owned()),
            conversation: Some("abc".to_owned()),
            ..about
        },
        failed_open: None,
        bytes_asked: 10_000,
        bytes_sent: 9_000,
        status: 200,
        answered: Some(Answered {
            billed,
            model: None,
            stop_reason: None,
            error: None,
            overflow: None,
        }),
        end: End::Whole,
        added: Duration::from_micros(600),
        head: Duration::from_millis(30),
        whole: Duration::from_millis(50),
        bytes_answered: 100,
    }
}

pub(in crate::commands::serve) fn billed(read: u64, written: u64) -> Billed {
    Billed {
        uncached: Some(0),
        cache_read: Some(read),
        cache_write_5m: Some(written),
        output: Some(10),
        ..Billed::default()
    }
}

fn about(asked: u64, sent: u64) -> About {
    About { tokens_asked: asked, tokens_sent: sent, ..About::default() }
}

/// The requests of a conversation: it goes on, pauses, and its client changes a message.
fn requests() -> Vec<Exchange> {
    let departed = Departed {
        changed: Changed::Message,
        messages: 2,
        tokens: 1_000,
        bytes: Some(120..240),
        bytes_before: Some(300),
    };
    let changed = About { departed: Some(departed), ..about(12_000, 7_000) };
    vec![
        exchange(0, billed(0, 5_000), about(8_000, 5_000)),
        exchange(10, billed(5_000, 1_000), about(10_000, 6_000)),
        exchange(900, billed(0, 6_500), about(11_000, 6_500)),
        exchange(910, billed(590, 6_410), changed),
    ]
}

/// What the last request's bill says, with a restart of the gateway before each request or not.
fn check(restarts: bool) -> (String, String) {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
    let mut books = Books::new(Arc::clone(&store));
    let mut text = String::new();
    for exchange in requests() {
        if restarts {
            books = Books::new(Arc::clone(&store));
        }
        let charged = books.charge(&exchange).expect("a bill");
        let parts = |bill: &foveal_context::bill::Bill| {
            let parts = bill.parts().into_iter().filter(|(_, part)| part.tokens > 0);
            parts
                .map(|(name, part)| format!("{name} {}", part.tokens))
                .collect::<Vec<_>>()
                .join(" ")
        };
        let (with, without) = (parts(&charged.priced.billed), parts(&charged.priced.otherwise));
        text.push_str(&format!("{with} | {without}\n"));
        books.keep(&request(&exchange, Some(charged)), ShapedResults::default());
    }
    let mut last = None;
    let session = requests::session("abc");
    requests::each(&*store, &session, &mut |kept| last = Some(kept)).expect("a log");
    let last = last.expect("requests are kept");
    let changed = last.request.changed.expect("it changed").words();
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
    let mut books = Books::new(Arc::clone(&store));
    let mut refresh = exchange(270, billed(5_000, 0), About::default());
    refresh.refresh = Some(1);
    let all = [
        exchange(0, billed(0, 5_000), about(5_000, 5_000)),
        refresh,
        exchange(480, billed(5_000, 1_000), about(6_000, 6_000)),
    ];
    for exchange in &all {
        let charged = books.charge(exchange);
        books.keep(&request(exchange, charged), ShapedResults::default());
    }
    let mut kept = Vec::new();
    let session = requests::session("abc");
    requests::each(&*store, &session, &mut |one| kept.push(one)).expect("a log");
    let warm = kept[1].request.bill.expect("it was charged");
    // 5,000 tokens read and 10 of output, at the prices of Claude Opus 4.5.
    assert!((warm.dollars() - (0.0025 + 0.00025)).abs() < 1e-9, "{warm:?}");
    assert_eq!((warm.warm.tokens, kept[1].request.refresh), (5_000, Some(1)));
    let (so_far, without) = (kept[2].so_far, kept[2].request.without.expect("it was charged"));
    assert_eq!(so_far.requests, 2);
    assert!(without.expired.tokens > 0 && so_far.without > so_far.cost, "{without:?}");
    let sum: f64 = kept.iter().filter_map(|one| one.request.dollars()).map(|it| it.0).sum();
    assert!((sum - so_far.cost).abs() < 1e-9);
}

#[test]
fn what_belongs_to_no_conversation_is_kept_by_the_day() {
    let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
    let mut books = Books::new(Arc::clone(&store));
    let mut exchange = exchange(0, billed(0, 1), About::default());
    exchange.about.conversation = None;
    let charged = books.charge(&exchange);
    books.keep(&request(&exchange, charged), ShapedResults::default());
    let mut pages = exchange;
    pages.protocol = None;
    books.keep(&request(&pages, None), ShapedResults::default());
    let sessions = store.sessions().expect("sessions");
    let sessions: Vec<_> = sessions.iter().map(|it| (&*it.id.0, it.events)).collect();
    assert_eq!(sessions, [("gateway other-1970-01-01", 1)]);
}

/// What asks no model is kept and numbered with the others, costs nothing, and changes no bill.
#[test]
fn what_asks_no_model_is_kept_apart() {
    let bill = |with_counts: bool| {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
        let (mut number, mut sums, mut dollars) = (0, Vec::new(), Vec::new());
        // A gateway that starts anew each time goes on where the last one ended.
        for at in 0..3 {
            let mut books = Books::new(Arc::clone(&store));
            let mut ask = |purpose: Purpose, end: End| {
                let mut one = exchange(at, billed(5_000 * at as u64, 5_000), about(900, 600));
                (one.purpose, one.end) = (purpose, end);
                if purpose == Purpose::WebSocket {
                    one.status = 426;
                }
                let charged = books.charge(&one);
                assert_eq!(charged.is_some(), purpose == Purpose::Answer);
                let mut request = request(&one, charged);
                request.of_conversation = books.number(&request);
                number += 1;
                assert_eq!(request.of_conversation, number);
                books.keep(&request, ShapedResults::default());
                request.dollars()
            };
            if with_counts {
                ask(Purpose::Count, End::Whole);
                ask(Purpose::WebSocket, End::Own);
            }
            dollars.push(ask(Purpose::Answer, End::Whole));
        }
        for session in store.sessions().expect("sessions") {
            let last = requests::last(&*store, &session).expect("a store").expect("a request");
            sums.push(last.so_far);
        }
        (dollars, sums)
    };
    assert_eq!(bill(true), bill(false));
    assert_eq!(bill(true).1[0].requests, 3);
}

/// A model whose price nobody knows is billed where the user says it, by the name that was asked for
/// or by whom was asked.
#[test]
fn the_users_own_prices_are_billed() {
    let own = |model: Option<&str>, upstream: Option<&str>| {
        let (name, cache_lifetime_ms) = ("mine".to_owned(), None);
        let (cached, written) = (Some(0.5), Some(3.0));
        let said = Said { name, input: 2.0, cached, written, output: 8.0, cache_lifetime_ms };
        OwnPrices(vec![OwnPrice::new(model, upstream, said).expect("a glob")])
    };
    let charge = |prices: OwnPrices| {
        let store: Arc<dyn Store> = Arc::new(SqliteStore::in_memory().expect("a store"));
        let learners = Learners { prices: Arc::new(prices), ..Learners::default() };
        let mut books = Books::new(store).with_learners(learners);
        let mut one = exchange(0, billed(1_000, 2_000), about(3_000, 3_000));
        (one.upstream, one.protocol) = ("work".to_owned(), Some(Protocol::Chat));
        one.about.model = Some("glm-5".to_owned());
        if let Some(answered) = &mut one.answered {
            answered.model = Some("GLM 5, of today".to_owned());
        }
        let charged = books.charge(&one)?;
        Some((charged.priced.billed.dollars(), charged.prices))
    };
    assert_eq!(charge(OwnPrices::default()), None);
    assert_eq!(charge(own(Some("glm"), None)), None);
    assert_eq!(charge(own(Some("glm-*"), Some("other"))), None);
    let expected = (1_000.0 * 0.5 + 2_000.0 * 3.0 + 10.0 * 8.0) / 1e6;
    for prices in [own(Some("glm-*"), None), own(None, Some("work")), own(Some("glm 5*"), None)] {
        let (dollars, name) = charge(prices).expect("a bill");
        assert!((dollars - expected).abs() < 1e-12, "{dollars}");
        assert_eq!(name, "mine");
    }
}
