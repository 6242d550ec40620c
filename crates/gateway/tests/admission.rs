//! Clients that are not admitted, and requests without an upstream.

use std::time::Duration;

use foveal_gateway::{AccessToken, Gateway, ServeError};

use crate::support::{Act, Scripted, World, world};

#[tokio::test]
async fn strangers_are_refused_before_anything_goes() {
    let upstream = Scripted::start(vec![vec![Act::Read]]).await;
    let world = world(upstream.address).await;
    let cases = [
        ("Host: evil.example", 403),
        ("Host: localhost\r\nOrigin: https://evil.example", 403),
        ("Host: localhost\r\nHost: localhost", 400),
        ("Host: localhost\r\nX-Foveal-Upstream: https://evil.example", 404),
    ];
    for (lines, status) in cases {
        let mut client = world.client().await;
        let request =
            format!("POST /v1/messages HTTP/1.1\r\n{lines}\r\nContent-Length: 2\r\n\r\n{{}}");
        client.write(request.as_bytes()).await;
        let answer = client.answer().await;
        assert_eq!(answer.status(), status, "{lines}: {}", answer.text());
        assert!(answer.text().contains("\"type\":\"error\""), "{}", answer.text());
    }
    assert!(upstream.seen()[0].requests.is_empty());
}

#[tokio::test]
async fn a_token_is_asked_for_and_not_passed_on() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(answer)]]).await;
    let secret = "0123456789abcdef0123";
    let world =
        World::start(upstream.address, |settings| settings.token = AccessToken::new(secret)).await;
    let mut client = world.client().await;
    client.send("/v1/messages", &[], b"{}").await;
    assert_eq!(client.answer().await.status(), 401);
    let line = format!("X-Foveal-Token: {secret}");
    client.send("/v1/messages", &[&line, "Authorization: Bearer theirs"], b"{}").await;
    assert_eq!(client.answer().await.status(), 200);
    let request = String::from_utf8_lossy(&upstream.request()).into_owned();
    assert!(!request.contains(secret) && request.contains("Bearer theirs"), "{request}");
}

#[tokio::test]
async fn other_machines_need_a_token() {
    let upstream = Scripted::start(Vec::new()).await;
    let mut wanted = None;
    let _world = World::start(upstream.address, |settings| {
        let mut open = settings.clone();
        open.address = "0.0.0.0:0".parse().unwrap();
        wanted = Some(open);
    })
    .await;
    let refused = Gateway::bind(wanted.unwrap()).await;
    assert!(matches!(refused, Err(ServeError::NoToken(_))));
}

#[tokio::test]
async fn it_says_that_it_is_well() {
    let upstream = Scripted::start(Vec::new()).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    for path in ["/healthz", "/readyz"] {
        let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        client.write(head.as_bytes()).await;
        assert_eq!(client.answer().await.text(), "ok\n");
    }
}

/// Monitors have no token; all other clients need it.
#[tokio::test]
async fn it_says_that_it_is_well_without_a_token() {
    let upstream = Scripted::start(Vec::new()).await;
    let token = AccessToken::new("0123456789abcdef0123");
    let world = World::start(upstream.address, |settings| settings.token = token).await;
    for (path, host, status) in [
        ("/healthz", "localhost", 200),
        ("/readyz", "localhost", 200),
        ("/healthz", "evil.example", 403),
        ("/metrics", "localhost", 401),
        ("/protocol", "localhost", 401),
    ] {
        let mut client = world.client().await;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        client.write(head.as_bytes()).await;
        assert_eq!(client.answer().await.status(), status, "{path} of {host}");
    }
}

/// Only for the gateway itself: it invents no sign-in, settings or telemetry.
#[tokio::test]
async fn it_says_what_it_speaks() {
    let upstream = Scripted::start(Vec::new()).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    client.write(b"GET /protocol HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    let answer = client.answer().await;
    let told: serde_json::Value = serde_json::from_slice(&answer.body).expect("JSON");
    assert_eq!(told["gateway"], "foveal", "{told}");
    assert_eq!(told["formats"][0]["endpoints"][0], "POST /v1/messages", "{told}");
    assert!(answer.head.to_lowercase().contains("content-type: application/json"));
}

#[tokio::test]
async fn who_says_nothing_is_not_waited_for() {
    let upstream = Scripted::start(Vec::new()).await;
    let world = World::start(upstream.address, |settings| {
        settings.limits.head_timeout = std::time::Duration::from_millis(50);
        settings.limits.connections = 1;
    })
    .await;
    for beginning in ["", "PRI * HTTP/2", "GET / HT"] {
        let mut silent = world.client().await;
        silent.write(beginning.as_bytes()).await;
        drop(silent.read_to_end().await);
        // There is one slot, and it is free again.
        let mut client = world.client().await;
        client.write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        assert_eq!(client.answer().await.text(), "ok\n");
    }
}

/// Idle connections keep no client out: they send nothing or a part of a head, or send a request
/// without the token and stay open.
#[tokio::test]
async fn connections_that_wait_give_way() {
    const SECRET: &str = "0123456789abcdef0123";
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";
    let script = || vec![Act::Read, Act::write(answer)];
    let upstream = Scripted::start(vec![script(), script(), script()]).await;
    let world = World::start(upstream.address, |settings| {
        settings.token = AccessToken::new(SECRET);
        settings.limits.connections = 8;
    })
    .await;
    let line = format!("X-Foveal-Token: {SECRET}");
    for beginning in ["", "GET / HT", "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"] {
        let mut strangers = Vec::new();
        for _ in 0..24 {
            let mut stranger = world.client().await;
            stranger.try_write(beginning.as_bytes()).await;
            strangers.push(stranger);
        }
        let mut owner = world.client().await;
        owner.send("/v1/messages", &[&line], b"{}").await;
        let answered = tokio::time::timeout(Duration::from_secs(10), owner.answer()).await;
        assert_eq!(answered.expect("it is let in").status(), 200, "{beginning:?}");
    }
}

/// A request that is under way is never closed for another one.
#[tokio::test]
async fn a_request_under_way_gives_no_way() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n1";
    let script = vec![Act::Read, Act::write(answer), Act::Wait, Act::write("2")];
    let upstream = Scripted::start(vec![script]).await;
    let world = World::start(upstream.address, |settings| settings.limits.connections = 2).await;
    let mut owner = world.client().await;
    owner.send("/v1/messages", &[], b"{}").await;
    owner.read_until("\r\n\r\n1").await;
    let mut strangers = Vec::new();
    for _ in 0..8 {
        let mut stranger = world.client().await;
        stranger.try_write(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
        strangers.push(stranger);
    }
    tokio::time::sleep(Duration::from_millis(200)).await;
    upstream.go_on();
    assert_eq!(owner.answer().await.text(), "12");
}
