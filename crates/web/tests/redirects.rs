//! Redirects are followed as far as their targets may be fetched.

use std::sync::{Arc, Mutex};

use foveal_transcript::CancelToken;
use foveal_web::{FetchError, FetchLimits, FetchOutcome, FetchRequest, RedirectFilter, Validators};

use crate::server::{self, Server, good, redirect};

#[test]
fn redirects_are_followed() {
    let server = Server::start(vec![
        ("/a", redirect("302 Found", "/b/c?d#e")),
        ("/b/c?d", redirect("307 Temporary Redirect", "../end")),
        ("/end", good("text/plain", "there")),
    ]);
    let page = server::fetch(&server::fetcher(server::limits()), &server.url("/a")).unwrap();
    assert_eq!((page.content.text(), page.final_url), ("there", server.url("/end")));
}

#[test]
fn redirects_end() {
    let server = Server::start(vec![
        ("/loop", redirect("301 Moved", "/loop")),
        ("/none", redirect("301 Moved", "")),
    ]);
    let fetcher = server::fetcher(server::limits());
    let error = server::failure(&fetcher, &server.url("/loop"));
    assert_eq!(error, FetchError::TooManyRedirects { url: server.url("/loop"), count: 5 });
    assert_eq!(server.count(), 6);
    let few = server::fetcher(FetchLimits { redirects: 0, ..server::limits() });
    assert!(matches!(
        server::failure(&few, &server.url("/loop")),
        FetchError::TooManyRedirects { .. }
    ));
}

#[test]
fn a_redirect_to_what_is_refused_is_not_followed() {
    let targets = [
        "http://127.0.0.1:PORT/secret",
        "//127.0.0.1:PORT/secret",
        "http://2130706433:PORT/secret",
        "http://[::1]:PORT/secret",
        "http://localhost:PORT/secret",
        // A name that is not among those allowed leads to this machine in these tests.
        "http://other.test/secret",
        "http://169.254.169.254/latest/",
        "http://site.test@127.0.0.1/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ftp://site.test/",
    ];
    for target in targets {
        let inner = Server::start(vec![("/secret", good("text/plain", "secret"))]);
        let target = target.replace("PORT", &inner.port.to_string());
        let server = Server::start(vec![("/", redirect("302 Found", &target))]);
        let error = server::failure(&server::fetcher(server::limits()), &server.url("/"));
        let refused = matches!(error, FetchError::Forbidden { .. } | FetchError::InvalidUrl { .. });
        assert!(refused, "{target}: {error:?}");
        assert_eq!(inner.count(), 0, "{target}");
    }
}

#[test]
fn a_redirect_is_followed_only_where_it_may_be() {
    let server = Server::start(vec![
        ("/", redirect("302 Found", "/open")),
        ("/open", redirect("302 Found", "/%73ecret/x")),
        ("/%73ecret/x", good("text/plain", "secret")),
    ]);
    let asked = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&asked);
    let may_follow: RedirectFilter = Arc::new(move |address: &str| {
        noted.lock().unwrap().push(address.to_owned());
        !address.contains("/secret/")
    });
    let request = FetchRequest { url: server.url("/"), cached: None };
    let fetcher = server::fetcher(server::limits());
    let error = fetcher.fetch(&request, &may_follow, &CancelToken::NEVER).unwrap_err();
    assert!(matches!(error, FetchError::RestrictedRedirect { .. }), "{error:?}");
    assert_eq!(*asked.lock().unwrap(), [server.url("/open"), server.url("/secret/x")]);
    assert_eq!(server.count(), 2);
}

#[test]
fn a_redirect_without_a_place_is_an_error() {
    let server = Server::start(vec![("/", server::answer("302 Found", "", "nowhere"))]);
    assert_eq!(
        server::failure(&server::fetcher(server::limits()), &server.url("/")).to_string(),
        format!("{} answered 302: nowhere", server.url("/"))
    );
}

#[test]
fn validators_go_only_to_the_page_they_are_of() {
    let server = Server::start(vec![
        ("/old", redirect("301 Moved", "/new")),
        ("/new", server::answer("304 Not Modified", "cache-control: max-age=60\r\n", "")),
    ]);
    let cached = Validators {
        url: server.url("/new"),
        etag: Some("\"abc\"".to_owned()),
        last_modified: Some("Sun, 06 Nov 1994 08:49:37 GMT\r\nx: y".to_owned()),
    };
    let request = FetchRequest { url: server.url("/old"), cached: Some(cached) };
    let fetched = server::fetcher(server::limits())
        .fetch(&request, &server::anywhere(), &CancelToken::NEVER)
        .unwrap();
    let FetchOutcome::NotModified { final_url, freshness } = fetched else { panic!("{fetched:?}") };
    assert_eq!(final_url, server.url("/new"));
    assert_eq!(freshness.etag.as_deref(), Some("\"abc\""));
    assert!(freshness.expires_at.is_some());
    let asked: Vec<bool> = server
        .asked
        .lock()
        .unwrap()
        .iter()
        .map(|head| head.contains("if-none-match: \"abc\"") && !head.contains("x: y"))
        .collect();
    assert_eq!(asked, [false, true]);
}

#[test]
fn an_unchanged_page_that_nobody_has_is_an_error() {
    let server =
        Server::start(vec![("/", server::answer("304 Not Modified", "etag: \"x\"\r\n", ""))]);
    let fetcher = server::fetcher(server::limits());
    let other = Validators { url: server.url("/other"), ..Validators::default() };
    for cached in [None, Some(other)] {
        let request = FetchRequest { url: server.url("/"), cached };
        let error = fetcher.fetch(&request, &server::anywhere(), &CancelToken::NEVER);
        assert!(matches!(error, Err(FetchError::Status { status: 304, .. })), "{error:?}");
    }
}
