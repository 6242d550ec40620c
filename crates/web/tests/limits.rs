//! Servers that send too much, too slowly, too little or invalid data.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use foveal_transcript::CancelToken;
use foveal_web::{FetchError, FetchLimits, FetchRequest, PageContent};

use crate::server::{self, Answer, Server, answer, good, raw};

const MS: fn(u64) -> Duration = Duration::from_millis;

/// Sends `start` and then `part` every few milliseconds, as long as the client reads.
fn endless(start: &str, part: &str, pause: Duration) -> Answer {
    let (start, part) = (start.to_owned(), part.to_owned());
    Box::new(move |_, stream| {
        let mut sent = stream.write_all(start.as_bytes());
        while sent.is_ok() {
            thread::sleep(pause);
            sent = stream.write_all(part.as_bytes());
        }
    })
}

fn failure(answer: Answer, limits: FetchLimits) -> FetchError {
    let server = Server::start(vec![("/", answer)]);
    server::failure(&server::fetcher(limits), &server.url("/"))
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n";

#[test]
fn trickling_bytes_do_not_outlast_the_total_time() {
    let limits = FetchLimits { total_time: MS(300), ..server::limits() };
    for start in ["HTTP/1.1 200 O", "HTTP/1.1 200 OK\r\nx: ", HEAD] {
        let error = failure(endless(start, "a", MS(10)), limits.clone());
        assert!(matches!(error, FetchError::TimedOut { seconds: 1, .. }), "{start}: {error:?}");
    }
}

#[test]
fn silence_does_not_outlast_the_read_time() {
    let limits = FetchLimits { read_time: MS(200), ..server::limits() };
    for start in ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc"] {
        let start = start.to_owned();
        let silent: Answer = Box::new(move |_, stream| {
            stream.write_all(start.as_bytes()).unwrap();
            thread::sleep(MS(3000));
        });
        let error = failure(silent, limits.clone());
        assert!(matches!(error, FetchError::TimedOut { .. }), "{error:?}");
    }
}

#[test]
fn a_fetch_stops_when_asked() {
    for start in ["", HEAD] {
        let server = Server::start(vec![("/", endless(start, "", MS(10)))]);
        let asked = AtomicBool::new(false);
        let request = FetchRequest { url: server.url("/"), cached: None };
        let is_asked_again = || asked.swap(true, Ordering::SeqCst);
        let result = server::fetcher(server::limits()).fetch(
            &request,
            &server::anywhere(),
            &CancelToken::from_fn(&is_asked_again),
        );
        assert_eq!(result, Err(FetchError::Cancelled));
    }
}

#[test]
fn an_endless_body_is_cut() {
    let server = Server::start(vec![("/", endless(HEAD, &"word ".repeat(2000), MS(0)))]);
    let limits = FetchLimits { body_bytes: 100_000, ..server::limits() };
    let page = server::fetch(&server::fetcher(limits), &server.url("/")).unwrap();
    assert_eq!((page.bytes, page.truncated), (100_000, true));
}

#[test]
fn what_fits_exactly_is_not_cut() {
    let server = Server::start(vec![("/", good("text/plain", "x".repeat(1000)))]);
    for (limit, bytes, truncated) in [(999, 999, true), (1000, 1000, false)] {
        let limits = FetchLimits { body_bytes: limit, ..server::limits() };
        let page = server::fetch(&server::fetcher(limits), &server.url("/")).unwrap();
        assert_eq!((page.bytes, page.truncated), (bytes, truncated));
    }
}

#[test]
fn bytes_are_counted_as_they_unfold() {
    let bomb = gzip(&vec![b'a'; 200 << 20]);
    assert!(bomb.len() < 300_000);
    let headers = "content-type: text/plain\r\ncontent-encoding: gzip\r\n";
    let page = server::page(answer("200 OK", headers, bomb));
    assert_eq!((page.bytes, page.truncated), (4 << 20, true));
}

#[test]
fn compressed_pages_are_read() {
    let headers = "content-type: text/plain\r\ncontent-encoding: GZIP\r\n";
    // Two parts in a row are one text.
    let both = [gzip(b"one "), gzip(b"two")].concat();
    assert_eq!(server::page(answer("200 OK", headers, both)).content.text(), "one two");
}

#[test]
fn broken_answers_are_errors() {
    let encoded = |encoding: &str, body: &[u8]| {
        answer(
            "200 OK",
            &format!("content-type: text/plain\r\ncontent-encoding: {encoding}\r\n"),
            body,
        )
    };
    let half = gzip(&[7; 5000]);
    let cases: Vec<(&str, Answer)> = vec![
        ("too short", raw("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nabc")),
        ("cut chunk", raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n9\r\nabc")),
        ("bad chunk", raw("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\nabc\r\n")),
        ("no HTTP", raw("SSH-2.0-OpenSSH_9.6\r\n\r\n\r\n")),
        ("cut gzip", encoded("gzip", &half[..half.len() / 2])),
        ("no gzip", encoded("gzip", b"plain text")),
        ("brotli", encoded("br", b"x")),
        ("bad header", raw("HTTP/1.1 200 OK\r\nbad header\r\n\r\nx")),
        ("bad length", raw("HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nx")),
    ];
    for (name, answer) in cases {
        let error = failure(answer, server::limits());
        assert!(matches!(error, FetchError::Broken { .. }), "{name}: {error:?}");
    }
}

#[test]
fn nothing_at_all_is_an_error() {
    let error = failure(raw(""), server::limits());
    assert!(
        matches!(error, FetchError::Unreachable { .. } | FetchError::Broken { .. }),
        "{error:?}"
    );
    let port = Server::start(vec![]).port;
    thread::sleep(MS(50));
    let error =
        server::failure(&server::fetcher(server::limits()), &format!("http://site.test:{port}/"));
    assert!(matches!(error, FetchError::Unreachable { .. }), "{error:?}");
}

#[test]
fn a_flood_of_headers_is_cut() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(1 << 20));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "a: b\r\n".repeat(5000));
    for answer in [raw(long), raw(many), endless("HTTP/1.1 200 OK\r\n", "a: b\r\n", MS(0))] {
        let error = failure(answer, server::limits());
        assert!(matches!(error, FetchError::Broken { .. }), "{error:?}");
    }
}

#[test]
fn errors_of_a_server_say_what_it_says() {
    let server = Server::start(vec![
        ("/503", answer("503 Busy", "content-type: text/plain\r\n", "later\n  please\u{7}")),
        ("/500", answer("500 Bad", "content-type: image/png\r\n", "\0")),
    ]);
    let fetcher = server::fetcher(server::limits());
    for (path, expected) in [("/none", "404: Gone"), ("/503", "503: later please"), ("/500", "500")]
    {
        assert_eq!(
            server::failure(&fetcher, &server.url(path)).to_string(),
            format!("{} answered {expected}", server.url(path))
        );
    }
}

#[test]
fn trees_of_any_depth_are_survived() {
    for depth in [390, 401, 200_000] {
        let html =
            format!("<title>Deep</title>{}words{}", "<div>".repeat(depth), "</div>".repeat(depth));
        let page = server::page(good("text/html", html));
        assert_eq!(page.title.as_deref(), (depth < 1000).then_some("Deep"), "{depth}");
        let expected = match depth {
            ..400 => PageContent::Markdown("words".to_owned()),
            _ => PageContent::Stripped("words".to_owned()),
        };
        assert_eq!(page.content, expected, "{depth}");
    }
}

#[test]
fn requests_carry_no_more_than_they_need() {
    let cookie = "set-cookie: a=b\r\nlocation: /next\r\n";
    let server = Server::start(vec![
        ("/", answer("302 Found", cookie, "")),
        ("/next", good("text/plain", "x")),
    ]);
    server::fetch(&server::fetcher(server::limits()), &server.url("/")).unwrap();
    for head in server.asked.lock().unwrap().iter() {
        let mut names: Vec<&str> =
            head.lines().skip(1).filter_map(|line| line.split_once(':')).map(|h| h.0).collect();
        names.sort_unstable();
        assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"], "{head}");
        assert!(head.contains(concat!("user-agent: foveal/", env!("CARGO_PKG_VERSION"))));
    }
}
