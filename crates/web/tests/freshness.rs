//! A table of freshness by RFC 9111: headers, and the remaining time.

use foveal_web::{ExchangeTimes, Freshness, UnixMs, Validators};
use proptest::prelude::*;

/// Sun, 06 Nov 1994 08:49:37 GMT.
const THEN: i64 = 784_111_777_000;

/// Parses headers in the form of these tests: one `name: value` per line.
fn headers(text: &str) -> Vec<(String, String)> {
    let lines = text.lines().filter_map(|line| line.trim().split_once(": "));
    lines.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

/// Returns the freshness of a response that arrived one second after its request.
fn of(status: u16, text: &str) -> Freshness {
    let times = ExchangeTimes { request_time: UnixMs(THEN - 1000), response_time: UnixMs(THEN) };
    Freshness::from_response(status, &headers(text), times)
}

/// Returns for how many seconds the response is fresh; `None` if it is not.
fn left(status: u16, text: &str) -> Option<i64> {
    of(status, text).expires_at.map(|end| (end.0 - THEN) / 1000)
}

#[test]
fn times_of_answers() {
    let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\n";
    let cases = [
        ("", None),
        // A second went by on the way.
        ("Cache-Control: max-age=60", Some(59)),
        ("cache-control: public, MAX-AGE=60, immutable, must-revalidate", Some(59)),
        ("cache-control: max-age=\"60\"", Some(59)),
        ("cache-control: max-age=60\nage: 20", Some(39)),
        ("cache-control: max-age=60\nage: 60", None),
        ("cache-control: max-age=60\nage: soon", Some(59)),
        ("cache-control: max-age=60\ndate: Sun, 06 Nov 1994 08:49:07 GMT", Some(30)),
        ("cache-control: max-age=60\ndate: Sun, 06 Nov 1994 08:49:07 GMT\nage: 40", Some(19)),
        // The server's clock is ahead.
        ("cache-control: max-age=60\ndate: Sun, 06 Nov 1994 09:49:37 GMT", Some(59)),
        ("cache-control: s-maxage=60", None),
        ("cache-control: max-age=10, s-maxage=60", Some(9)),
        ("cache-control: private, max-age=60", Some(59)),
        ("cache-control: no-store, max-age=60", None),
        ("cache-control: no-cache, max-age=60", None),
        ("cache-control: no-cache=\"set-cookie\", max-age=60", None),
        ("cache-control: max-age=60\ncache-control: no-store", None),
        ("cache-control: max-age=60, max-age=30", Some(29)),
        ("cache-control: max-age=0", None),
        ("cache-control: max-age=-1", None),
        ("cache-control: max-age=1.5", None),
        ("cache-control: max-age", None),
        ("cache-control: max-age=99999999999999999999", Some(365 * 86_400 - 1)),
        ("pragma: no-cache\nexpires: Sun, 06 Nov 1994 08:59:37 GMT", None),
        ("pragma: no-cache\ncache-control: max-age=60", Some(59)),
        ("vary: *\ncache-control: max-age=60", None),
        ("vary: accept\ncache-control: max-age=60", Some(59)),
        ("expires: Sun, 06 Nov 1994 08:59:37 GMT", Some(599)),
        ("expires: 0", None),
        ("expires: Sun, 06 Nov 1994 08:39:37 GMT", None),
        ("cache-control: max-age=60\nexpires: 0", Some(59)),
        // A tenth of ten hours, without the second on the way.
        ("last-modified: Sat, 05 Nov 1994 22:49:37 GMT", Some(3599)),
        ("last-modified: Sun, 06 Nov 1994 08:49:37 GMT", None),
        ("last-modified: Mon, 07 Nov 1994 08:49:37 GMT", None),
        ("last-modified: Thu, 01 Jan 1970 00:00:00 GMT", Some(86_399)),
        ("last-modified: yesterday", None),
    ];
    for (text, expected) in cases {
        assert_eq!(left(200, text), expected, "{text}");
        if !text.to_ascii_lowercase().contains("date: ") {
            assert_eq!(left(200, &format!("{date}{text}")), expected, "with a date: {text}");
        }
    }
}

#[test]
fn some_statuses_have_no_heuristic() {
    let modified = "last-modified: Sat, 05 Nov 1994 22:49:37 GMT";
    assert_eq!(
        [200, 203, 301, 206, 302, 503].map(|status| left(status, modified).is_some()),
        [true, true, true, false, false, false]
    );
    assert_eq!(left(302, "cache-control: max-age=60"), Some(59));
}

#[test]
fn a_page_is_no_fresher_than_the_way_to_it() {
    let page = of(200, "cache-control: max-age=60\netag: \"p\"");
    let seconds = |freshness: Freshness| freshness.expires_at.map(|end| (end.0 - THEN) / 1000);
    for (hop, permanent, expected) in [
        ("cache-control: max-age=30\netag: \"h\"", false, Some(29)),
        ("cache-control: max-age=90", false, Some(59)),
        ("", false, None),
        ("", true, Some(59)),
        ("cache-control: max-age=30", true, Some(29)),
    ] {
        let through =
            page.clone().after_redirect(&of(if permanent { 301 } else { 302 }, hop), permanent);
        assert_eq!(through.etag.as_deref(), Some("\"p\""));
        assert_eq!(seconds(through), expected, "{hop} {permanent}");
    }
    assert!(page.after_redirect(&of(302, "cache-control: no-store"), false).no_store);
}

#[test]
fn what_to_ask_with() {
    let url = "https://example.com/";
    let text = "etag: W/\"a\"\nlast-modified: Sun, 06 Nov 1994 08:49:37 GMT";
    let answer = of(200, text);
    let validators =
        Validators { url: url.to_owned(), etag: answer.etag, last_modified: answer.last_modified };
    assert_eq!(
        validators.conditional_headers(),
        [("if-none-match", "W/\"a\""), ("if-modified-since", "Sun, 06 Nov 1994 08:49:37 GMT"),]
    );
    let split = Validators { etag: Some("\"a\"\r\nx: y".to_owned()), ..validators.clone() };
    assert_eq!(split.conditional_headers().len(), 1);
    // A new saying takes the place of the old one; what it leaves out stays.
    let renewed = of(304, "cache-control: max-age=60\netag: \"b\"").revalidated(&validators);
    assert_eq!(renewed.etag.as_deref(), Some("\"b\""));
    assert_eq!(renewed.last_modified, validators.last_modified);
    assert!(renewed.expires_at.is_some_and(|end| end.0 > THEN));
}

proptest! {
    #[test]
    fn no_headers_break_it(
        lines in prop::collection::vec(
            ("(?i)(cache-control|age|expires|date|last-modified|vary|pragma)", ".{0,40}"), 0..6),
        asked: i64, answered: i64,
    ) {
        let times = ExchangeTimes { request_time: UnixMs(asked), response_time: UnixMs(answered) };
        let found = Freshness::from_response(200, &lines, times);
        prop_assert!(found.expires_at.is_none_or(|end| end > times.response_time));
    }

    #[test]
    fn more_age_never_makes_fresher(max_age in 0i64..1000, age in 0i64..1000, more in 0i64..1000) {
        let of = |age: i64| left(200, &format!("cache-control: max-age={max_age}\nage: {age}"));
        prop_assert!(of(age + more) <= of(age));
        prop_assert!(of(age) <= Some(max_age));
    }
}
